"""The obligations of a claim with parameters: each direction of each comparison, multiplied out, and its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.parametric.obligation import Obligation, Setting, parameters_of
from pfl.analysis.polynomial.points import Point, Solver
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.engines.answer import ExactRoot, Violation
from pfl.model.compare import Compare, Comparison, Side
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition
from pfl.passes.reached import ReachedParts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """One direction of one comparison, in the parameters of the claim, and the values that it is about."""

    comparison: int
    reversed: bool
    bindings: tuple[tuple[str, str], ...]
    obligation: Obligation
    epsilon: Epsilon | None
    setting: Setting

    def masses(self, word: Sequence[int]) -> tuple[Number, Number]:
        """The masses of a word on both sides, as functions of the parameters of the setting's space."""
        left, right = self.obligation.masses(word)
        return self.setting.number(left), self.setting.number(right)

    def violation(self, word: Sequence[int], point: Point) -> Violation:
        """The word and the parameter values, for replay."""
        return Violation(
            comparison=self.comparison,
            reversed=self.reversed,
            words=(tuple(word),),
            parameters={name: _reported(name, value) for name, value in sorted(point.items())},
        )


def tasks(question: Compare, solver: Solver, budget: Budget) -> list[Task]:
    """Both directions of every comparison, or one.

    Comparisons that apply at no parameter value are left out, and directions that ask the same as an earlier one.
    """
    names_of_system = {
        comparison.system: parameters_of(matrix_entries(comparison.system)) for comparison in question.comparisons
    }
    of_delta = parameters_of([] if question.delta is None else [question.delta])
    settings: dict[tuple[tuple[Condition, ...], frozenset[str]], Setting | None] = {}
    found: dict[tuple[object, ...], list[Task]] = {}
    parts = ReachedParts()
    for index, comparison in enumerate(question.comparisons):
        names = names_of_system[comparison.system] | _own_parameters(comparison) | of_delta
        key = (comparison.nonzero, names)
        if key not in settings:
            space = question.parameters.restricted(*comparison.nonzero)
            settings[key] = Setting.of(space, names, solver, budget)
        setting = settings[key]
        if setting is None:
            continue
        for is_reversed in (False,) if comparison.table.one_way else (False, True):
            left, right = (comparison.right, comparison.left) if is_reversed else (comparison.left, comparison.right)
            task = Task(
                comparison=index,
                reversed=is_reversed,
                bindings=comparison.table.bindings,
                obligation=_on_part(multiplied_out(comparison.system, left, right), parts),
                epsilon=comparison.epsilon,
                setting=setting,
            )
            asked = task.obligation
            found.setdefault((asked.system, asked.left, asked.right, *key), []).append(task)
    return [task for same in found.values() for task in _different(same)]


def _on_part(obligation: Obligation, parts: ReachedParts) -> Obligation:
    """The obligation on those states alone that it is about."""
    system, left, right = parts.of(obligation.system, obligation.left, obligation.right)
    return Obligation(system=system, left=left, right=right)


def _different(tasks: Sequence[Task]) -> list[Task]:
    """Of tasks with the same obligation those that differ in their epsilon or in the values of `for` variables."""
    kept: list[Task] = []
    for task in tasks:
        if not any((task.epsilon, task.bindings) == (other.epsilon, other.bindings) for other in kept):
            kept.append(task)
    return kept


def multiplied_out(system: LabelledSystem, left: Side, right: Side) -> Obligation:
    """Pr(w | left) <= c Pr(w | right) as Pr(w, left) Pr(right) <= c Pr(w, right) Pr(left): true where a side is 0."""
    return Obligation(
        system=system,
        left=tuple(entry * right.weight for entry in left.vector),
        right=tuple(entry * left.weight for entry in right.vector),
    )


def matrix_entries(system: LabelledSystem) -> Iterator[Number]:
    """Every non-zero entry of every matrix."""
    return (weight for matrix in system.matrices for row in matrix for _, weight in row)


def parameters_in(question: Compare) -> frozenset[str]:
    """Names of the parameters on which the numbers of a claim depend."""
    systems = {comparison.system for comparison in question.comparisons}
    entries = parameters_of(entry for system in systems for entry in matrix_entries(system))
    delta = parameters_of(() if question.delta is None else (question.delta,))
    return entries.union(delta, *map(_own_parameters, question.comparisons))


def _own_parameters(comparison: Comparison) -> frozenset[str]:
    sides = (comparison.left, comparison.right)
    names = parameters_of(number for side in sides for number in (*side.vector, side.weight))
    return names.union(comparison.epsilon.parameters if comparison.epsilon is not None else ())


def _reported(name: str, value: Fraction | Root) -> Fraction | ExactRoot:
    if isinstance(value, Fraction):
        return value
    return ExactRoot(polynomial=value.equation(name), value=float(value), root=value)
