"""Noise without bounds: distributions that no list holds, and samples of them as values of which only comparisons are
known.

A sample is never a number. What a program does with one is compare it; each comparison splits the run in two, and how
likely either way is follows from the distributions alone, later (docs/theory/noise-exploration.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from math import floor
from typing import Literal, NoReturn, Protocol, TypeAlias

from pfl.base.beside import Beside
from pfl.base.closed_form import is_closed
from pfl.base.diagnostics import InputRejected
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE, multiple_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.model.line_units import LineUnit, line_text, measured

NoiseKind: TypeAlias = Literal[
    "laplace", "exponential", "two_sided_geometric", "geometric", "gaussian", "discrete_gaussian"
]


@struct
class Noise:
    """A distribution of a real, or of an integer, without bounds.

    Of a real, `rate` is rational and above 0, and the scale is 1/(rate * base), `base` a parameter's name, or `ONE`:
    the density of `laplace` at t is (rate*base/2) e^(-rate*base*|t - mean|), that of `exponential`
    rate*base*e^(-rate*base*t) for t >= 0. Of an integer, `rate` is the alpha of (1-alpha)/(1+alpha) alpha^|k - mean|,
    or of (1-alpha) alpha^k for k >= 0, and `base` is empty. `mean` is whole for integers; of a real it is a multiple
    of `unit`, None for 1. Of `gaussian` and `discrete_gaussian` noise, of which probabilities are enclosed, `rate` is
    1/sd: the density at t is, and the probability of an integer t is proportional to, e^(-(t - mean)^2/(2 sd^2)).
    `place` is where it is written.
    """

    kind: NoiseKind
    rate: Number
    mean: Fraction = Fraction(0)
    base: str = ""
    unit: LineUnit | None = None
    place: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_integral(self) -> bool:
        """Whether samples are integers."""
        return not self.base

    @property
    def is_enclosed(self) -> bool:
        """Whether probabilities are known by enclosures alone."""
        return self.kind in ("gaussian", "discrete_gaussian")

    @property
    def deviation(self) -> Fraction:
        """The standard deviation of Gaussian noise."""
        assert isinstance(self.rate, Fraction)
        return 1 / self.rate

    @property
    def conditions(self) -> tuple[()]:
        """No weight of it can be negative; see `DistributionValue.conditions`."""
        return ()

    def items(self) -> NoReturn:
        """There is no list of its values. Raises NoiseMet."""
        raise NoiseMet(self)

    def __iter__(self) -> NoReturn:
        raise NoiseMet(self)

    def __str__(self) -> str:
        mean = line_text(self.mean, self.unit)
        match self.kind:
            case "laplace":
                return f"laplace({mean}, {self.scale_text})"
            case "exponential":
                return f"exponential({self.scale_text})"
            case "two_sided_geometric":
                return f"two_sided_geometric({self.rate}, {mean})"
            case "geometric":
                return f"geometric({self.rate})"
            case "gaussian" | "discrete_gaussian":
                return f"{self.kind}({mean}, {fraction_text(self.deviation)})"

    @property
    def scale_text(self) -> str:
        """The scale of real noise as source: `4/eps`."""
        assert isinstance(self.rate, Fraction)
        if self.base == ONE:
            return fraction_text(1 / self.rate)
        divisor = multiple_text(self.base, Fraction(self.rate.numerator))
        return f"{self.rate.denominator}/{divisor if '*' not in divisor else f'({divisor})'}"


class NoiseMet(Exception):
    """Noise is drawn where a list of values is needed: the program has to be explored as one with noise."""

    def __init__(self, noise: Noise) -> None:
        self.noise = noise
        super().__init__(f"{noise} has no list of values")


class InputMeanwhile(InputRejected):
    """An input comes while a sample is held that is compared later."""


class SampleMisused(Exception):
    """Something is asked of a sample that its comparisons do not tell; `what` says what, `instead` what to do."""

    def __init__(self, what: str, instead: str) -> None:
        self.what, self.instead = what, instead
        super().__init__(what)


class Path(Protocol):
    """A run, which decides what comparisons of its samples come to."""

    def measure(self, unit: LineUnit | None) -> None:
        """Take note that a real sample is compared with, or moved by, a multiple of a unit that is not 0. Raises
        SampleMisused for another unit than before."""

    def decide(self, left: int | None, right: int | None, bound: Fraction, is_integral: bool) -> bool:
        """Whether left - right <= bound, None standing for 0; either way is followed in some run."""


_COMPARE = "compare it, and go on with what that gives: `if noisy >= q { .. }`"
_SCALED = (
    "compare it with a number that is divided instead, `noisy > 1/2` for `2*noisy > 1`; or draw more of it: "
    "`laplace(2*q, 4/eps)` is twice `laplace(q, 2/eps)`"
)


class Sample(Beside):
    """plus - minus + shift, where plus and minus are samples of a run, or None for 0, not both.

    It compares with numbers and with other samples of its kind, and numbers can be added to it. `shift` is a multiple
    of the unit of the run's numbers on the line.
    """

    __slots__ = ("is_integral", "minus", "path", "plus", "shift")

    bits = 0
    """How long it is, as numbers are asked: short."""

    def __init__(
        self, path: Path, plus: int | None, minus: int | None, shift: Fraction | int, is_integral: bool
    ) -> None:
        self.path, self.plus, self.minus, self.shift, self.is_integral = path, plus, minus, shift, is_integral

    def _at_most(self, bound: Fraction | int) -> bool:
        """Whether it is at most a number."""
        limit = Fraction(bound - self.shift)
        return self.path.decide(
            self.plus, self.minus, Fraction(floor(limit)) if self.is_integral else limit, self.is_integral
        )

    def _below(self, bound: Fraction | int) -> bool:
        """Whether it is less than a number; of reals the same as at most, since a tie has probability 0."""
        if not self.is_integral:
            return self._at_most(bound)
        limit = Fraction(bound - self.shift)
        whole = floor(limit)
        return self.path.decide(self.plus, self.minus, Fraction(whole - 1 if whole == limit else whole), True)

    def __lt__(self, other: object) -> bool:
        difference = self._against(other)
        return difference._below(0) if isinstance(difference, Sample) else difference < 0

    def __le__(self, other: object) -> bool:
        difference = self._against(other)
        return difference._at_most(0) if isinstance(difference, Sample) else difference <= 0

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Beside | int | Fraction | RationalFunction):
            return False
        difference = self._against(other)
        if not isinstance(difference, Sample):
            return bool(difference == 0)
        return self.is_integral and difference._at_most(0) and not difference._below(0)

    def _against(self, other: object) -> Sample | Fraction | int:
        """What has the sign of self - other: half of it where one is the negative of the other, moved by a number."""
        if isinstance(other, Sample) and (other.plus, other.minus) == (self.minus, self.plus):
            return Sample(self.path, self.plus, self.minus, Fraction(self.shift - other.shift) / 2, self.is_integral)
        return self - other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> NoReturn:
        raise SampleMisused(
            "a sample is looked up, put into a set, or stands among the values of a distribution", _COMPARE
        )

    def __add__(self, other: object) -> Sample | Fraction | int:
        if not isinstance(other, Sample):
            return self._moved(other)
        if self.is_integral != other.is_integral:
            raise SampleMisused("an integer sample meets a real one", "compare samples of one kind with each other")
        plus, minus = [self.plus, other.plus], [self.minus, other.minus]
        for handle in (self.plus, other.plus):
            if handle is not None and handle in minus:
                plus.remove(handle)
                minus.remove(handle)
        up, down = ([handle for handle in side if handle is not None] for side in (plus, minus))
        if len(up) > 1 or len(down) > 1:
            raise _combined(up, down)
        shift = self.shift + other.shift
        if not up and not down:
            return shift
        return Sample(self.path, up[0] if up else None, down[0] if down else None, shift, self.is_integral)

    __radd__ = __add__

    def _moved(self, by: object) -> Sample:
        found = measured(by)
        if found is None:
            raise _depends(by)
        number, unit = found
        if self.is_integral and unit is not None:
            raise SampleMisused("an integer sample meets a number that is not whole", "compare it with ints")
        if number and not self.is_integral:
            self.path.measure(unit)
        shift = self.shift + (by if isinstance(by, int) else number)
        return Sample(self.path, self.plus, self.minus, shift, self.is_integral)

    def __neg__(self) -> Sample:
        return Sample(self.path, self.minus, self.plus, -self.shift, self.is_integral)

    def __sub__(self, other: object) -> Sample | Fraction | int:
        return self + -other if isinstance(other, Sample) else -(-self)._moved(other)

    def __rsub__(self, other: object) -> Sample | Fraction | int:
        return -self + other

    def __abs__(self) -> Sample:
        return -self if self._below(0) else self

    def __mul__(self, factor: object) -> Sample | int:
        if factor == 1:
            return self
        if factor == -1:
            return -self
        if factor == 0:
            return 0
        if isinstance(factor, Sample):
            raise SampleMisused("two samples are multiplied", _COMPARE)
        raise SampleMisused("a sample is multiplied", _SCALED)

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> Sample:
        if divisor in (1, -1):
            return self if divisor == 1 else -self
        if isinstance(divisor, Sample):
            raise SampleMisused("a sample is divided by another", _COMPARE)
        raise SampleMisused("a sample is divided", _SCALED)

    def _no_number(self, *_: object) -> NoReturn:
        raise SampleMisused("a sample stands where its value must be known", f"add numbers to it, or {_COMPARE}")

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _no_number
    __int__ = __index__ = __floor__ = __ceil__ = __bool__ = _no_number

    def __repr__(self) -> str:
        return "a sample"


def _combined(up: Sequence[int], down: Sequence[int]) -> SampleMisused:
    """For samples that are added, less others; more than one of either."""
    if len({*up, *down}) < len(up) + len(down):
        return SampleMisused("a sample is added to itself, which multiplies it", _SCALED)
    if len(up) + len(down) > 2:
        return SampleMisused(
            "a difference of two samples meets a third sample",
            "compare a difference with numbers, `noisy - threshold > 1`, or samples in pairs",
        )
    return SampleMisused(
        "the sum of two samples is asked for, as by `x + y`, or where `x` is compared with `-y`",
        "compare them one by one, or their difference with a number: `x - y > 1`, which is as likely as `x + y > 1` "
        "where y is symmetric about 0 and stands nowhere else",
    )


def _depends(other: object) -> SampleMisused:
    if is_closed(other):
        return SampleMisused(
            f"a sample is compared with, or moved by, {other}, which is not rational",
            "compare it with a rational number near it",
        )
    return SampleMisused(
        "a sample is compared with, or moved by, a number that depends on parameters",
        "compare it with numbers that do not, or with multiples of 1/eps; scales may: `laplace(0, 2/eps)`",
    )
