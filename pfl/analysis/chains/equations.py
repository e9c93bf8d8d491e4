"""Linear equations x = Q x + b on one strongly connected part of a chain, exactly. Source: docs/theory/absorbing.md.

The field in which one exact computation works: rationals of flint's or of Python's, or numbers in the parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.model.markov_chain import MarkovChain

Exact: TypeAlias = Any
"""A number of a field: flint's fmpq where there is much to compute with constants, else a `Number`."""

_FEW_TRANSITIONS = 5_000
_FEW_STATES = 40
"""Below so many transitions, and states in one component, loading flint costs more than it saves."""


class ExactField:
    """Numbers on their way into a computation and out of it; `divisors` are those that something was divided by."""

    __slots__ = ("divisors", "one", "uses_flint", "zero")

    def __init__(self, numbers: Iterable[Number], *, uses_flint: bool = True) -> None:
        """A field that holds the numbers; flint's rationals if they are constants, unless that is not wanted."""
        self.uses_flint = uses_flint and all(isinstance(number, Fraction) for number in numbers)
        self.zero: Exact = self.number(Fraction(0))
        self.one: Exact = self.number(Fraction(1))
        self.divisors = Divisors()

    def number(self, number: Number) -> Exact:
        """The number as an element of the field."""
        if not self.uses_flint:
            return number
        import flint

        assert isinstance(number, Fraction)
        return flint.fmpq(number.numerator, number.denominator)

    def result(self, element: Exact) -> Number:
        """The element as a number."""
        return Fraction(int(element.p), int(element.q)) if self.uses_flint else element

    def note(self, divisor: Exact) -> None:
        """Remember what is divided by, or what must not be 0 for another reason."""
        if not self.uses_flint:
            self.divisors.note((divisor,))

    def divisor(self, number: Exact) -> Exact:
        """The number, remembered as one that is divided by. Raises LimitReached where it is 0 for all values of the
        parameters: that cannot be where weights are probabilities on an interval of them."""
        self.note(number)
        if not number:
            raise LimitReached(
                "weights are probabilities at single values of the parameters alone, and between them a run never "
                "moves on; fix a parameter with --set"
            )
        return number


def field_of(chain: MarkovChain, component: Sequence[int]) -> ExactField:
    """The field of a chain's weights and costs; `component` numbers the components of its states."""
    is_small = len(chain.targets) < _FEW_TRANSITIONS and max(Counter(component).values(), default=0) < _FEW_STATES
    return ExactField((*chain.weight_table, *chain.cost_table), uses_flint=not is_small)


Rows: TypeAlias = dict[int, dict[int, Exact]]
"""The non-zero entries of a matrix by row."""

_DENSE_FROM = 24
_DENSE_TO = 3_000
"""How many unknowns may be solved as a dense system."""

_SMALL = 300
"""Up to so many unknowns the dense system is the cheaper one as soon as elimination fills in."""

_FILL = 12
"""Eliminating an unknown that stands between more pairs than this fills in."""

_BETWEEN_CHECKS = 4096


