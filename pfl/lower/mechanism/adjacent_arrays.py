"""The pairs of arrays that an adjacency relates which looks at them element by element, without trying all pairs.

Source: docs/theory/sequential-inputs.md: an adjacency that is made of folds depends on what these remember alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any

from pfl.analysis.paired_arrays import accepted_pairs, placed_pairs
from pfl.base.budget import Budget
from pfl.base.pair_array import PairArray
from pfl.evaluation.compiler import Compiler
from pfl.lower.mechanism.adjacency_folds import Fold, folds_of
from pfl.model.program import EvaluationFault
from pfl.model.values import Value
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, Parameter
from pfl.typecheck.bindings import CheckedProgram

MOST_STATES = 10_000
"""What folds may remember in different ways; an adjacency of which there are more is tried on all pairs."""


def adjacent_arrays(
    program: CheckedProgram,
    bound: Compiler,
    declaration: AdjacencyDecl,
    parameters: Sequence[Parameter],
    inputs: Sequence[tuple[Value, ...]],
    related: Callable[[tuple[Value, ...], tuple[Value, ...]], bool],
    budget: Budget,
) -> PairArray | None:
    """The positions of different inputs that are related, ascending; None where inputs are not all arrays of one
    length, or the adjacency looks at them otherwise than element by element."""
    arrays = [values[0] for values in inputs if len(values) == 1 and isinstance(values[0], tuple)]
    if len(arrays) != len(inputs) or len(parameters) != 2 or len({len(array) for array in arrays}) != 1:
        return None
    length = len(arrays[0])
    alphabets = [list(dict.fromkeys(array[index] for array in arrays)) for index in range(length)]
    sizes = [len(alphabet) for alphabet in alphabets]
    if length < 2 or prod(sizes) != len(arrays):
        return None
    locals_ = [program.local(parameter.name) for parameter in parameters]
    folds = folds_of(program, bound, declaration, parameters, locals_, locals_, length)
    if folds is None:
        return None
    try:
        found = _Automaton(folds, alphabets, budget).explored()
        if found is None:
            return None
        levels, examples, start = found
        accepting = [state for state, (left, right) in examples.items() if related((left,), (right,))]
    except EvaluationFault:  # on some pair, which is found, or found not to be asked for, by trying all
        return None
    numbers = [{element: number for number, element in enumerate(alphabet)} for alphabet in alphabets]
    places = [0] * len(arrays)
    for position, array in enumerate(arrays):
        number = 0
        for element, known, size in zip(array, numbers, sizes):
            number = number * size + known[element]
        places[number] = position
    return placed_pairs(accepted_pairs(levels, sizes, start, accepting, budget), places)


class _Automaton:
    """Goes through pairs of elements; its states are what the folds remember."""

    def __init__(self, folds: Sequence[Fold], alphabets: Sequence[Sequence[Value]], budget: Budget) -> None:
        self._folds, self._alphabets, self._budget = folds, alphabets, budget

    def explored(self) -> tuple[list[Any], dict[Hashable, tuple[Any, Any]], Hashable] | None:
        """The moves at each index, a pair of arrays that leads to each last state, and the first state; None for too
        many states."""
        start: Hashable = tuple(fold.first for fold in self._folds)
        reached: dict[Hashable, tuple[tuple[Value, ...], tuple[Value, ...]]] = {start: ((), ())}
        levels: list[Any] = []
        for index, alphabet in enumerate(self._alphabets):
            moves: dict[Hashable, list[tuple[int, int, Hashable]]] = {}
            following: dict[Hashable, tuple[tuple[Value, ...], tuple[Value, ...]]] = {}
            for state, (left, right) in reached.items():
                self._budget.check("some of what an adjacency remembers of arrays was worked out")
                onward = moves[state] = []
                for number, one in enumerate(alphabet):
                    for other_number, other in enumerate(alphabet):
                        after = self._after(state, index, one, other)
                        onward.append((number, other_number, after))
                        following.setdefault(after, ((*left, one), (*right, other)))
            if len(following) > MOST_STATES:
                return None
            levels.append(moves)
            reached = following
        return levels, reached, start

    def _after(self, state: Any, index: int, one: Value, other: Value) -> Hashable:
        length = len(self._alphabets)
        whole = tuple(tuple(element if place == index else None for place in range(length)) for element in (one, other))
        return tuple(
            fold.step(memory, index, whole) if index in fold.indices else memory
            for fold, memory in zip(self._folds, state)
        )
