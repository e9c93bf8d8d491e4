"""Quotients of polynomials in named parameters, exact and in normal form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from pfl.base.exact_text import integer_text
from pfl.base.exponential import exponentials_above, power_text
from pfl.base.flint_polynomials import bits_of_power, coefficients, constant_image, degrees, homogeneous, reduced
from pfl.base.struct import struct

Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""A product of powers of parameters, by name, powers positive; empty for 1."""

Operand: TypeAlias = "int | Fraction | RationalFunction"


@struct(kw_only=False)
class Polynomial:
    """A polynomial as plain data: pairs (monomial, coefficient), coefficients not 0, by total degree and then by name.

    This is the form in which polynomials leave this module, for a solver's text or a certificate.
    """

    terms: tuple[tuple[Monomial, Fraction], ...]

    def to_number(self) -> Fraction | RationalFunction:
        """The polynomial as a number; a `Fraction` if it is constant."""
        names = tuple(sorted({name for monomial, _ in self.terms for name, _ in monomial}))
        scale = lcm(*(coefficient.denominator for _, coefficient in self.terms))
        whole = {
            tuple(dict(monomial).get(name, 0) for name in names): int(coefficient * scale)
            for monomial, coefficient in self.terms
        }
        context = _context(names)
        return _normal(names, context.from_dict(whole), context.constant(scale))

    def __str__(self) -> str:
        """Valid PFL source, lowest degree first: `4 - 3*p`, `p^2/2 - p*q`."""
        text = ""
        for monomial, coefficient in self.terms:
            sign = "-" if coefficient < 0 else "+"
            if text:
                text += f" {sign} "
            elif sign == "-":
                text = "-"
            text += _term_text(monomial, abs(coefficient))
        return text or "0"


def _term_text(monomial: Monomial, coefficient: Fraction) -> str:
    factors = [power_text(name, power) for name, power in monomial]
    if coefficient.numerator != 1 or not factors:
        factors.insert(0, integer_text(coefficient.numerator))
    divisor = "" if coefficient.denominator == 1 else f"/{integer_text(coefficient.denominator)}"
    return "*".join(factors) + divisor


