"""Exponential polynomials in one variable x, and intervals of x."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd

from pfl.base.struct import struct

_MANY_PRODUCTS = 3000
"""From so many products of terms on, flint multiplies faster than a loop."""


@struct(kw_only=False)
class ExponentialPolynomial:
    """The sum of c x^i e^(k x) over `terms` (i, k) -> c, divided by a positive `denominator`.

    i >= 0 and k are whole numbers; no c is 0, and no prime divides all c and the denominator, so that equal functions
    are equal objects. Raises ValueError for a negative i or a denominator that is not positive.
    """

    terms: Mapping[tuple[int, int], int]
    denominator: int = 1

    def __post_init__(self) -> None:
        if self.denominator <= 0 or any(power < 0 for power, _ in self.terms):
            raise ValueError("powers of x are not negative, and a denominator is positive")
        terms = {exponents: value for exponents, value in self.terms.items() if value}
        common = gcd(self.denominator, *terms.values())
        if common > 1:
            terms = {exponents: value // common for exponents, value in terms.items()}
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "denominator", self.denominator // common)

    @classmethod
    def of(cls, terms: Mapping[tuple[int, int], Fraction | int]) -> ExponentialPolynomial:
        """The sum of rational multiples of x^i e^(k x)."""
        denominator = 1
        for value in terms.values():
            denominator *= value.denominator // gcd(denominator, value.denominator)
        return cls({each: int(value * denominator) for each, value in terms.items()}, denominator)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.denominator))

    def __add__(self, other: ExponentialPolynomial) -> ExponentialPolynomial:
        common = self.denominator * other.denominator // gcd(self.denominator, other.denominator)
        mine, yours = common // self.denominator, common // other.denominator
        total = {exponents: mine * value for exponents, value in self.terms.items()}
        for exponents, value in other.terms.items():
            total[exponents] = total.get(exponents, 0) + yours * value
        return ExponentialPolynomial(total, common)

    def __neg__(self) -> ExponentialPolynomial:
        return ExponentialPolynomial({each: -value for each, value in self.terms.items()}, self.denominator)

    def __sub__(self, other: ExponentialPolynomial) -> ExponentialPolynomial:
        return self + -other

    def __mul__(self, other: ExponentialPolynomial | Fraction | int) -> ExponentialPolynomial:
        if not isinstance(other, ExponentialPolynomial):
            terms = {each: value * other.numerator for each, value in self.terms.items()}
            return ExponentialPolynomial(terms, self.denominator * other.denominator)
        product = self._product if len(self.terms) * len(other.terms) < _MANY_PRODUCTS else self._product_of_many
        return ExponentialPolynomial(product(other), self.denominator * other.denominator)

    __rmul__ = __mul__

    def _product(self, other: ExponentialPolynomial) -> dict[tuple[int, int], int]:
        total: dict[tuple[int, int], int] = {}
        for (power, rate), value in self.terms.items():
            for (other_power, other_rate), factor in other.terms.items():
                exponents = (power + other_power, rate + other_rate)
                total[exponents] = total.get(exponents, 0) + value * factor
        return total

    def _product_of_many(self, other: ExponentialPolynomial) -> dict[tuple[int, int], int]:
        from flint import Ordering, fmpz_mpoly_ctx

        context = fmpz_mpoly_ctx.get(("x", "y"), Ordering.lex)
        least, other_least = self.rates[0], other.rates[0]
        first = context.from_dict({(power, rate - least): c for (power, rate), c in self.terms.items()})
        second = context.from_dict({(power, rate - other_least): c for (power, rate), c in other.terms.items()})
        offset = least + other_least
        return {(int(power), int(rate) + offset): int(c) for (power, rate), c in (first * second).to_dict().items()}

    @property
    def rates(self) -> tuple[int, int]:
        """The least and the largest k; (0, 0) of the polynomial 0."""
        found = [rate for _, rate in self.terms]
        return (min(found), max(found)) if found else (0, 0)

    def times_exponential(self, rate: int) -> ExponentialPolynomial:
        """The product with e^(rate x)."""
        return ExponentialPolynomial({(i, k + rate): c for (i, k), c in self.terms.items()}, self.denominator)

    def scaled(self, factor: Fraction | int) -> ExponentialPolynomial:
        """The function x -> g(factor x), for factor > 0; raises ValueError unless every k stays whole."""
        factor = Fraction(factor)
        if factor <= 0 or any(rate * factor.numerator % factor.denominator for _, rate in self.terms):
            raise ValueError(f"exponents times {factor} are not whole numbers, or have changed their sign")
        return ExponentialPolynomial.of(
            {
                (power, rate * factor.numerator // factor.denominator): Fraction(value, self.denominator)
                * factor**power
                for (power, rate), value in self.terms.items()
            }
        )

    def derivative(self) -> ExponentialPolynomial:
        """The derivative with respect to x."""
        total: dict[tuple[int, int], int] = {}
        for (power, rate), value in self.terms.items():
            if rate:
                total[power, rate] = total.get((power, rate), 0) + rate * value
            if power:
                total[power - 1, rate] = total.get((power - 1, rate), 0) + power * value
        return ExponentialPolynomial(total, self.denominator)


@struct
class Interval:
    """The x between `low` >= 0 and `high`, which is None for infinity; an end that is open does not belong to it.

    Raises ValueError where no x is in it, and for a negative one.
    """

    low: Fraction = Fraction(0)
    high: Fraction | None = None
    low_open: bool = True
    high_open: bool = True

    def __post_init__(self) -> None:
        if self.low < 0:
            raise ValueError(f"an interval from {self.low} has negative numbers")
        if self.high is not None and (
            self.high < self.low or (self.high == self.low and (self.low_open or self.high_open))
        ):
            raise ValueError(f"no number lies between {self.low} and {self.high}")

    def __contains__(self, x: Fraction) -> bool:
        above = x > self.low or (x == self.low and not self.low_open)
        return above and (self.high is None or x < self.high or (x == self.high and not self.high_open))

    @property
    def is_point(self) -> bool:
        """Whether it holds one number only."""
        return self.low == self.high


POSITIVE = Interval()
"""All x > 0."""
