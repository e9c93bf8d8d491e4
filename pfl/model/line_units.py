"""What numbers on the line of a sample are multiples of: of 1, of 1/eps, or of a logarithm, over eps or not.

Noise of scale 1/eps around 0 is at most ln(3)/eps with a probability that does not depend on eps. Logarithms are values
of expressions beside samples; they are no numbers, and nothing else can be done with them (docs/theory/noise.md).
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NoReturn, TypeAlias

from pfl.base import codes
from pfl.base.beside import Beside
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE, Exponential, multiple_text
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.model.program import EvaluationFault

LONGEST = 1 << 10
"""Bits of the longest number of which a logarithm is taken, also where logarithms are added."""


@struct
class LineUnit:
    """ln(`log`)/`base`, or 1/`base` where `log` is None: `base` is a parameter, or `ONE`; `log` is above 1, and no
    power of another rational number."""

    base: str
    log: Fraction | None

    def text(self, coefficient: Fraction) -> str:
        """A multiple as source: `2*ln(3)/eps`, `3/eps`."""
        name = "1" if self.log is None else f"ln({fraction_text(self.log)})"
        over = "" if self.base == ONE else f"/{self.base}"
        if self.log is None:
            return f"{fraction_text(coefficient)}{over}" if coefficient.denominator == 1 else f"{coefficient}{over}"
        return f"{multiple_text(name, coefficient)}{over}"


def line_text(coefficient: Fraction, unit: LineUnit | None) -> str:
    """A multiple of a unit, None for 1, as source."""
    return fraction_text(coefficient) if unit is None else unit.text(coefficient)


Measured: TypeAlias = tuple[Fraction, LineUnit | None]
"""A multiple of a unit, None for 1."""


class Logarithm(Beside):
    """ln(argument)/(divisor * base): argument > 0 rational and not 1, divisor >= 1 whole, base a parameter or `ONE`.

    Sums and rational multiples of logarithms are logarithms; so are quotients by a multiple of a parameter. `place` is
    where it is written. All else raises EvaluationFault.
    """

    __slots__ = ("argument", "base", "divisor", "place")

    bits = 0
    """How long it is, as numbers are asked: short."""

    def __init__(self, argument: Fraction, place: Span, divisor: int = 1, base: str = ONE) -> None:
        self.argument, self.place, self.divisor, self.base = argument, place, divisor, base

    def measured(self) -> Measured:
        """It as a multiple of a unit."""
        power, root = _power_of(self.argument if self.argument > 1 else 1 / self.argument)
        sign = 1 if self.argument > 1 else -1
        return Fraction(sign * power, self.divisor), LineUnit(base=self.base, log=root)

    def __add__(self, other: object) -> object:
        if isinstance(other, Beside) and not isinstance(other, Logarithm):
            return NotImplemented
        if not other:
            return self
        if not isinstance(other, Logarithm) or other.base != self.base:
            raise self._misplaced("stands where a number must be known")
        divisor = lcm(self.divisor, other.divisor)
        powers = divisor // self.divisor, divisor // other.divisor
        return self._made(self._power(powers[0]) * other._power(powers[1]), divisor)

    __radd__ = __add__

    def __neg__(self) -> Logarithm:
        return Logarithm(1 / self.argument, self.place, self.divisor, self.base)

    def __sub__(self, other: object) -> object:
        if isinstance(other, Beside) and not isinstance(other, Logarithm):
            return NotImplemented
        return self + -other  # type: ignore[operator]

    def __rsub__(self, other: object) -> object:
        return -self + other

    def __mul__(self, factor: object) -> object:
        if isinstance(factor, int | Fraction):
            if not factor:
                return Fraction(0)
            fraction = Fraction(factor)
            return self._made(self._power(fraction.numerator), self.divisor * fraction.denominator)
        if isinstance(factor, RationalFunction):
            return self / (1 / factor)
        raise self._misplaced("is multiplied by something else than a number")

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> object:
        if isinstance(divisor, int | Fraction):
            return self * (1 / Fraction(divisor))
        if isinstance(divisor, RationalFunction) and self.base == ONE:
            over = _multiple(divisor)
            if over is not None:
                coefficient, base = over
                made = self / coefficient
                assert isinstance(made, Logarithm)
                return Logarithm(made.argument, made.place, made.divisor, base)
        raise self._misplaced("is divided by something else than a number, or a multiple of a parameter")

    def _made(self, argument: Fraction, divisor: int) -> Logarithm | Fraction:
        return Fraction(0) if argument == 1 else Logarithm(argument, self.place, divisor, self.base)

    def _power(self, power: int) -> Fraction:
        if max(self.argument.numerator, self.argument.denominator).bit_length() * abs(power) > LONGEST:
            raise self._misplaced("becomes that of too long a number")
        return self.argument**power

    def _misplaced(self, what: str) -> EvaluationFault:
        return EvaluationFault(
            Diagnostic(
                code=codes.MISPLACED_LOGARITHM,
                message=f"a logarithm {what}",
                labels=(Label(self.place),),
                help="samples are compared with, and moved by, multiples of logarithms: `noisy > 2*ln(3)/eps`",
            )
        )

    def shown(self) -> EvaluationFault:
        """What is wrong with showing it."""
        return self._misplaced("is shown, of which no exact value is known")

    def _no_number(self, *_: object) -> NoReturn:
        raise self._misplaced("stands where a number must be known")

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _no_number
    __int__ = __index__ = __floor__ = __ceil__ = __abs__ = _no_number

    def _compared(self, other: object) -> bool:
        if isinstance(other, Beside) and not isinstance(other, Logarithm):
            return NotImplemented  # type: ignore[no-any-return]
        raise self._misplaced("is compared with what is no sample")

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __eq__(self, other: object) -> bool:
        """As values of constants, which keep their places."""
        return isinstance(other, Logarithm) and (self.measured(), self.place) == (other.measured(), other.place)

    def __hash__(self) -> int:
        return hash(self.measured())

    def __repr__(self) -> str:
        coefficient, unit = self.measured()
        assert unit is not None
        return unit.text(coefficient)

    __str__ = __repr__

    @property
    def numerator(self) -> NoReturn:
        """Asked for where a number is needed."""
        self._no_number()

    denominator = numerator


def require_no_logarithm(value: object) -> None:
    """Raise EvaluationFault where a value that is shown is, or holds, a logarithm."""
    if isinstance(value, Logarithm):
        raise value.shown()
    for part in value if isinstance(value, tuple | frozenset) else ():
        require_no_logarithm(part)
    for part in getattr(value, "elements", None) or getattr(value, "values", None) or ():
        require_no_logarithm(part)


def measured(number: object) -> Measured | None:
    """A number on the line as a multiple of a unit; None where it is none."""
    if isinstance(number, int | Fraction):
        return Fraction(number), None
    if isinstance(number, Logarithm):
        return number.measured()
    if isinstance(number, RationalFunction):
        inverse = 1 / number
        over = _multiple(inverse) if isinstance(inverse, RationalFunction) else None
        return None if over is None else (1 / over[0], LineUnit(base=over[1], log=None))
    return None


def _multiple(number: RationalFunction) -> tuple[Fraction, str] | None:
    """(c, x) of a number c x, x a parameter."""
    if len(number.parameters) != 1 or Exponential.of(number.parameters[0]) is not None:
        return None
    (name,) = number.parameters
    coefficient = number / RationalFunction.parameter(name)
    return (coefficient, name) if isinstance(coefficient, Fraction) else None


def _power_of(number: Fraction) -> tuple[int, Fraction]:
    """(k, g) with number = g^k for the largest k; number > 1."""
    above, below = number.numerator, number.denominator
    for power in range(above.bit_length(), 1, -1):
        roots = _whole_root(above, power), _whole_root(below, power)
        if roots[0] is not None and roots[1] is not None:
            return power, Fraction(roots[0], roots[1])
    return 1, number


def _whole_root(number: int, power: int) -> int | None:
    """The root of a positive number, if it is whole."""
    low, high = 1, 1 << -(-number.bit_length() // power)
    while low < high:
        middle = (low + high) // 2
        if middle**power < number:
            low = middle + 1
        else:
            high = middle
    return low if low**power == number else None
