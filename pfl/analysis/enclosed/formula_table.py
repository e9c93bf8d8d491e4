"""Formulas of functions of one Gaussian sample in a normal form, each kept once. Source: docs/theory/gaussian.md.

Shifts are worked into means and ends; cuts stand outside products, and coefficients outside cuts; an integral is that
of the formula moved to a place of its own, so that what differs by a translation has the same integral.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pfl.model.enclosed.formulas import Combination, Cut, Density, IntegralSum, Node, One, Product, UpTo, functions_in


class FormulaTable:
    """The nodes that were made; a formula is the place of a node. Equal formulas have equal places."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._places: dict[Node, int] = {}
        self._shifted: dict[tuple[int, Fraction], int] = {}
        self._first_means: dict[int, Fraction | None] = {}
        self.zero = self._place(Combination(()))
        self.one = self._place(One())

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, each behind those that it names."""
        return tuple(self._nodes)

    def density(self, mean: Fraction, deviation: Fraction, *, is_discrete: bool) -> int:
        """The density, or the mass function, of a sample."""
        return self._place(Density(mean, deviation, is_discrete))

    def product(self, left: int, right: int) -> int:
        """left * right."""
        first, coefficient = self._single(left)
        second, other = self._single(right)
        factors: list[int] = []
        low: Fraction | None = None
        high: Fraction | None = None
        for part in (first, second):
            node = self._nodes[part]
            if isinstance(node, Cut):
                low, high = _largest(low, node.low), _smallest(high, node.high)
                part, node = node.function, self._nodes[node.function]
            if node == Combination(()):
                return self.zero
            factors += node.factors if isinstance(node, Product) else [part] if part != self.one else []
        factors.sort()
        whole = self.one if not factors else factors[0] if len(factors) == 1 else self._place(Product(tuple(factors)))
        return self.scaled(self.cut(whole, low, high), coefficient * other)

    def combined(self, summands: Iterable[tuple[int, IntegralSum]]) -> int:
        """The sum of formulas with coefficients."""
        total: dict[int, IntegralSum] = {}
        for function, coefficient in summands:
            node = self._nodes[function]
            parts = node.summands if isinstance(node, Combination) else ((function, IntegralSum.of(1)),)
            for part, factor in parts:
                total[part] = total.get(part, IntegralSum()) + coefficient * factor
        kept = tuple(sorted((part, coefficient) for part, coefficient in total.items() if coefficient))
        if len(kept) == 1 and kept[0][1] == IntegralSum.of(1):
            return kept[0][0]
        return self._place(Combination(kept))

    def scaled(self, function: int, coefficient: IntegralSum) -> int:
        """The formula times a number."""
        return self.combined([(function, coefficient)])

    def cut(self, function: int, low: Fraction | None, high: Fraction | None) -> int:
        """The formula on the closed interval from low to high, and 0 elsewhere."""
        inner, coefficient = self._single(function)
        node = self._nodes[inner]
        if isinstance(node, Cut):
            inner, low, high = node.function, _largest(low, node.low), _smallest(high, node.high)
        if low is not None and high is not None and low > high:
            return self.zero
        if (low is None and high is None) or inner == self.zero:
            return self.scaled(inner, coefficient)
        return self.scaled(self._place(Cut(inner, low, high)), coefficient)

    def shifted(self, function: int, by: Fraction) -> int:
        """f(s - by)."""
        if not by:
            return function
        known = self._shifted.get((function, by))
        if known is None:
            known = self._shifted[function, by] = self._moved(function, by)
        return known

    def up_to(self, function: int) -> int:
        """The integral, or the sum, up to s."""
        node = self._nodes[function]
        if isinstance(node, Combination):
            return self.combined([(self.up_to(part), coefficient) for part, coefficient in node.summands])
        return self._place(UpTo(function))

    def total(self, function: int) -> IntegralSum:
        """The integral, or the sum, over all values."""
        node = self._nodes[function]
        if isinstance(node, Combination):
            parts = (self.total(part) * coefficient for part, coefficient in node.summands)
            return IntegralSum.summed(term for part in parts for term in part.terms)
        mean = self._first_mean(function)
        return IntegralSum((((self.shifted(function, -mean if mean is not None else Fraction(0)),), Fraction(1)),))

    def _place(self, node: Node) -> int:
        place = self._places.get(node)
        if place is None:
            place = self._places[node] = len(self._nodes)
            self._nodes.append(node)
        return place

    def _single(self, function: int) -> tuple[int, IntegralSum]:
        """The formula as another one times a coefficient."""
        node = self._nodes[function]
        if isinstance(node, Combination) and len(node.summands) == 1:
            return node.summands[0]
        return function, IntegralSum.of(1)

    def _moved(self, function: int, by: Fraction) -> int:
        match self._nodes[function]:
            case Density(mean=mean, deviation=deviation, is_discrete=is_discrete):
                return self._place(Density(mean + by, deviation, is_discrete))
            case Cut(function=inner, low=low, high=high):
                ends = (None if end is None else end + by for end in (low, high))
                return self.cut(self.shifted(inner, by), *ends)
            case Product(factors=factors):
                return self._place(Product(tuple(sorted(self.shifted(factor, by) for factor in factors))))
            case Combination(summands=summands):
                return self.combined([(self.shifted(part, by), coefficient) for part, coefficient in summands])
            case UpTo(function=inner):
                return self.up_to(self.shifted(inner, by))
            case One():
                return function

    def _first_mean(self, function: int) -> Fraction | None:
        """The least mean of a density in it, which moves as it does; None if there is none."""
        if function not in self._first_means:
            self._first_means[function] = self._least_mean(function)
        return self._first_means[function]

    def _least_mean(self, function: int) -> Fraction | None:
        node = self._nodes[function]
        if isinstance(node, Density):
            return node.mean
        means = [mean for part in functions_in(node) if (mean := self._first_mean(part)) is not None]
        return min(means, default=None)


def _largest(left: Fraction | None, right: Fraction | None) -> Fraction | None:
    return right if left is None else left if right is None else max(left, right)


def _smallest(left: Fraction | None, right: Fraction | None) -> Fraction | None:
    return right if left is None else left if right is None else min(left, right)
