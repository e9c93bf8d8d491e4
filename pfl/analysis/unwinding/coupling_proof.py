"""An unwinding family as a proof that two runs look alike: vectors e_x - E(x, y) e_y that cover each other.

Source: docs/theory/unwinding.md, and docs/theory/ratio-engine.md for what such vectors prove.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pfl.analysis.ratio.certificate import ClosureText
from pfl.analysis.unwinding.candidates import letters, reached
from pfl.analysis.unwinding.iterate import UnwindingFamily, lifted_letters
from pfl.analysis.unwinding.lifting import Lifted, Pair
from pfl.base.struct import struct
from pfl.model.labelled_system import SparseRow
from pfl.model.two_runs import TwoRuns


@struct
class Covered:
    """How a family relates the runs, `left` and `right`, right after an extra point that comes to them in `state`."""

    state: int
    extra: int
    left: SparseRow
    right: SparseRow
    lifted: Lifted


def covering(runs: TwoRuns, family: UnwindingFamily, *, is_reversed: bool) -> list[Covered] | None:
    """The runs after every extra point in every state that can be reached; None where some cannot be related."""
    found: list[Covered] = []
    for state in reached(runs.system):
        for extra in range(len(runs.extras)):
            left, right = runs.sides(extra, state)
            sides = (right, left) if is_reversed else (left, right)
            lifted = family.lifting.lift(*sides, family.bound)
            if lifted is None:
                return None
            found.append(Covered(state=state, extra=extra, left=sides[0], right=sides[1], lifted=lifted))
    return found


@struct(eq=False)
class CouplingProof:
    """A family, and the covering that needs `bound` of it; `is_attained` if some word is known to have that ratio."""

    bound: Fraction
    runs: TwoRuns
    is_reversed: bool
    family: UnwindingFamily
    covered: tuple[Covered, ...]
    facts: tuple[tuple[str, str], ...]
    is_attained: bool = False

    @property
    def is_exhaustive(self) -> bool:
        """Whether the bound is the largest ratio."""
        return self.is_attained

    def certificate(self) -> dict[str, Any]:
        """A closure certificate: one vector a state that can be reached, then one a pair with a finite bound."""
        return _Writing(self).certificate()


class _Writing:
    """How every vector is covered after every letter."""

    def __init__(self, proof: CouplingProof) -> None:
        self._proof = proof
        self._runs = proof.runs
        self._system = proof.runs.system
        self._states = list(dict.fromkeys((*reached(self._system), self._system.bottom)))
        bounds = proof.family.bounds
        self._place = {state: number for number, state in enumerate(self._states)}
        self._pairs = {pair: len(self._states) + number for number, pair in enumerate(bounds)}
        before = [self._before(((state, Fraction(1)),)) for state in self._states]
        after = [self._after(((x, Fraction(1)),), ((y, Fraction(1)),), bounds[x, y]) for x, y in bounds]
        self._text = ClosureText([*before, *after])

    def certificate(self) -> dict[str, Any]:
        system, proof = self._system, self._proof
        start = tuple((state, weight) for state, weight in enumerate(system.start) if weight)
        steps = [self._steps_before(state) for state in self._states]
        steps += [self._steps_after(pair) for pair in proof.family.bounds]
        return self._text.certificate(proof.bound, self._moved(start), steps)

    def _steps_before(self, state: int) -> list[dict[str, Any]]:
        """How the vector of a state before the extra point is covered after every letter."""
        system, data = self._system, len(self._system.data)
        moved = [self._moved(matrix[state]) for matrix in letters(system)]
        extras = [self._extra(covered) for covered in self._proof.covered if covered.state == state]
        if not extras:  # bottom, if no run comes there
            extras = [{} for _ in self._runs.extras]
        takes = self._moved(((system.bottom, Fraction(1)),)) if system.waits(state) else {}
        return [*moved[:data], *extras, *moved[data:], *[takes] * len(system.asked)]

    def _steps_after(self, pair: Pair) -> list[dict[str, Any]]:
        """How the vector of a pair is covered after every letter."""
        (x, y), system, family = pair, self._system, self._proof.family
        bound = family.bounds[pair]
        related = [
            self._related(lifted, self._after(matrix[x], matrix[y], bound))
            for matrix, lifted in zip(letters(system), lifted_letters(system, pair, family))
        ]
        data = len(system.data)
        return [*related[:data], *[{}] * len(self._runs.extras), *related[data:], *[{}] * len(system.asked)]

    def _extra(self, covered: Covered) -> dict[str, Any]:
        return self._related(covered.lifted, self._after(covered.left, covered.right, self._proof.bound))

    def _moved(self, row: SparseRow) -> dict[str, Any]:
        return self._text.covered([(self._place[state], _exact(weight)) for state, weight in row], self._before(row))

    def _related(self, lifted: Lifted | None, vector: Mapping[int, Fraction]) -> dict[str, Any]:
        assert lifted is not None, "bounds that are finite pay for every letter"
        terms = [(self._pairs[pair], weight) for pair, weight in lifted.weights.items() if pair[0] != pair[1]]
        return self._text.covered(terms, vector)

    def _before(self, row: SparseRow) -> dict[int, Fraction]:
        """The left run in those states less `bound` times the right one in the same."""
        left, right = (not self._proof.is_reversed, self._proof.is_reversed)
        entries = {self._runs.before(state, left=left): _exact(weight) for state, weight in row}
        entries.update((self._runs.before(s, left=right), -self._proof.bound * _exact(weight)) for s, weight in row)
        return entries

    def _after(self, left: SparseRow, right: SparseRow, bound: Fraction) -> dict[int, Fraction]:
        """After the extra point: one distribution less `bound` times another."""
        entries = {self._runs.after(state): _exact(weight) for state, weight in left}
        for state, weight in right:
            place = self._runs.after(state)
            entries[place] = entries.get(place, Fraction(0)) - bound * _exact(weight)
        return {place: entry for place, entry in entries.items() if entry}


def _exact(number: object) -> Fraction:
    assert isinstance(number, Fraction), "the numbers are constants"
    return number
