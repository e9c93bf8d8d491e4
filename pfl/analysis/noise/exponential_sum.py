"""Sums of q * eps^i * e^(-d eps), the probabilities of events about real samples. Source: docs/theory/noise.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm
from types import MappingProxyType
from typing import TypeAlias

from pfl.base.number import Number, summed
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.model.enclosed.formulas import IntegralSum

Exponents: TypeAlias = tuple[int, Fraction]
"""(i, d) of eps^i * e^(-d eps)."""


class ExponentialSum:
    """A sum of q * eps^i * e^(-d eps) as a map from (i, d) to q, no q being 0: i >= 0 whole, d rational.

    For probabilities d >= 0. These functions of eps are linearly independent, so equal sums are equal maps, and a sum
    is the function 0 exactly if it is empty. q is a `Fraction`, or a function of parameters other than eps.
    """

    __slots__ = ("_hash", "_terms")

    def __init__(self, terms: Mapping[Exponents, Number] | Iterable[tuple[Exponents, Number]] = ()) -> None:
        pairs = terms.items() if isinstance(terms, Mapping) else terms
        self._terms = {exponents: q for exponents, q in summed(pairs).items() if q}
        self._hash: int | None = None

    @staticmethod
    def of(weight: Weight | int) -> ExponentialSum:
        """The sum itself, or a number as a sum; raises ValueError for a weight of Gaussian noise."""
        if isinstance(weight, ExponentialSum):
            return weight
        if isinstance(weight, IntegralSum):
            raise ValueError("weights of Gaussian noise do not meet those of other noise")
        return ExponentialSum({_ONE: Fraction(weight) if isinstance(weight, int) else weight})

    @property
    def terms(self) -> Mapping[Exponents, Number]:
        """The map from (i, d) to q; not to be changed."""
        return MappingProxyType(self._terms)

    @property
    def unit_denominator(self) -> int:
        """The least common denominator of all d: with it e^(-d eps) is a whole power of e^(-eps/denominator)."""
        return lcm(*(d.denominator for _, d in self._terms))

    def to_number(self, eps: Number, z: Number, unit: int) -> Number:
        """The sum with z in place of e^(-eps/unit); raises ValueError where d * unit is not whole for some d."""
        whole: dict[tuple[int, int], Number] = {}
        for (i, d), q in self._terms.items():
            power = d * unit
            if power.denominator != 1:
                raise ValueError(f"e^(-{d} eps) is no whole power of e^(-eps/{unit})")
            whole[i, power.numerator] = q
        lowest = min((power for _, power in whole), default=0)
        below = min(lowest, 0)
        constant = {key: q for key, q in whole.items() if isinstance(q, Fraction)}
        total = _polynomial({(i, power - below): q for (i, power), q in constant.items()}, eps, z)
        for (i, power), q in whole.items():
            if isinstance(q, RationalFunction):
                total = total + q * eps**i * z ** (power - below)
        return total if not below else total * z**below

    def __add__(self, other: Weight | int) -> ExponentialSum:
        return ExponentialSum([*self._terms.items(), *ExponentialSum.of(other)._terms.items()])

    def __neg__(self) -> ExponentialSum:
        return ExponentialSum({exponents: -q for exponents, q in self._terms.items()})

    def __sub__(self, other: Weight | int) -> ExponentialSum:
        return self + -ExponentialSum.of(other)

    def __rsub__(self, other: Number | int) -> ExponentialSum:
        return -self + other

    def __mul__(self, other: Weight | int) -> ExponentialSum:
        factors = ExponentialSum.of(other)._terms.items()
        return ExponentialSum(((i + j, d + e), p * q) for (i, d), p in self._terms.items() for (j, e), q in factors)

    __radd__ = __add__
    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return bool(self._terms)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | Fraction | RationalFunction):
            other = ExponentialSum.of(other)
        return self._terms == other._terms if isinstance(other, ExponentialSum) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._terms.items()))
        return self._hash

    def __reduce__(self) -> tuple[type[ExponentialSum], tuple[object, ...]]:
        return ExponentialSum, (self._terms,)  # without the hash, which differs from process to process

    def __str__(self) -> str:
        """In the order of d, then of i: `1/2*e^(-2*eps) + 1/2*eps*e^(-2*eps)`."""
        ordered = sorted(self._terms.items(), key=lambda term: (term[0][1], term[0][0]))
        return " + ".join(_term_text(i, d, q) for (i, d), q in ordered) or "0"

    def __repr__(self) -> str:
        return f"ExponentialSum({self})"


Weight: TypeAlias = Number | ExponentialSum | IntegralSum
"""What a term of a joint function is multiplied by: a number, or a sum once a real or a Gaussian sample was integrated
out. Sums of integrals do not meet other sums, nor functions of parameters."""

_ONE: Exponents = (0, Fraction(0))


def weight_product(left: Weight, right: Weight) -> Weight:
    """left * right; rational functions do not multiply sums from the left. Raises ValueError for weights that do not
    meet."""
    if isinstance(left, IntegralSum) or isinstance(right, IntegralSum):
        return integral_sum(left) * integral_sum(right)
    if isinstance(right, ExponentialSum):
        return right * left
    return left * right


def weight_sum(left: Weight, right: Weight) -> Weight:
    """left + right; raises ValueError for weights that do not meet."""
    if isinstance(left, IntegralSum) or isinstance(right, IntegralSum):
        return integral_sum(left) + integral_sum(right)
    if isinstance(right, ExponentialSum):
        return right + left
    return left + right


def integral_sum(weight: Weight) -> IntegralSum:
    """A weight beside Gaussian samples; raises ValueError for one of other noise, or that depends on parameters."""
    if isinstance(weight, Fraction | IntegralSum):
        return IntegralSum.of(weight)
    raise ValueError(f"{weight} is no weight of Gaussian noise")


def _polynomial(terms: Mapping[tuple[int, int], Fraction], eps: Number, z: Number) -> Number:
    """The sum of q * eps^i * z^k, by one substitution."""
    monomials = (
        (tuple((name, power) for name, power in (("e", i), ("z", k)) if power), q) for (i, k), q in terms.items()
    )
    number = Polynomial(tuple(monomials)).to_number()
    return number.evaluate({"e": eps, "z": z}) if isinstance(number, RationalFunction) else number


def _term_text(i: int, d: Fraction, q: Number) -> str:
    factors = [f"({q})" if isinstance(q, RationalFunction) else str(q)]
    if i:
        factors.append("eps" if i == 1 else f"eps^{i}")
    if d:
        factors.append(f"e^({-d}*eps)")
    return "*".join(factors)
