"""The obligations of a claim with parameters: each direction of each comparison, multiplied out, and its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pfl.analysis.parametric.obligation import Obligation, Setting
from pfl.analysis.polynomial.points import Solver
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.obligation import Directed, multiplied_out
from pfl.model.compare import Compare
from pfl.model.parameters import Condition, names_of
from pfl.passes.reached import ReachedParts


@struct(eq=False)
class Task(Directed):
    """An obligation in the parameters of the claim, and the values that it is about.

    `stands_for` are the directions that ask for the same: numbers of comparisons, and whether they are reversed.
    """

    obligation: Obligation
    setting: Setting
    stands_for: tuple[tuple[int, bool], ...] = ()

    def masses(self, word: Sequence[int]) -> tuple[Number, Number]:
        """The masses of a word on both sides, as functions of the parameters of the setting's space."""
        left, right = self.obligation.masses(word)
        return self.setting.number(left), self.setting.number(right)


def tasks(question: Compare, solver: Solver, budget: Budget) -> list[Task]:
    """Both directions of every comparison, or one.

    Comparisons that apply at no parameter value are left out, and directions that ask the same as an earlier one.
    """
    names_of_system = {system: names_of(system.numbers) for system in {table.system for table in question.tables}}
    of_delta = names_of([] if question.delta is None else [question.delta])
    settings: dict[tuple[tuple[Condition, ...], frozenset[str]], Setting | None] = {}
    found: dict[tuple[object, ...], list[Task]] = {}
    parts = ReachedParts()
    for number, direction in enumerate(question.directions):
        budget.check(f"{number:,} of the comparisons, both ways, were prepared")
        comparison = direction.comparison
        names = names_of_system[comparison.system] | comparison.own_mentioned | of_delta
        key = (comparison.nonzero, names)
        if key not in settings:
            space = question.parameters.restricted(*comparison.nonzero)
            settings[key] = Setting.of(space, names, solver, budget)
        setting = settings[key]
        if setting is None:
            continue
        asked = _on_part(multiplied_out(direction), parts)
        task = Task(direction=direction, obligation=asked, setting=setting)
        found.setdefault((asked.system, asked.left, asked.right, *key), []).append(task)
    return [task for same in found.values() for task in _different(same)]


def _on_part(obligation: Obligation, parts: ReachedParts) -> Obligation:
    """The obligation on those states alone that it is about."""
    system, left, right = parts.of(obligation.system, obligation.left, obligation.right)
    return Obligation(system=system, left=left, right=right)


def _different(tasks: Sequence[Task]) -> list[Task]:
    """Of tasks with the same obligation those that differ in their epsilon or in the values of `for` variables."""
    kept: list[list[Task]] = []
    for task in tasks:
        asked = (task.epsilon, task.bindings)
        alike = next((group for group in kept if (group[0].epsilon, group[0].bindings) == asked), None)
        if alike is None:
            kept.append([task])
        else:
            alike.append(task)
    places = [tuple((task.direction.number, task.direction.is_reversed) for task in group) for group in kept]
    return [replace(group[0], stands_for=numbers) for group, numbers in zip(kept, places)]
