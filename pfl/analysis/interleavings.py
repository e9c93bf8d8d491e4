"""What an examiner sees who does not know where among the data points a response came: interleavings summed up.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from pfl.analysis.ratio.integer_system import Word
from pfl.analysis.ratio.obligation import Witness
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Vector

_Sparse: TypeAlias = dict[int, Number]
_Reached: TypeAlias = dict[int, _Sparse]
"""The vectors after so many inputs, all with the same part seen."""


def seen_mass(system: LabelledSystem, start: Vector, word: Sequence[int]) -> Number:
    """The mass of all words with the inputs of `word`, in their order, and with what is seen of it, in its order.

    Each of them is another place of the responses among the inputs, and no two are beginnings of one run.
    """
    exchanges = system.exchanges
    assert exchanges is not None, "letters are inputs or responses"
    inputs = [letter for letter in word if exchanges[letter].given is not None]
    reached: _Reached = {0: {state: weight for state, weight in enumerate(start) if weight}}
    for letter in word:
        if exchanges[letter].seen is not None:
            reached = _after(system, inputs, reached, letter)
    return _mass(reached)


def _after(system: LabelledSystem, inputs: Sequence[int], reached: _Reached, letter: int) -> _Reached:
    """What is reached once a letter was seen, after any number of inputs that are not."""
    exchanges = system.exchanges or ()
    is_response = exchanges[letter].given is None
    current, after = dict(reached), _Reached()
    for taken in range(len(inputs) + 1):
        vector = current.get(taken)
        if not vector:
            continue
        given = inputs[taken] if taken < len(inputs) else None
        if is_response or given == letter:
            _add(after, taken if is_response else taken + 1, _step(system, vector, letter))
        if given is not None and exchanges[given].seen is None:
            _add(current, taken + 1, _step(system, vector, given))
    return after


def _step(system: LabelledSystem, vector: _Sparse, letter: int) -> _Sparse:
    result: _Sparse = {}
    for state, weight in vector.items():
        for column, entry in system.matrices[letter][state]:
            result[column] = (result[column] if column in result else Fraction(0)) + weight * entry
    return result


def _add(reached: _Reached, taken: int, vector: _Sparse) -> None:
    known = dict(reached.get(taken, {}))
    for state, weight in vector.items():
        known[state] = known[state] + weight if state in known else weight
    reached[taken] = known


def _mass(reached: _Reached) -> Number:
    return sum((weight for vector in reached.values() for weight in vector.values()), Fraction(0))


@struct
class SeenSearch:
    """The best of what can be seen under the inputs that were gone through; `is_complete` if those are all, and all
    that can be seen under them."""

    best: Witness
    is_complete: bool


MOST_STEPS = 5_000
"""Sequences that are looked at: of inputs, with what is seen under them."""


def best_seen(
    system: LabelledSystem, left: Vector, right: Vector, extras: Sequence[int], most: int, budget: Budget
) -> SeenSearch:
    """The largest ratio of what is seen with at most so many inputs, one of them one of the extra letters, short ones
    first, as far as `MOST_STEPS` go. The numbers must be constants. Raises LimitReached."""
    exchanges = system.exchanges or ()
    # `y?` says no more of a query than the query, which is a letter of its own.
    responses = [letter for letter, each in enumerate(exchanges) if each.given is None]
    queries = [letter for letter, each in enumerate(exchanges) if each.given is not None and each.seen == each.given]
    data = [letter for letter, each in enumerate(exchanges) if each.seen is None and letter not in extras]
    best = Witness(word=(), ratio=Fraction(1))
    largest, left_over = Fraction(1), MOST_STEPS
    starts = tuple({state: weight for state, weight in enumerate(vector) if weight} for vector in (left, right))
    for inputs in _sequences([*data, *queries], extras, most):
        budget.check(f"runs of {len(inputs)} inputs")
        pending: list[tuple[Word, _Reached, _Reached]] = [((), {0: starts[0]}, {0: starts[1]})]
        for seen, one, other in pending:
            for letter in (*responses, *(query for query in queries if query in inputs)):
                left_over -= 1
                if left_over < 0:
                    return SeenSearch(best=best, is_complete=False)
                after = _after(system, inputs, one, letter)
                mass = _mass(after)
                if not mass:
                    continue
                right_after = _after(system, inputs, other, letter)
                base = _mass(right_after)
                word = (*seen, letter)
                ratio = mass / base if base else None
                assert not isinstance(ratio, RationalFunction), "the numbers are constants"
                if ratio is None or ratio > largest:
                    best = Witness(word=_as_word(system, starts[0], inputs, word), ratio=ratio)
                if ratio is None:
                    return SeenSearch(best=best, is_complete=True)
                largest = max(largest, ratio)
                pending.append((word, after, right_after))
    return SeenSearch(best=best, is_complete=True)


def _sequences(others: Sequence[int], extras: Sequence[int], most: int) -> Iterator[Word]:
    """Every sequence of inputs with one extra letter, short ones first."""
    for length in range(most):
        for rest in product(others, repeat=length):
            for place in range(length + 1):
                for extra in extras:
                    yield (*rest[:place], extra, *rest[place:])


def _as_word(system: LabelledSystem, start: _Sparse, inputs: Word, seen: Word) -> Word:
    """A word with these inputs of which that is seen, and which is possible from the start."""
    exchanges = system.exchanges or ()

    def rest(vector: _Sparse, taken: int, place: int) -> Word | None:
        if not vector:
            return None
        if place == len(seen):
            return inputs[taken:]
        letter = seen[place]
        is_response = exchanges[letter].given is None
        before: Word = ()
        while True:
            if is_response or inputs[taken : taken + 1] == (letter,):
                behind = rest(_step(system, vector, letter), taken + (not is_response), place + 1)
                if behind is not None:
                    return (*before, letter, *behind)
            if taken == len(inputs) or exchanges[inputs[taken]].seen is not None:
                return None
            vector = _step(system, vector, inputs[taken])
            before, taken = (*before, inputs[taken]), taken + 1
            if not vector:
                return None

    found = rest(start, 0, 0)
    assert found is not None, "what is seen is possible"
    return found
