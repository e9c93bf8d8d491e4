"""Which elements of arrays may be given to two runs, turn by turn, so that the arrays are adjacent in the end.

Source: docs/theory/sequential-inputs.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.lower.mechanism.adjacency import AppliedAdjacency, Inputs, Related, bound_to, relation
from pfl.lower.mechanism.adjacency_folds import Fold, Whole, folds_of
from pfl.model.program import EvaluationFault
from pfl.model.values import Value
from pfl.passes.labelled import GivenPair
from pfl.programs.sequential import SequentialLoop
from pfl.syntax.tree.ast_declarations import Parameter
from pfl.typecheck.bindings import CheckedProgram, input_parameters

_MOST_STEPS = 2_000_000
"""More steps than this are not taken to find out which pairs may be given."""


@struct(eq=False)
class SequentialPairs:
    """`starts` has (left, right, memory) for each pair of the other inputs from which adjacent arrays can be given.

    `choices[memory]` are the pairs of elements that may be given next; at the end there are none. `differ` says whether
    some inputs that are adjacent differ.
    """

    starts: tuple[tuple[int, int, int], ...]
    choices: tuple[tuple[GivenPair, ...], ...]
    differ: bool

    def one_sided(self) -> tuple[int, int] | None:
        """The other inputs of a pair whose reverse is not adjacent; None if the adjacency is symmetric."""
        known = {(left, right): memory for left, right, memory in self.starts}
        for left, right, memory in self.starts:
            if (right, left) not in known or not self._mirrored(memory, known[right, left]):
                return left, right
        return None

    def _mirrored(self, first: int, second: int) -> bool:
        """Whether one memory allows what the other does with left and right exchanged."""
        pending = [(first, second)]
        seen = set(pending)
        while pending:
            one, other = pending.pop()
            exchanged = {(choice.right, choice.left): choice.memory for choice in self.choices[other]}
            if len(exchanged) != len(self.choices[one]):
                return False
            for choice in self.choices[one]:
                if (choice.left, choice.right) not in exchanged:
                    return False
                following: Any = (choice.memory, exchanged[choice.left, choice.right])
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
        return True


def sequential_pairs(
    program: CheckedProgram,
    compiler: Compiler,
    adjacency: AppliedAdjacency,
    loop: SequentialLoop,
    parameters: Sequence[Parameter],
    others: Sequence[Inputs],
    budget: Budget,
) -> SequentialPairs | None:
    """The pairs of elements that an adjacency allows in each turn of a loop.

    `parameters` are all inputs of the mechanism, `others` the values of those that the loop does not receive. None if
    the adjacency cannot be followed element by element, or only in too many steps.
    """
    declaration = adjacency.declaration
    inputs = input_parameters(program.target, declaration)
    locals_ = [program.local(parameter.name) for parameter in inputs]
    places = [position for position, parameter in enumerate(parameters) if parameter in loop.arrays]
    arrays = [locals_[place + shift] for shift in (0, len(parameters)) for place in places]
    bound = bound_to(program, compiler, adjacency)
    folds = folds_of(program, bound, declaration, inputs, locals_, arrays, len(loop.order))
    if folds is None:
        return None
    following = _Following(
        loop=loop,
        parameters=parameters,
        others=others,
        folds=folds,
        related=relation(program, compiler, adjacency),
        budget=budget,
    )
    try:
        return following.build()
    except (_TooManySteps, EvaluationFault):
        return None


class _TooManySteps(Exception):
    """Finding out which pairs may be given takes too long."""


_Known: TypeAlias = tuple[Any, ...]
"""What the folds remember."""

_Given: TypeAlias = tuple[Value, Value]
"""What is given in one turn, to the left and to the right run."""


@struct(eq=False, frozen=False)
class _Following:
    """An adjacency followed turn by turn, as an automaton over given pairs that is made minimal from its end."""

    loop: SequentialLoop
    parameters: Sequence[Parameter]
    others: Sequence[Inputs]
    folds: Sequence[Fold]
    related: Related
    budget: Budget
    memories: dict[tuple[GivenPair, ...], int] = field(default_factory=dict)
    steps: int = 0

    def build(self) -> SequentialPairs:
        starts: list[tuple[int, int, int]] = []
        for left in range(len(self.others)):
            for right in range(len(self.others)):
                self.budget.check(f"relating {left:,} of {len(self.others):,} inputs")
                memory = self._follow(self.others[left], self.others[right])
                if memory is not None:
                    starts.append((left, right, memory))
        choices = tuple(self.memories)
        unequal = {memory for memory, held in enumerate(choices) if any(c.left != c.right for c in held)}
        for memory, held in enumerate(choices):  # later memories lead to earlier ones
            if any(choice.memory in unequal for choice in held):
                unequal.add(memory)
        differ = any(left != right or memory in unequal for left, right, memory in starts)
        return SequentialPairs(starts=tuple(starts), choices=choices, differ=differ)

    def _follow(self, left: Inputs, right: Inputs) -> int | None:
        """The memory with which a pair of other inputs starts, None if no arrays make them adjacent."""
        values = self.loop.given_values()
        given: list[_Given] = [(a, b) for a in values for b in values]
        levels: list[dict[_Known, tuple[_Given, ...]]] = [{tuple(fold.first for fold in self.folds): ()}]
        after: list[dict[tuple[_Known, _Given], _Known]] = []
        for index in self.loop.order:
            level: dict[_Known, tuple[_Given, ...]] = {}
            onward: dict[tuple[_Known, _Given], _Known] = {}
            for pair in given:
                whole = self._whole(left, right, index, pair)
                for known, path in levels[-1].items():
                    self._count_step()
                    following = tuple(
                        fold.step(held, index, whole) if index in fold.indices else held
                        for fold, held in zip(self.folds, known)
                    )
                    onward[known, pair] = following
                    level.setdefault(following, (*path, pair))
            levels.append(level)
            after.append(onward)
        # Whether inputs are adjacent depends on what the folds remember, so one path stands for all that lead there.
        alive = {
            known: self._memory(())
            for known, path in levels[-1].items()
            if self.related(
                assembled(self.loop, self.parameters, left, [pair[0] for pair in path]),
                assembled(self.loop, self.parameters, right, [pair[1] for pair in path]),
            )
        }
        for level, onward in zip(reversed(levels[:-1]), reversed(after)):
            earlier: dict[_Known, int] = {}
            for known in level:
                held = tuple(
                    GivenPair(pair[0], pair[1], alive[onward[known, pair]])
                    for pair in given
                    if onward[known, pair] in alive
                )
                if held:
                    earlier[known] = self._memory(held)
            alive = earlier
        return next(iter(alive.values()), None)

    def _memory(self, choices: tuple[GivenPair, ...]) -> int:
        """Memories that allow the same are one."""
        return self.memories.setdefault(choices, len(self.memories))

    def _count_step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _TooManySteps

    def _whole(self, left: Inputs, right: Inputs, index: int, pair: _Given) -> Whole:
        return (*self._side(left, index, pair[0]), *self._side(right, index, pair[1]))

    def _side(self, others: Inputs, index: int, given: Value) -> Iterator[Any]:
        """Values of the inputs of one run, the arrays with their element at the index alone."""
        elements = iter(self.loop.elements_of(given))
        kept = iter(others)
        for parameter in self.parameters:
            if parameter in self.loop.arrays:
                element = next(elements)
                yield tuple(element if at == index else None for at in range(len(self.loop.order)))
            else:
                yield next(kept)


def assembled(loop: SequentialLoop, parameters: Sequence[Parameter], others: Inputs, given: Sequence[Value]) -> Inputs:
    """All inputs of a run that was given elements turn by turn; `others` are those that the loop does not receive."""
    turns = [loop.elements_of(value) for value in given]
    at = {index: turn for turn, index in enumerate(loop.order)}
    arrays = (tuple(turns[at[index]][place] for index in range(len(turns))) for place in range(len(loop.arrays)))
    kept = iter(others)
    return tuple(next(arrays) if parameter in loop.arrays else next(kept) for parameter in parameters)
