"""What must be shown: pairs of probabilities P <= e^eps Q, each pair once, with the words that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.analysis.exponential.functions import Functions
from pfl.analysis.word_tree import WordTree
from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.engines.word_pairs import Masses, Pair, Task, distinct_pairs, word_tasks
from pfl.model.compare import Compare

NAME = "exponential"


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
        return distinct_pairs(self.tasks)


def obligations(question: Compare, functions: Functions, most: int, budget: Budget) -> Obligations:
    """The directions of all comparisons, and the masses of all words. Raises WithoutEnd for more than `most` words, and
    LimitReached."""
    tasks = word_tasks(question, most, budget)
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
