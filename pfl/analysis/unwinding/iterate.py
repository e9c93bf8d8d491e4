"""Unwinding families of interactive systems whose moves are random: iterated from 1 until every bound pays.

Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from pfl.analysis.unwinding.candidates import candidate_pairs, letters
from pfl.analysis.unwinding.lifting import Lifted, Lifting, Pair
from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.two_runs import TwoRuns

_LARGEST = Fraction(2) ** 64
"""A bound beyond which a pair is given up: it then counts as infinite, which is sound."""
_GRID = 2**16
"""Bounds with larger denominators are rounded up to a multiple of 1/_GRID, so that they cannot grow for ever by less
and less."""
_MOST_ROUNDS = 500


@struct(eq=False)
class UnwindingFamily:
    """`bounds[x, y]` is E(x, y), finite; pairs that are not there are infinite. `rounds` were needed.

    Every bound pays: for each letter the lifted bounds of the states behind are at most E(x, y).
    """

    lifting: Lifting
    bounds: Mapping[Pair, Fraction]
    rounds: int

    def bound(self, x: int, y: int) -> Fraction | None:
        """E(x, y); 1 for equal states, None for infinity."""
        return Fraction(1) if x == y else self.bounds.get((x, y))


def unwinding_family(runs: TwoRuns, lifting: Lifting, *, is_reversed: bool, budget: Budget) -> UnwindingFamily | None:
    """The family that iteration from E = 1 settles in; None where it does not settle. Raises LimitReached."""
    system = runs.system
    found = candidate_pairs(runs)
    swapped = {(y, x) for x, y in found}
    pairs = found | swapped if lifting.is_symmetric else found if is_reversed else swapped
    bounds: dict[Pair, Fraction] = dict.fromkeys(sorted(pairs), Fraction(1))
    for done in range(_MOST_ROUNDS):
        family = UnwindingFamily(lifting=lifting, bounds=bounds, rounds=done)
        raised: dict[Pair, Fraction | None] = {}
        for number, pair in enumerate(bounds):
            if number % 64 == 0:
                budget.check(f"{done} rounds over {len(bounds):,} pairs of states")
            needed = _needed(system, pair, family)
            if needed is None or needed > bounds[pair]:
                raised[pair] = needed
        if not raised:
            return family
        bounds = {pair: _rounded(value) for pair, old in bounds.items() if (value := raised.get(pair, old)) is not None}
        bounds = {pair: value for pair, value in bounds.items() if value <= _LARGEST}
    return None


def lifted_letters(system: InteractiveSystem, pair: Pair, family: UnwindingFamily) -> Iterator[Lifted | None]:
    """For each data point, then each response to each query, how the states behind are related; None where not."""
    x, y = pair
    for matrix in letters(system):
        yield family.lifting.lift(matrix[x], matrix[y], family.bound)


def _needed(system: InteractiveSystem, pair: Pair, family: UnwindingFamily) -> Fraction | None:
    """The least bound of a pair that pays for every letter, 1 at least."""
    x, y = pair
    if system.asked and system.waits(x) != system.waits(y) and (system.waits(x) or family.lifting.is_symmetric):
        return None  # one run accepts a query that the other does not take
    largest = Fraction(1)
    for lifted in lifted_letters(system, pair, family):
        if lifted is None:
            return None
        largest = max(largest, lifted.factor)
    return largest


def _rounded(value: Fraction) -> Fraction:
    return value if value.denominator <= _GRID else Fraction(-(-value.numerator * _GRID // value.denominator), _GRID)
