"""Which inputs lie in the types that an adjacency declares for its two sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.model.domain import Domain
from pfl.model.values import Value
from pfl.programs.sequential import SequentialLoop
from pfl.syntax.tree.ast_declarations import Parameter


@struct(eq=False)
class Sides:
    """The domains of the inputs on the left side, and on the right one."""

    left: tuple[Domain, ...]
    right: tuple[Domain, ...]

    def leaves_out(self, inputs: Sequence[Value]) -> bool:
        """Whether inputs lie outside the types of both sides, so that the adjacency relates them to nothing."""
        return not any(all(d.contains(v) for d, v in zip(side, inputs)) for side in (self.left, self.right))


def sides_of(bound: Compiler, parameters: Sequence[Parameter]) -> Sides | None:
    """The two sides of an adjacency with those inputs; None where a type mentions an input."""
    if any(bound.reads(parameter.type) for parameter in parameters):
        return None
    domains = tuple(bound.domain(parameter.type)() for parameter in parameters)
    half = len(domains) // 2
    return Sides(left=domains[:half], right=domains[half:])


@struct(eq=False)
class LeftOut:
    """How many inputs an adjacency leaves out, and the first of them."""

    count: int
    first: tuple[Value, ...]


def left_out(
    sides: Sides, loop: SequentialLoop, parameters: Sequence[Parameter], others: Sequence[Sequence[Value]]
) -> LeftOut | None:
    """What the sides leave out of the inputs of a mechanism whose loop is given arrays element by element.

    `parameters` are all inputs of the mechanism, `others` the values of those that the loop does not receive. Inputs
    are counted, not listed.
    """
    found = [_left_out(sides, loop, parameters, kept) for kept in others]
    count = sum(part.count for part in found if part is not None)
    return next((LeftOut(count=count, first=part.first) for part in found if part is not None), None)


def _left_out(
    sides: Sides, loop: SequentialLoop, parameters: Sequence[Parameter], kept: Sequence[Value]
) -> LeftOut | None:
    length, values = len(loop.order), iter(kept)
    elements = {parameter: tuple(domain) for parameter, domain in zip(loop.arrays, loop.elements)}
    # An array lies in a type if each of its elements does: if the array of this element alone does.
    alike: list[list[Value]] = [
        [(element,) * length for element in elements[parameter]] if parameter in elements else [next(values)]
        for parameter in parameters
    ]
    powers = [length if parameter in elements else 1 for parameter in parameters]

    def number_in(*within: tuple[Domain, ...]) -> int:
        inside = (
            sum(all(side[place].contains(value) for side in within) for value in held)
            for place, held in enumerate(alike)
        )
        return prod(number**power for number, power in zip(inside, powers))

    count = number_in() - number_in(sides.left) - number_in(sides.right) + number_in(sides.left, sides.right)
    if not count:
        return None
    # If an array is left out, then so is one in which two elements, at the end, are not the first ones.
    free = min(length, 2)
    ending: list[list[Value]] = [
        [(elements[parameter][:1] * (length - free) + last) for last in product(elements[parameter], repeat=free)]
        if parameter in elements
        else held
        for parameter, held in zip(parameters, alike)
    ]
    return LeftOut(count=count, first=next(filter(sides.leaves_out, product(*ending))))