@struct(eq=False, kw_only=False)
class RationalFunction:
    """A quotient of polynomials in named parameters that is *not* constant.

    Normal form: numerator and denominator have integer coefficients and no common factor in Z[names], the lowest
    term of the denominator (by total degree, then by name) is positive, and `names` are exactly the parameters that
    occur, sorted. So equal functions are equal objects, and none is 0. Arithmetic accepts `int`, `Fraction` and
    rational functions in other names, and gives a `Fraction` back whenever the result is constant.
    """

    names: tuple[str, ...]
    _above: Any
    _below: Any

    @staticmethod
    def parameter(name: str) -> RationalFunction:
        """The parameter itself, as a function."""
        context = _context((name,))
        return RationalFunction((name,), context.gens()[0], context.constant(1))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that occur, sorted."""
        return self.names

    @property
    def numerator(self) -> Polynomial:
        return _plain(self.names, self._above)

    @property
    def denominator(self) -> Polynomial:
        return _plain(self.names, self._below)

    @property
    def signs(self) -> frozenset[int]:
        """The signs, -1 or 1, among the coefficients of the numerator."""
        return frozenset(1 if coefficient > 0 else -1 for coefficient in self._above.coeffs())

    @property
    def is_polynomial(self) -> bool:
        """Whether the denominator is a constant."""
        return bool(self._below.is_constant())

    @property
    def coefficients(self) -> tuple[list[int], list[int]]:
        """Those of numerator and denominator by power; raises ValueError for more than one parameter."""
        if len(self.names) != 1:
            raise ValueError(f"{self} has more than one parameter")
        return coefficients(self._above), coefficients(self._below)

    @property
    def scale(self) -> Fraction:
        """A positive constant that is c times as large for c times the function, c > 0."""
        return abs(Fraction(int(self._above.leading_coefficient()), int(self._below.leading_coefficient())))

    @property
    def terms(self) -> int:
        """How many terms numerator and denominator have together."""
        return len(self._above) + len(self._below)

    @property
    def bits(self) -> int:
        """How many bits its coefficients have together."""
        parts = (self._above, self._below)
        return sum(max(1, int(coefficient).bit_length()) for part in parts for coefficient in part.coeffs())

    def bits_of_power(self, power: int) -> int:
        """At least how many bits the coefficients of a power have together, each counted as long as the longest."""
        return sum(bits_of_power(part, power) for part in (self._above, self._below))

    def evaluate(self, values: Mapping[str, Operand]) -> Fraction | RationalFunction:
        """The function after substitution; names that `values` lacks stay. Raises ZeroDivisionError at a pole."""
        images: list[Operand] = [
            values[name] if name in values else RationalFunction.parameter(name) for name in self.names
        ]
        most = degrees(self._above, self._below)
        parts = [homogeneous(most, part) for part in (self._above, self._below)]
        constant = [Fraction(image) for image in images if not isinstance(image, RationalFunction)]
        if len(constant) == len(images):
            above, below = (constant_image(part, constant) for part in parts)
            if not below:
                raise ZeroDivisionError(f"{self.denominator} is 0")
            return Fraction(above, below)
        names = tuple(sorted({n for image in images if isinstance(image, RationalFunction) for n in image.names}))
        above, below = _images(names, images, parts)
        if below.is_zero():
            raise ZeroDivisionError(f"{self.denominator} is 0")
        return _normal(names, above, below)

    def factors(self) -> tuple[Fraction, tuple[tuple[RationalFunction, int], ...]]:
        """A constant and irreducible polynomials with powers, negative for the denominator; their product is the
        function. Each polynomial is in normal form up to its sign: its leading coefficient is positive."""
        constant = Fraction(1)
        found: list[tuple[RationalFunction, int]] = []
        for part, sign in ((self._above, 1), (self._below, -1)):
            # Over Q, since factors over Z with long coefficients cannot be sorted by flint's Python layer.
            unit, irreducible = _rational_context(self.names).from_dict(part.to_dict()).factor()
            constant *= Fraction(int(unit.p), int(unit.q)) ** sign
            for factor, power in irreducible:
                number = _normal(
                    self.names, _context(self.names).from_dict(_whole(factor)), _context(self.names).constant(1)
                )
                assert isinstance(number, RationalFunction)
                found.append((number, sign * int(power)))
        return constant, tuple(found)

    def derivative(self, name: str) -> Fraction | RationalFunction:
        """The partial derivative in a parameter."""
        if name not in self.names:
            return Fraction(0)
        index = self.names.index(name)
        above, below = self._above, self._below
        slope = above.derivative(index) * below - above * below.derivative(index)
        return _normal(self.names, slope, below * below)

    def __add__(self, other: Operand) -> Fraction | RationalFunction:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if not other:
            return self
        names, a, b, c, d = _align(self, other)
        if b == d:
            return _normal(names, a + c, b)
        return _normal(names, a * d + c * b, b * d)

    def __mul__(self, other: Operand) -> Fraction | RationalFunction:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if not isinstance(other, RationalFunction) and other in (0, 1):
            return self if other else Fraction(0)
        names, a, b, c, d = _align(self, other)
        return _normal(names, a * c, b * d)

    def __truediv__(self, other: Operand) -> Fraction | RationalFunction:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        names, a, b, c, d = _align(self, other)
        return _normal(names, a * d, b * c)

    def __rtruediv__(self, other: Operand) -> Fraction | RationalFunction:
        names, a, b, c, d = _align(self, other)
        return _normal(names, c * b, d * a)

    def __pow__(self, power: int) -> Fraction | RationalFunction:
        if power == 0:
            return Fraction(1)
        above, below = (self._above, self._below) if power > 0 else (self._below, self._above)
        return _normal(self.names, above ** abs(power), below ** abs(power))

    def __neg__(self) -> RationalFunction:
        return RationalFunction(self.names, -self._above, self._below)

    def __sub__(self, other: Operand) -> Fraction | RationalFunction:
        return self + -other

    def __rsub__(self, other: Operand) -> Fraction | RationalFunction:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __bool__(self) -> bool:
        """True: a function that is 0 everywhere is the `Fraction` 0."""
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RationalFunction):
            return False if isinstance(other, int | Fraction) else NotImplemented
        return bool(self.names == other.names and self._above == other._above and self._below == other._below)

    def __hash__(self) -> int:
        leading = (int(part.leading_coefficient()) for part in (self._above, self._below))
        return hash((self.names, *leading, len(self._above), len(self._below)))

    if not TYPE_CHECKING:  # so that a type checker rejects comparisons of numbers that may hold parameters

        def __lt__(self, other: object) -> NoReturn:
            raise TypeError(
                f"{self} depends on {', '.join(self.names)} and has no order; compare it on a parameter box"
            )

        __le__ = __gt__ = __ge__ = __lt__

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.numerator, self.denominator)

    def __str__(self) -> str:
        """Valid PFL source: `(4 - 3*p)/(12 - 6*p)`."""
        above, below = self.numerator, self.denominator
        if len(below.terms) == 1:  # divided by exponentials is multiplied by others
            ((divisor, coefficient),) = below.terms
            terms, divisor = exponentials_above(above.terms, divisor)
            above, below = Polynomial(terms), Polynomial(((divisor, coefficient),))
        if below.terms == (((), Fraction(1)),):
            return str(above)
        dividend = str(above) if len(above.terms) == 1 else f"({above})"
        single = len(below.terms) == 1 and "*" not in str(below)
        return f"{dividend}/{below}" if single else f"{dividend}/({below})"

    def __repr__(self) -> str:
        return f"RationalFunction({self})"


_OPERANDS = (int, Fraction, RationalFunction)
"""Others, such as samples of noise, have operations of their own."""


def _rebuild(above: Polynomial, below: Polynomial) -> Fraction | RationalFunction:
    return above.to_number() / below.to_number()


def value_at(number: Fraction | RationalFunction, values: Mapping[str, Fraction]) -> Fraction:
    """The value where all parameters are given; raises ValueError if one is not, ZeroDivisionError at a pole."""
    value = number.evaluate(values) if isinstance(number, RationalFunction) else number
    if isinstance(value, RationalFunction):
        raise ValueError(f"{number} needs the value of {', '.join(value.parameters)}")
    return value


def common_factor(numbers: Iterable[Fraction | RationalFunction]) -> Fraction | RationalFunction:
    """The greatest common divisor of polynomials with integer coefficients, integer factors included; 0 of nothing.

    Its sign is that of flint's leading coefficient; what divides by it must look at the sign.
    """
    common: Fraction | RationalFunction = Fraction(0)
    for number in numbers:
        if not number:
            continue
        if not common:
            common = number
        elif isinstance(common, RationalFunction) and isinstance(number, RationalFunction):
            names, a, _, c, _ = _align(common, number)
            common = _normal(names, a.gcd(c), _context(names).constant(1))
        else:
            common = Fraction(gcd(_content(common), _content(number)))
        if common == 1:
            break
    return common


def _content(number: Fraction | RationalFunction) -> int:
    if isinstance(number, Fraction):
        return number.numerator
    return gcd(*(int(coefficient) for _, coefficient in number.numerator.terms))


@cache
def _context(names: tuple[str, ...]) -> Any:
    """flint's ring Z[names]; names are spelled in hexadecimal because flint takes ASCII only."""
    from flint import Ordering, fmpz_mpoly_ctx

    return fmpz_mpoly_ctx.get(tuple("x" + name.encode().hex() for name in names), Ordering.deglex)


