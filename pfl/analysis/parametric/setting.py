"""The parameter values that an obligation is about, without the parameters it does not depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pfl.analysis.polynomial.box import Box, Chart
from pfl.analysis.polynomial.elimination import Reduced, components, reduce
from pfl.analysis.polynomial.points import Found, Point, Solver, find_point, with_definitions
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.parameters import Condition, ParameterSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A parameter space as a product of the part that matters and one point of the rest.

    `space` holds the parameters that matter, those given by linear equations left out; `rest` is None where no point of
    the rest is known.
    """

    space: ParameterSpace
    reduced: Reduced
    rest: Point | None
    solver: Solver

    @staticmethod
    def of(space: ParameterSpace, names: Iterable[str], solver: Solver, budget: Budget) -> Setting | None:
        """The setting of something that depends on the named parameters; None if the space is proved to be empty."""
        reduced = reduce(space)
        wanted = set(names)
        for name in tuple(wanted):
            wanted.update(getattr(reduced.definitions.get(name), "parameters", ()))
        parts = components(reduced.space)
        related = [part for part in parts if wanted.intersection(part.names)]
        unrelated = [part for part in parts if not wanted.intersection(part.names)]
        rest: Point | None = {}
        for part in unrelated:
            found = find_point(part, budget, solver)
            if found is None:
                return None
            rest = None if found == "unknown" or rest is None else {**rest, **found}
        matters = ParameterSpace(
            parameters=tuple(parameter for part in related for parameter in part.parameters),
            assumptions=tuple(clause for part in related for clause in part.assumptions),
        )
        return Setting(space=matters, reduced=reduced, rest=rest, solver=solver)

    def number(self, number: Number) -> Number:
        """A number of the claim in the parameters of `space`."""
        return self.reduced.number(number)

    def chart(self, box: Box) -> Chart:
        """The chart of a box of `space`, which also gives the parameters that linear equations determine."""
        return Chart.of(box).extended(self.reduced.definitions)

    def search(self, budget: Budget, *conditions: Condition) -> Found:
        """A point of `space` that satisfies further conditions; None proves that there is none."""
        reduced = (replace(condition, polynomial=self.number(condition.polynomial)) for condition in conditions)
        return find_point(self.space.restricted(*reduced), budget, self.solver)

    def find(self, budget: Budget, *conditions: Condition) -> Found:
        """Values of all parameters that satisfy further conditions; None proves that there are none."""
        found = self.search(budget, *conditions)
        return found if found is None or found == "unknown" else self.completed(found)

    def completed(self, point: Point) -> Found:
        """A point of `space` with the values of all other parameters."""
        if self.rest is None:
            return "unknown"
        return with_definitions({**self.rest, **point}, self.reduced.definitions)
