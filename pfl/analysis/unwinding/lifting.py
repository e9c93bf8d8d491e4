"""Lifting bounds on pairs of states to pairs of distributions: by bijections, as in the paper, and by couplings.

Both give weights omega >= 0 with sum_y omega(x, y) = nu1(x), and the least t found with
sum_x E(x, y) omega(x, y) <= t nu2(y): then no word has more than t times the mass from nu1 that it has from nu2.
Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Protocol, TypeAlias

from pfl.analysis.unwinding.matching import matching
from pfl.base.struct import struct
from pfl.model.labelled_system import SparseRow

Pair: TypeAlias = tuple[int, int]
Bounds: TypeAlias = Callable[[int, int], Fraction | None]
"""E(x, y); None where it is infinite."""

_LARGEST_DENOMINATOR = 10**9


@struct
class Lifted:
    """`factor` is t, `weights` is omega."""

    factor: Fraction
    weights: Mapping[Pair, Fraction]


class Lifting(Protocol):
    """A way of relating two distributions; `is_symmetric` if it bounds both orders of a pair at once."""

    name: str
    is_symmetric: bool

    def lift(self, left: SparseRow, right: SparseRow, bounds: Bounds) -> Lifted | None:
        """The least factor found; None where there is none."""


class Bijections:
    """A bijection of the supports, such that the worst matched pair pays least.

    A matched pair pays the larger of both ratios of its probabilities, times its bound. In the paper one delta pays
    for all pairs; paying per pair is sound, and never worse.
    """

    name = "bijections"
    is_symmetric = True

    def lift(self, left: SparseRow, right: SparseRow, bounds: Bounds) -> Lifted | None:
        if len(left) != len(right):
            return None
        costs: dict[Pair, Fraction] = {}
        for x, p in left:
            for y, q in right:
                bound = bounds(x, y)
                if bound is not None:
                    ratio = _exact(p) / _exact(q)
                    costs[x, y] = max(ratio, 1 / ratio) * bound
        for factor in sorted(set(costs.values())):
            choices = {x: [y for y, _ in right if (x, y) in costs and costs[x, y] <= factor] for x, _ in left}
            matched = matching(choices)
            if matched is not None:
                masses = dict(left)
                return Lifted(factor=factor, weights={(x, y): _exact(masses[x]) for x, y in matched.items()})
        return Lifted(factor=Fraction(1), weights={}) if not left else None


class Couplings:
    """One-sided couplings: the mass of each left state may be split over several right ones."""

    name = "couplings"
    is_symmetric = False

    def lift(self, left: SparseRow, right: SparseRow, bounds: Bounds) -> Lifted | None:
        usable = {(x, y): bound for x, _ in left for y, _ in right if (bound := bounds(x, y)) is not None}
        if any(not any((x, y) in usable for y, _ in right) for x, _ in left):
            return None
        if all(sum((x, y) in usable for y, _ in right) == 1 for x, _ in left):
            shares = dict.fromkeys(usable, Fraction(1))
        else:
            shares = _solved(left, right, usable)
        masses, others = dict(left), dict(right)
        weights = {(x, y): share * _exact(masses[x]) for (x, y), share in shares.items() if share}
        loads: dict[int, Fraction] = {}
        for (x, y), weight in weights.items():
            loads[y] = loads.get(y, Fraction(0)) + weight * usable[x, y]
        factor = max((load / _exact(others[y]) for y, load in loads.items()), default=Fraction(1))
        return Lifted(factor=factor, weights=weights)


def _exact(number: object) -> Fraction:
    assert isinstance(number, Fraction), "the numbers are constants"
    return number


def _solved(left: SparseRow, right: SparseRow, usable: Mapping[Pair, Fraction]) -> dict[Pair, Fraction]:
    """How the mass of each left state is split, by a linear program in floats: exact sums, nearly the least factor."""
    import numpy as np

    from pfl.analysis.linear_program import LinearProgram

    pairs = list(usable)
    masses, others = dict(left), dict(right)
    width = len(pairs) + 1
    program = LinearProgram()
    program.add_variables(np.zeros((0, width)))
    sums = np.array([[*(float(x == source) for x, _ in pairs), 0.0] for source, _ in left])
    program.add_rows(sums, 1.0, 1.0)
    loads = np.array(
        [
            [
                *(float(usable[x, y] * _exact(masses[x])) if y == target else 0.0 for x, y in pairs),
                -float(_exact(others[target])),
            ]
            for target, _ in right
        ]
    )
    program.add_rows(loads, -np.inf, 0.0)
    program.set_costs(np.array([*[0.0] * len(pairs), -1.0]))
    solution = program.solve()
    found = [1.0] * len(pairs) if solution is None else solution.variables
    shares = {
        pair: max(Fraction(0), Fraction(float(value)).limit_denominator(_LARGEST_DENOMINATOR))
        for pair, value in zip(pairs, found)
    }
    totals = {source: sum((s for (x, _), s in shares.items() if x == source), Fraction(0)) for source, _ in left}
    return {pair: share / totals[pair[0]] for pair, share in shares.items()}
