"""Where the balance of an unwinding is largest, in words: the two states after the extra point and the path to them."""

from __future__ import annotations

from pfl.analysis.ratio.integer_system import Word
from pfl.ir.interactive import TwoRuns
from pfl.ir.labelled_system import SparseRow


def path_facts(runs: TwoRuns, word: Word) -> tuple[tuple[str, str], ...]:
    """Of a word with an extra point: the pair of states behind it, and the inputs and responses that lead there."""
    names = runs.letters
    first = len(runs.system.data)
    place = next(n for n, letter in enumerate(word) if first <= letter < first + len(runs.extras))
    state = start_state(runs)
    for letter in word[:place]:
        state = _only(_row(runs, letter, state))
    left, right = (_only(row) for row in runs.sides(word[place] - first, state))
    states = runs.system.states
    return (
        ("worst pair", f"{states[left]}  and  {states[right]}"),
        ("path", ", ".join(names[letter] for letter in word[: place + 1])),
    )


def start_state(runs: TwoRuns) -> int:
    return next(state for state, weight in enumerate(runs.system.start) if weight)


def _row(runs: TwoRuns, letter: int, state: int) -> SparseRow:
    """What a letter before the extra point does to a state."""
    system = runs.system
    if letter < len(system.data):
        return system.data_moves[letter][state]
    matrices = [matrix for answers in system.answers for _, matrix in answers]
    return matrices[letter - len(system.data) - len(runs.extras)][state]


def _only(row: SparseRow) -> int:
    ((target, _),) = row
    return target
