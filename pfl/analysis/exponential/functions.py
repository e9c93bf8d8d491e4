"""Numbers of an exponential space as exponential polynomials in x/unit over positive denominators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.exponential.decide import Decision, NonNegative, decide
from pfl.analysis.exponential.evaluation import sign_at
from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial
from pfl.base.struct import struct
from pfl.model.parameters import ExponentialSpace


@struct(kw_only=False)
class Quotient:
    """above / below, functions of t = x/unit, below > 0 wherever the number is defined."""

    above: ExponentialPolynomial
    below: ExponentialPolynomial


_Shares: TypeAlias = tuple[ExponentialPolynomial, ExponentialPolynomial]
_NUMBER_ONE = Fraction(1)


class DenominatorUnknown(Exception):
    """The sign of a denominator is not decided."""


class Functions:
    """The functions that numbers of a space are; `interval` are the values of t = x/unit."""

    def __init__(self, space: ExponentialSpace, budget: Budget) -> None:
        self.space = space
        self.budget = budget
        self.interval = Interval(
            low=space.low / space.unit,
            high=None if space.high is None else space.high / space.unit,
            low_open=space.low_open,
            high_open=space.high_open,
        )
        self._known: dict[Number, Quotient] = {}
        self._signs: dict[ExponentialPolynomial, int] = {}
        self._multiples: dict[tuple[Number, Number], Number] = {}
        self._shares: dict[tuple[ExponentialPolynomial, ExponentialPolynomial], _Shares] = {}
        self._over: dict[tuple[Number, ExponentialPolynomial], ExponentialPolynomial] = {}

    def of(self, number: Number) -> Quotient:
        """The number as a function. Raises DenominatorUnknown."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._made(number)
        return found

    def _made(self, number: Number) -> Quotient:
        if isinstance(number, Fraction):
            return Quotient(ExponentialPolynomial.of({(0, 0): number}), _ONE)
        above, below = self._polynomial(number.numerator), self._polynomial(number.denominator)
        rate = below.rates[1]
        above, below = above.times_exponential(-rate), below.times_exponential(-rate)
        if self._sign(below) < 0:
            above, below = -above, -below
        return Quotient(above, below)

    def _polynomial(self, polynomial: Polynomial) -> ExponentialPolynomial:
        """With x = unit * t, and z = e^-t."""
        base, z, unit = self.space.base, self.space.exponential.name, self.space.unit
        terms: dict[tuple[int, int], Fraction | int] = {}
        for monomial, coefficient in polynomial.terms:
            powers = dict(monomial)
            power = powers.pop(base, 0)
            rate = powers.pop(z, 0)
            assert not powers, f"a number mentions {', '.join(powers)} besides {base} and {z}"
            terms[power, -rate] = coefficient * unit**power
        return ExponentialPolynomial.of(terms)

    def _sign(self, denominator: ExponentialPolynomial) -> int:
        if denominator not in self._signs:
            self._signs[denominator] = self._decided_sign(denominator)
        return self._signs[denominator]

    def _decided_sign(self, denominator: ExponentialPolynomial) -> int:
        if all(value > 0 for value in denominator.terms.values()):
            return 1
        for sign in (1, -1):
            if isinstance(self.decide(denominator if sign > 0 else -denominator), NonNegative):
                return sign
        raise DenominatorUnknown("a probability is divided by a number whose sign is not known")

    def decide(self, function: ExponentialPolynomial) -> Decision:
        """Whether a function of t is non-negative for all values."""
        return decide(function, self.interval, self.budget)

    def is_at_most(self, left: Number, right: Number) -> Decision:
        """Whether left <= right for all values; where not, a value of t at which it fails."""
        return self.decide(self.difference(right, left))

    def difference(self, above: Number, below: Number, factor: Number = _NUMBER_ONE) -> ExponentialPolynomial:
        """What has the sign of factor * above - below. Raises DenominatorUnknown."""
        key = factor, above
        if key not in self._multiples:
            self._multiples[key] = factor * above
        product = self._multiples[key]
        return self._times_common(product, below) - self._times_common(below, product)

    def _times_common(self, number: Number, other: Number) -> ExponentialPolynomial:
        """A number times a positive common multiple of its denominator and another's, that which is also taken with
        the two exchanged."""
        one, below = self.of(number), self.of(other).below
        key = number, below
        if key not in self._over:
            pair = one.below, below
            if pair not in self._shares:
                self._shares[pair] = self._shares_of(*pair)
            self._over[key] = one.above * self._shares[pair][0]
        return self._over[key]

    def _shares_of(self, one: ExponentialPolynomial, other: ExponentialPolynomial) -> _Shares:
        """For two positive functions what each has to be multiplied with so that both become one positive function.

        Where they are functions of e^t alone that is their least common multiple.
        """
        if one == other:
            return _ONE, _ONE
        if any(power for each in (one, other) for power, _ in each.terms) or _is_wide(one) or _is_wide(other):
            return other, one
        (left, low), (right, other_low) = _in_exponential(one), _in_exponential(other)
        common = left.gcd(right)
        sign = self._sign(_from_exponential(common))  # which may be negative where the interval is
        shares = [_from_exponential(each // common) for each in (right, left)]
        return (
            shares[0].times_exponential(other_low) * Fraction(sign, other.denominator),
            shares[1].times_exponential(low) * Fraction(sign, one.denominator),
        )

    def vanishing(self, divisors: Iterable[Number]) -> Number | None:
        """A divisor that is 0 for some value, or of which that is not known; None if there is none."""
        for divisor in dict.fromkeys(divisors):
            if isinstance(divisor, Fraction):
                continue
            for _, factor in self._factors(divisor):
                if self._may_vanish(factor):
                    return divisor
        return None

    def _factors(self, number: Number) -> Iterator[tuple[Number, ExponentialPolynomial]]:
        assert not isinstance(number, Fraction)
        for factor, power in number.factors()[1]:
            if power > 0:
                yield factor, self._polynomial(factor.numerator)

    def _may_vanish(self, factor: ExponentialPolynomial) -> bool:
        """Irreducible factors have simple roots away from 0, so those of one sign have none inside."""
        if len(factor.terms) == 1 and all(power == 0 for power, _ in factor.terms):
            return False
        signs = {value > 0 for value in factor.terms.values()}
        if len(signs) == 1:
            return False
        if not any(isinstance(self.decide(each), NonNegative) for each in (factor, -factor)):
            return True
        ends = (end for end, is_open in self._ends() if not is_open)
        return any(sign_at(factor, end) == 0 for end in ends)

    def _ends(self) -> Iterator[tuple[Fraction, bool]]:
        yield self.interval.low, self.interval.low_open
        if self.interval.high is not None:
            yield self.interval.high, self.interval.high_open

    def value(self, point: Fraction) -> Fraction:
        """The value of x at a value of t."""
        return point * self.space.unit


_ONE = ExponentialPolynomial({(0, 0): 1})
_WIDEST = 10_000


def _is_wide(function: ExponentialPolynomial) -> bool:
    """Whether it would be long if all its coefficients were written out."""
    low, high = function.rates
    return high - low > _WIDEST


def _in_exponential(function: ExponentialPolynomial) -> tuple[Any, int]:
    """A function of e^t alone, without its denominator, as a polynomial times a power of e^t."""
    from flint import fmpz_poly

    low, high = function.rates
    return fmpz_poly([function.terms.get((0, rate), 0) for rate in range(low, high + 1)]), low


def _from_exponential(polynomial: Any) -> ExponentialPolynomial:
    return ExponentialPolynomial({(0, rate): int(value) for rate, value in enumerate(polynomial.coeffs())})