@cache
def _rational_context(names: tuple[str, ...]) -> Any:
    """flint's ring Q[names]."""
    from flint import Ordering, fmpq_mpoly_ctx

    return fmpq_mpoly_ctx.get(tuple("x" + name.encode().hex() for name in names), Ordering.deglex)


def _whole(polynomial: Any) -> dict[Any, Any]:
    """The coefficients of a polynomial over Q that are integers."""
    return {powers: value.numer() for powers, value in polynomial.to_dict().items()}


def _align(left: RationalFunction, right: Operand) -> tuple[tuple[str, ...], Any, Any, Any, Any]:
    """The names of both, and numerators and denominators in their common ring."""
    if not isinstance(right, RationalFunction):
        context = _context(left.names)
        return (
            left.names,
            left._above,
            left._below,
            context.constant(right.numerator),
            context.constant(right.denominator),
        )
    if left.names == right.names:
        return left.names, left._above, left._below, right._above, right._below
    names = tuple(sorted({*left.names, *right.names}))
    context = _context(names)
    parts = (left._above, left._below, right._above, right._below)
    a, b, c, d = (part.project_to_context(context) for part in parts)
    return names, a, b, c, d


def _normal(names: tuple[str, ...], above: Any, below: Any) -> Fraction | RationalFunction:
    """above / below in normal form; raises ZeroDivisionError where below is 0, LimitReached at immense exponents."""
    if below.is_zero():
        raise ZeroDivisionError("division of a rational function by 0")
    above, below = reduced(above, below)
    if below.coefficient(len(below) - 1) < 0:
        above, below = -above, -below
    if above.is_constant() and below.is_constant():
        return Fraction(int(above.leading_coefficient()) if above else 0, int(below.leading_coefficient()))
    used = tuple(name for name, high, low in zip(names, above.degrees(), below.degrees()) if high or low)
    if used != names:
        context = _context(used)
        above, below = above.project_to_context(context), below.project_to_context(context)
    return RationalFunction(used, above, below)


def _plain(names: tuple[str, ...], polynomial: Any) -> Polynomial:
    def order(exponents: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(exponents), tuple(-power for power in exponents)

    whole = {tuple(map(int, exponents)): int(value) for exponents, value in polynomial.to_dict().items()}
    return Polynomial(
        tuple(
            (tuple((name, power) for name, power in zip(names, exponents) if power), Fraction(whole[exponents]))
            for exponents in sorted(whole, key=order)
        )
    )


def _images(
    names: tuple[str, ...], images: list[Operand], coefficients: Iterable[dict[tuple[int, ...], int]]
) -> list[Any]:
    """The homogeneous polynomials at the images' numerators and denominators, in the ring Z[names]."""
    context = _context(names)
    above, below = [], []
    for image in images:
        if isinstance(image, RationalFunction):
            above.append(image._above.project_to_context(context))
            below.append(image._below.project_to_context(context))
        else:
            above.append(context.constant(image.numerator))
            below.append(context.constant(image.denominator))
    doubled = _context(tuple(f"{end}{index}" for end in "xy" for index in range(len(images))))
    return [doubled.from_dict(terms).compose(*above, *below, ctx=context) for terms in coefficients]
