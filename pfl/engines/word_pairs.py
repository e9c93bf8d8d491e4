"""The pairs of probabilities P <= c Q that words have on the two sides of comparisons, each pair once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.analysis.word_tree import WordTree, word_tree
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.obligation import Directed
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem


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


def distinct_pairs(tasks: Sequence[Task]) -> Iterator[Pair]:
    """The pairs of probabilities, those that are equal as functions once for each epsilon."""
    seen: dict[str, set[tuple[int, int]]] = {}
    texts: dict[int, str] = {}
    for task in tasks:
        if id(task.epsilon) not in texts:
            texts[id(task.epsilon)] = str(task.epsilon)
        known = seen.setdefault(texts[id(task.epsilon)], set())
        for leaf, pair in enumerate(zip(task.above.places, task.below.places)):
            if pair in known:
                continue
            known.add(pair)
            if above := task.above.numbers[leaf]:
                yield Pair(task=task, leaf=leaf, above=above, below=task.below.numbers[leaf])


def word_tasks(question: Compare, most: int, budget: Budget) -> list[Task]:
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
    for number, direction in enumerate(question.directions):
        budget.check(f"{number:,} of the comparisons, both ways, were prepared")
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
    return tasks


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
