"""Systems that a claim holds beside what they were made of: both must say the same, or engines judge different models.

Nothing here is shared with the passes that make these systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pfl.base.number import Number
from pfl.model.compare import Table
from pfl.model.labelled_system import LabelledSystem, Matrix, SparseRow, Vector
from pfl.model.measure import HiddenMoves
from pfl.model.two_runs import TwoRuns, two_runs


def runs_faults(table: Table, runs: TwoRuns) -> Iterator[str]:
    """Starts that are not those of the two runs that are compared; letters and rows of a system that counts their
    inputs and is not made of them.

    Such a system is that of the runs once for each number of inputs given, in this order; a letter that gives one leads
    to the next, and after the last there is none.
    """
    if runs.extras != two_runs(runs.system, runs.adjacency, both_ways=runs.goes_both_ways).extras:
        yield "the points in which the runs differ are not those of their adjacency"
    if isinstance(table.compared, LabelledSystem):
        yield from _counting_faults(table.compared, runs)
    start, nothing = runs.system.start, (Fraction(0),) * runs.system.size
    for pair in table.pairs:
        for place, expected in zip(pair, ((*start, *nothing), (*nothing, *start))):
            vector = table.sides[place].vector
            if vector[: 2 * runs.system.size] != expected or any(vector[2 * runs.system.size :]):
                yield f"the start of `{table.sides[place].label}` is not that of the runs"


def _counting_faults(system: LabelledSystem, runs: TwoRuns) -> Iterator[str]:
    size = 3 * runs.system.size
    if system.letters != runs.letters or system.exchanges != runs.exchanges:
        yield "the letters are not those of the two runs"
        return
    copies = system.size // size
    if system.size != copies * size or not copies:
        yield f"two runs of {runs.system.size} states are said to have {system.size}"
        return
    for letter, (matrix, exchange) in enumerate(zip(_matrices(runs), runs.exchanges)):
        counts = exchange.given is not None
        for copy in range(copies):
            rows = system.matrices[letter][copy * size : (copy + 1) * size]
            is_last = counts and copy == copies - 1
            if rows != _shifted(matrix, (copy + counts) * size, is_empty=is_last):
                yield f"the rows of letter `{system.letters[letter]}` are not those of the two runs"
                break


def _matrices(runs: TwoRuns) -> Iterator[Matrix]:
    """The matrices of two runs by letter: what both are given or asked, and the extra points."""
    moves = [matrix for _, matrix in runs.system.moves]
    size, count = runs.system.size, len(runs.system.data)
    for matrix in moves[:count]:
        yield _three_times(matrix)
    for extra in range(len(runs.extras)):
        sides = [runs.sides(extra, state) for state in range(size)]
        left, right = (tuple(side[which] for side in sides) for which in (0, 1))
        yield (*_shifted(left, 2 * size), *_shifted(right, 2 * size), *((),) * size)
    for matrix in moves[count:]:
        yield _three_times(matrix)


def _three_times(matrix: Matrix) -> Matrix:
    return tuple(row for copy in range(3) for row in _shifted(matrix, copy * len(matrix)))


def _shifted(matrix: Matrix, by: int, *, is_empty: bool = False) -> Matrix:
    if is_empty:
        return ((),) * len(matrix)
    return tuple(tuple((column + by, weight) for column, weight in row) for row in matrix) if by else matrix


# --- hidden moves ------------------------------------------------------------


def hidden_faults(system: LabelledSystem, begun: SparseRow, hidden: HiddenMoves) -> Iterator[str]:
    """An hmm whose rows are none, and letters of a system that do not come about as its hidden moves say.

    With `b` the state before s shows anything and `v` the one after s has shown a letter: row v of a letter is the
    mixture of the rows of all b' that s moves to, and row b is what s shows now, and row v for what it keeps silent.
    """
    hmm, start = hidden.hmm, dict(begun)
    if not len(hidden.start) == len(hidden.before) == hmm.size or len(hidden.shown_by) != system.size:
        yield "the states of the system are not all told of"
        return
    for state, moves, emitted, silent in zip(hmm.states, hmm.transition, hmm.emission, hmm.silent):
        if _total(moves) != 1 or _total(emitted) + silent != 1:
            yield f"what `{state}` does or shows does not sum to 1"
    for name, weight, place in zip(hmm.states, hidden.start, hidden.before):
        if weight and place is None:
            yield f"the start leads to `{name}`, which the system does not have"
        elif place is not None and start.get(place, Fraction(0)) != weight:
            yield f"the start has another weight in `{name}` than the hidden moves say"
    for letter in range(len(hmm.letters)):
        yield from _letter_faults(hidden, system, letter)


def _letter_faults(hidden: HiddenMoves, system: LabelledSystem, letter: int) -> Iterator[str]:
    hmm, matrix = hidden.hmm, system.matrices[letter]
    shown = {state: place for place, state in enumerate(hidden.shown_by) if state is not None}
    for state, before in enumerate(hidden.before):
        if before is None:
            continue
        targets = [(hidden.before[target], weight) for target, weight in hmm.transition[state]]
        if any(place is None for place, _ in targets):
            yield f"`{hmm.states[state]}` moves to a state that the system does not have"
            continue
        after = _mixture((weight, matrix[place]) for place, weight in targets if place is not None)
        emitted = dict(hmm.emission[state]).get(letter, Fraction(0))
        if emitted and state not in shown:
            yield f"`{hmm.states[state]}` shows a letter after which the system has no state"
            continue
        now = [(emitted, ((shown[state], Fraction(1)),))] if emitted else []
        if dict(matrix[before]) != _mixture([*now, (hmm.silent[state], tuple(after.items()))]):
            yield f"`{hmm.states[state]}` shows `{hmm.letters[letter]}` otherwise than the hidden moves say"
        if state in shown and dict(matrix[shown[state]]) != after:
            yield f"after `{hmm.states[state]}`, `{hmm.letters[letter]}` is not what the hidden moves say"


def _mixture(parts: Iterable[tuple[Number, SparseRow]]) -> dict[int, Number]:
    total: dict[int, Number] = {}
    for share, row in parts:
        for column, weight in row:
            total[column] = total.get(column, Fraction(0)) + share * weight
    return {column: weight for column, weight in total.items() if weight}


def _total(row: Sequence[tuple[int, Number]] | Vector) -> Number:
    return sum((entry[1] if isinstance(entry, tuple) else entry for entry in row), Fraction(0))