class Masses:
    """A right side for several systems at once: position -> number, where it is not 0."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[int, Exact]) -> None:
        self.entries = entries

    def __iadd__(self, other: Masses) -> Masses:
        add(self.entries, other.entries)
        return self

    def __mul__(self, weight: Exact) -> Masses:
        return Masses({position: mass * weight for position, mass in self.entries.items()})

    def __truediv__(self, divisor: Exact) -> Masses:
        return Masses({position: mass / divisor for position, mass in self.entries.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Masses) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))


Right: TypeAlias = Any
"""A right side, or a solution: an `Exact` number, or `Masses`, one for each of several systems."""


def solve(rows: Rows, given: Mapping[int, Right], field: ExactField, budget: Budget) -> dict[int, Right]:
    """x with x_u = b_u + sum over t of q_ut x_t for every u of `rows`; `given` are the b_u that are not 0.

    Unknowns that are missing from the solution are 0. `rows` is used up. I - Q must be invertible, as it is for a
    component that can be left. Unknowns that touch few others are eliminated one by one. In what is left, unknowns
    whose equations look alike are made one; what then is dense is solved by Dixon lifting. Raises LimitReached when the
    time is over.
    """
    return _Elimination(rows, dict(given), field, budget).run()


class _Elimination:
    """A system under elimination: `rows` are the entries of Q between unknowns that are left, `before` its columns."""

    def __init__(self, rows: Rows, given: dict[int, Right], field: ExactField, budget: Budget) -> None:
        self._rows = rows
        self._given = given
        self._before: dict[int, set[int]] = {unknown: set() for unknown in rows}
        self._field = field
        self._budget = budget
        self._solved: list[tuple[int, dict[int, Exact]]] = []
        self._between_checks = _BETWEEN_CHECKS if field.uses_flint else 1  # functions take long, numbers do not
        for unknown, row in rows.items():
            for other in row:
                self._before[other].add(unknown)

    def run(self) -> dict[int, Right]:
        self._fold()
        result = self._eliminate()
        given = self._given
        for done, (unknown, row) in enumerate(reversed(self._solved)):
            if done % self._between_checks == 0:
                self._budget.check(f"substituting {done:,} of {len(self._solved):,} unknowns")
            total = given.get(unknown)
            for other, weight in row.items():
                value = result.get(other)
                if value is not None:
                    total = _sum(total, value * weight)
            if total is not None:
                result[unknown] = total
        return result

    def _fold(self) -> None:
        """Eliminates the unknowns with one predecessor or one successor, which makes no system larger."""
        rows, before = self._rows, self._before
        pending = list(rows)
        while pending:
            unknown = pending.pop()
            row = rows.get(unknown)
            if row is None or unknown in row or len(rows) == 1:
                continue
            sources = before[unknown]
            if len(sources) == 1:
                self._fold_into(next(iter(sources)), unknown, row)
            elif len(row) <= 1 or not sources:
                pending += sources
                self._remove(unknown)

    def _fold_into(self, source: int, unknown: int, row: dict[int, Exact]) -> None:
        """Puts x_u = b_u + sum of q_ut x_t into the one equation that mentions it."""
        self._check_time()
        del self._rows[unknown], self._before[unknown]
        entries, before = self._rows[source], self._before
        through = entries.pop(unknown)
        own = self._given.get(unknown)
        if own is not None:
            self._given[source] = _sum(self._given.get(source), own * through)
        for other, weight in row.items():
            share = weight * through
            entries[other] = entries[other] + share if other in entries else share
            touching = before[other]
            touching.discard(unknown)
            touching.add(source)
        self._solved.append((unknown, row))

    def _eliminate(self) -> dict[int, Right]:
        """Eliminates those that touch the fewest others first, until none is left, or the rest is solved at once."""
        rows, before = self._rows, self._before
        queue = [(len(before[unknown]) * len(row), unknown) for unknown, row in rows.items()]
        heapify(queue)
        is_merged = False
        while rows:
            pairs, unknown = heappop(queue)
            if unknown not in rows or pairs != len(before[unknown]) * len(rows[unknown]):
                continue  # an entry that a later one has replaced
            if pairs > _FILL:
                if not is_merged:
                    is_merged = True
                    blocks = equal_unknowns(rows, self._given, self._budget)
                    if len(set(blocks.values())) < len(rows):
                        return self._solve_merged(blocks)
                if self._is_dense(pairs):
                    self._budget.check(f"setting up a dense system of {len(rows):,} unknowns")
                    return _solve_densely(rows, self._given)
            touched = self._remove(unknown)
            for other in touched:
                heappush(queue, (len(before[other]) * len(rows[other]), other))
        return {}

    def _is_dense(self, pairs: int) -> bool:
        """Whether the rest is to be solved densely: chains, bands and grids are eliminated with less."""
        return (
            self._field.uses_flint
            and _DENSE_FROM <= len(self._rows) <= _DENSE_TO
            and (len(self._rows) <= _SMALL or 4 * pairs > len(self._rows))
        )

    def _solve_merged(self, blocks: Mapping[int, int]) -> dict[int, Right]:
        """The solution in which the unknowns of a block are one."""
        member = {block: unknown for unknown, block in blocks.items()}
        quotient = {block: _merged(self._rows[unknown], blocks) for block, unknown in member.items()}
        right = {block: self._given[unknown] for block, unknown in member.items() if unknown in self._given}
        solution = solve(quotient, right, self._field, self._budget)
        return {unknown: solution[block] for unknown, block in blocks.items() if block in solution}

    def _remove(self, unknown: int) -> set[int]:
        """Puts x_u = (b_u + sum of q_ut x_t) / (1 - q_uu) into the other equations; the unknowns that touched it."""
        self._check_time()
        row, sources = self._rows.pop(unknown), self._before.pop(unknown)
        loop = row.pop(unknown, None)
        own = self._given.get(unknown)
        if loop is not None:
            sources.discard(unknown)
            pivot = self._field.divisor(self._field.one - loop)  # where it is 0, there is no one solution
            row = {other: weight / pivot for other, weight in row.items()}
            if own is not None:
                own = self._given[unknown] = own / pivot
        for other in row:
            self._before[other].discard(unknown)
        for source in sources:
            self._check_time()
            entries = self._rows[source]
            through = entries.pop(unknown)
            if own is not None:
                self._given[source] = _sum(self._given.get(source), own * through)
            for other, weight in row.items():
                share = weight * through
                entries[other] = entries[other] + share if other in entries else share
                self._before[other].add(source)
        self._solved.append((unknown, row))
        return sources.union(row)

    def _check_time(self) -> None:
        if len(self._solved) % self._between_checks == 0:
            self._budget.check(f"eliminating {len(self._solved):,} unknowns, {len(self._rows):,} to go")


def equal_unknowns(rows: Rows, given: Mapping[int, Right], budget: Budget) -> dict[int, int]:
    """The number of a block for each unknown, so that unknowns in one block have one value in the solution.

    The coarsest partition in which those of a block have the same right sides, and the same total coefficient for each
    block: then the solution of the quotient, spread over the blocks, solves the system.
    """
    number: dict[object, int] = {}
    block = {unknown: number.setdefault(given.get(unknown), len(number)) for unknown in rows}
    count = len(number)
    while count < len(rows):
        budget.check(f"merging {len(rows):,} unknowns, {count:,} of which differ")
        number = {}
        refined = {
            unknown: number.setdefault((block[unknown], frozenset(_merged(row, block).items())), len(number))
            for unknown, row in rows.items()
        }
        if len(number) == count:
            return block
        block, count = refined, len(number)
    return block


def _merged(row: Mapping[int, Exact], block: Mapping[int, int]) -> dict[int, Exact]:
    merged: dict[int, Exact] = {}
    for other, weight in row.items():
        target = block[other]
        merged[target] = merged[target] + weight if target in merged else weight
    return merged


def _sum(total: Right | None, more: Right) -> Right:
    """The sum; the first, if it is several numbers, is changed."""
    if total is None:
        return more
    total += more
    return total


def _solve_densely(rows: Rows, given: Mapping[int, Right]) -> dict[int, Right]:
    import flint

    place = {unknown: position for position, unknown in enumerate(rows)}
    several = next((right.entries for right in given.values() if isinstance(right, Masses)), None) is not None
    columns = sorted({c for right in given.values() for c in right.entries}) if several else [0]
    matrix = flint.fmpq_mat(len(rows), len(rows))
    right = flint.fmpq_mat(len(rows), len(columns))
    for unknown, row in rows.items():
        matrix[place[unknown], place[unknown]] = 1
        for other, weight in row.items():
            matrix[place[unknown], place[other]] -= weight
        own = given.get(unknown)
        if own is not None:
            for position, column in enumerate(columns):
                right[place[unknown], position] = own.entries.get(column, 0) if several else own
    solution = matrix.solve(right)
    if not several:
        return {unknown: solution[row, 0] for unknown, row in place.items()}
    return {
        unknown: Masses({column: solution[row, position] for position, column in enumerate(columns)})
        for unknown, row in place.items()
    }


def add(total: dict[int, Exact], masses: Mapping[int, Exact]) -> None:
    """total += masses."""
    for key, mass in masses.items():
        total[key] = total[key] + mass if key in total else mass
