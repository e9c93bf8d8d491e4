"""What must be shown: pairs of probabilities P <= e^eps Q, each pair once, with the words that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.analysis.exponential.functions import Functions
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.exponential.words import WordTree, word_tree
from pfl.engines.obligation import Directed
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem

NAME = "exponential"


@struct(eq=False, kw_only=False)
class Masses:
    """The masses of the leaves, and for each a number that says which are equal, in all of a question."""

    numbers: Sequence[Number]
    places: Sequence[int]


@struct(eq=False)
class Task(Directed):
    """One direction of one comparison: `above` and `below` are the masses of the leaves of `tree`, multiplied out."""

    tree: WordTree
    above: Masses
    below: Masses


@struct(eq=False)
class Pair:
    """The probabilities P and Q of a word on the two sides, P <= e^eps Q being what is claimed of `task`."""

    task: Task
    leaf: int
    above: Number
    below: Number

    @property
    def word(self) -> tuple[int, ...]:
        """The word."""
        return self.task.tree.word(self.task.tree.leaves[self.leaf])


@struct(eq=False)
class Obligations:
    """All directions of a question. Where directions ask the same, one of them stands for all."""

    question: Compare
    functions: Functions
    tasks: Sequence[Task]
    budget: Budget

    @property
    def pairs(self) -> Iterator[Pair]:
        """The pairs of probabilities, those that are equal as functions once for each epsilon."""
        seen: dict[str, set[tuple[int, int]]] = {}
        texts: dict[int, str] = {}
        for task in self.tasks:
            if id(task.epsilon) not in texts:
                texts[id(task.epsilon)] = str(task.epsilon)
            known = seen.setdefault(texts[id(task.epsilon)], set())
            for leaf, pair in enumerate(zip(task.above.places, task.below.places)):
                if pair in known:
                    continue
                known.add(pair)
                if above := task.above.numbers[leaf]:
                    yield Pair(task=task, leaf=leaf, above=above, below=task.below.numbers[leaf])


def obligations(question: Compare, functions: Functions, most: int, budget: Budget) -> Obligations:
    """The directions of all comparisons, and the masses of all words. Raises WithoutEnd for more than `most` words, and
    LimitReached."""
    trees = _trees(question, most, budget)
    masses: dict[tuple[int, int, Number], Masses] = {}
    places: dict[Number, int] = {}

    def of(tree: WordTree, side: Side, weight: Number) -> Masses:
        key = (id(tree), id(side.vector), weight)
        if key not in masses:
            numbers = tree.masses(side.vector)
            if weight != 1:
                numbers = [mass * weight for mass in numbers]
            masses[key] = Masses(numbers, [places.setdefault(number, len(places)) for number in numbers])
        return masses[key]

    tasks = []
    for direction in question.directions:
        tree = trees[direction.comparison.system]
        above, below = direction.above, direction.below
        tasks.append(
            Task(
                direction=direction,
                tree=tree,
                above=of(tree, above, below.weight),
                below=of(tree, below, above.weight),
            )
        )
    return Obligations(question=question, functions=functions, tasks=tasks, budget=budget)


def pair_of(question: Compare, number: int, is_reversed: bool, word: Sequence[int]) -> Pair:
    """The probabilities of one word on the two sides of one direction, multiplied out."""
    direction = next(d for d in question.directions if (d.number, d.is_reversed) == (number, is_reversed))
    above, below, system = direction.above, direction.below, direction.comparison.system
    masses = [system.mass(above.vector, word) * below.weight, system.mass(below.vector, word) * above.weight]
    tree = WordTree(system=system, parents=(-1,), letters=(-1,), leaves=(0,))
    left, right = (Masses([mass], [place]) for place, mass in enumerate(masses))
    task = Task(direction=direction, tree=tree, above=left, below=right)
    return Pair(task=task, leaf=0, above=masses[0], below=masses[1])


def _trees(question: Compare, most: int, budget: Budget) -> dict[LabelledSystem, WordTree]:
    tables: dict[LabelledSystem, list[Table]] = {}
    for table in question.tables:
        tables.setdefault(table.system, []).append(table)
    return {
        system: word_tree(
            system, (side.vector for table in found for side in table.sides), question.lengths, most, budget
        )
        for system, found in tables.items()
    }
