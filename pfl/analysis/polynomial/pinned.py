"""Parameters of which inequalities leave one value alone: `param p in [0, 1]; assume p <= 0;`.

Nothing says that weights are probabilities at other values, so that formulas in such a parameter mean nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import islice

from pfl.analysis.polynomial.cells import satisfying_cells
from pfl.analysis.polynomial.elimination import Reduced, components, reduce
from pfl.base.rational_function import RationalFunction
from pfl.ir.parameters import Condition, ParameterSpace


def reduce_pinned(space: ParameterSpace, kept: Collection[str] = ()) -> Reduced:
    """The space reduced (`elimination.reduce`), also by parameters that have one rational value once that is done."""
    while True:
        reduced = reduce(space, kept)
        equations = tuple(_pinned(reduced.space))
        if not equations:
            return reduced
        space = space.restricted(*equations)


def _pinned(space: ParameterSpace) -> Iterator[Condition]:
    for component in components(space):
        if len(component.parameters) != 1 or not component.assumptions:
            continue
        cells = list(islice(satisfying_cells(component), 2))
        if len(cells) == 1 and cells[0].is_point and isinstance(cells[0].sample, Fraction):
            (parameter,), value = component.parameters, cells[0].sample
            difference = RationalFunction.parameter(parameter.name) - value
            yield Condition(polynomial=difference, relation="==", text=f"{parameter.name} == {value}")
