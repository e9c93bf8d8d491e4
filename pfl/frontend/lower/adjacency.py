"""Which pairs of inputs a claim compares: adjacencies evaluated on all inputs of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.source import Span
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.ast_systems import AdjacencyDecl
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.lower.adjacency_errors import empty_adjacency, no_neighbour, not_symmetric, too_many_inputs
from pfl.frontend.system_parameters import given_parameters, input_parameters
from pfl.ir.cardinality import size
from pfl.ir.domain import Domain
from pfl.ir.values import Value, show

Inputs: TypeAlias = tuple[Value, ...]
"""A value for each input of a mechanism, in order."""

Related: TypeAlias = Callable[[Inputs, Inputs], bool]
"""Whether left inputs are related to right ones."""

MOST_INPUTS = 10_000
"""All pairs of inputs are looked at: without a time limit no more inputs than these are gone through."""

_PAIRS_BETWEEN_CHECKS = 20_000

_BEYOND = 1 << 1024
"""Stands for the size of a domain that is infinite, or too large to count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedAdjacency:
    """An adjacency as a claim names it: `given` are the values of its given parameters, `place` the clause."""

    declaration: AdjacencyDecl
    given: tuple[Value, ...]
    place: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Positions (left, right) of related inputs that differ, as the adjacency is written. `one_sided` is a pair whose
    reverse is missing, None if the adjacency is symmetric on these inputs. `outside` are inputs that lie outside the
    types of the adjacency, so that it cannot relate them to anything."""

    ordered: tuple[tuple[int, int], ...]
    one_sided: tuple[int, int] | None
    outside: tuple[int, ...]

    @property
    def unordered(self) -> tuple[tuple[int, int], ...]:
        """Each pair once, in the order in which it was first related."""
        kept: dict[frozenset[int], tuple[int, int]] = {}
        for pair in self.ordered:
            kept.setdefault(frozenset(pair), pair)
        return tuple(kept.values())


def all_inputs(
    program: CheckedProgram,
    compiler: Compiler,
    parameters: Sequence[Parameter],
    subject: str,
    limit: int,
    most: int | None = None,
) -> tuple[Inputs, ...]:
    """All values of some inputs, in order; a type may mention earlier parameters.

    Raises LimitReached where there are more than `limit`, naming the input at which they become so many. `most` is how
    many there could be with a time limit.
    """
    found: list[Inputs] = [()]
    for position, parameter in enumerate(parameters):
        earlier = [program.local(other.name) for other in parameters[:position]]
        read = [local for local in compiler.reads(parameter.type) if local in earlier]
        at = [earlier.index(local) for local in read]
        domain = compiler.domain(parameter.type, read)
        elements = compiler.elements(parameter.type, read)
        counts = [size(domain(*(inputs[place] for place in at))) for inputs in (found if read else found[:1])]
        total = sum(_BEYOND if count is None else count for count in counts) * (1 if read else len(found))
        if total > limit:
            raise too_many_inputs(parameter, total, subject, limit, needs_time=most is not None and total <= most)
        found = [(*inputs, value) for inputs in found for value in elements(*(inputs[place] for place in at))]
    return tuple(found)


def all_pairs_of_inputs(
    program: CheckedProgram, compiler: Compiler, parameters: Sequence[Parameter], subject: str, budget: Budget
) -> tuple[Inputs, ...]:
    """All values of inputs that are compared each with each: without a time limit there cannot be many."""
    most = budget.max_states
    limit = most if budget.deadline is not None else min(most, MOST_INPUTS)
    return all_inputs(program, compiler, parameters, subject, limit, most)


def related_pairs(
    program: CheckedProgram,
    compiler: Compiler,
    adjacency: AppliedAdjacency,
    inputs: Sequence[Inputs],
    subject: str,
    budget: Budget,
) -> Pairs:
    """The pairs of different inputs that an adjacency relates. Raises InputRejected if there are none."""
    related = relation(program, compiler, adjacency)
    ordered: list[tuple[int, int]] = []
    for left in range(len(inputs)):
        for right in range(len(inputs)):
            if (left * len(inputs) + right) % _PAIRS_BETWEEN_CHECKS == 0:
                budget.check(f"relating {left:,} of {len(inputs):,} inputs")
            if left != right and related(inputs[left], inputs[right]):
                ordered.append((left, right))
    if not ordered:
        raise InputRejected([empty_adjacency(adjacency.declaration, subject, adjacency.place)])
    known = set(ordered)
    one_sided = next(((left, right) for left, right in ordered if (right, left) not in known), None)
    outside = tuple(_outside(program, compiler, adjacency, inputs))
    return Pairs(ordered=tuple(ordered), one_sided=one_sided, outside=outside)


def _outside(
    program: CheckedProgram, compiler: Compiler, adjacency: AppliedAdjacency, inputs: Sequence[Inputs]
) -> Iterator[int]:
    """The positions of inputs that lie outside the types of both sides, where these are fixed."""
    bound = _bound(program, compiler, adjacency)
    parameters = input_parameters(program.target, adjacency.declaration)
    if any(bound.reads(parameter.type) for parameter in parameters):
        return
    domains = [bound.domain(parameter.type)() for parameter in parameters]
    half = len(domains) // 2
    for position, values in enumerate(inputs):
        if not any(all(d.contains(v) for d, v in zip(own, values)) for own in (domains[:half], domains[half:])):
            yield position


def _bound(program: CheckedProgram, compiler: Compiler, adjacency: AppliedAdjacency) -> Compiler:
    """The compiler with the arguments of the adjacency."""
    fixed = given_parameters(program.target, adjacency.declaration)
    return compiler.bind({program.local(p.name): value for p, value in zip(fixed, adjacency.given)})


def relation(program: CheckedProgram, compiler: Compiler, adjacency: AppliedAdjacency) -> Related:
    """Whether an adjacency relates left inputs to right ones; values outside its own types are related to nothing."""
    declaration = adjacency.declaration
    bound = _bound(program, compiler, adjacency)
    parameters = input_parameters(program.target, declaration)
    locals_ = [program.local(parameter.name) for parameter in parameters]
    holds = bound.condition(declaration.body, locals_)
    if not any(bound.reads(parameter.type) for parameter in parameters):
        return _related_inside([bound.domain(parameter.type)() for parameter in parameters], holds)
    domains = [bound.domain(parameter.type, locals_[:position]) for position, parameter in enumerate(parameters)]

    def related(left: Inputs, right: Inputs) -> bool:
        values = (*left, *right)
        inside = all(domain(*values[:at]).contains(value) for at, (domain, value) in enumerate(zip(domains, values)))
        return inside and holds(*values)

    return related


def _related_inside(domains: Sequence[Domain], holds: Callable[..., bool]) -> Related:
    """A relation between inputs in fixed domains: whether inputs lie in them is found once for each."""
    known: dict[tuple[bool, Inputs], bool] = {}

    def inside(is_left: bool, inputs: Inputs) -> bool:
        key = is_left, inputs
        if key not in known:
            own = domains[: len(inputs)] if is_left else domains[-len(inputs) :]
            known[key] = all(domain.contains(value) for domain, value in zip(own, inputs))
        return known[key]

    return lambda left, right: inside(True, left) and inside(False, right) and holds(*left, *right)


def doubts(
    adjacency: AppliedAdjacency, pairs: Pairs, name: Callable[[int], str], *, one_way: bool
) -> Iterator[Diagnostic]:
    """Warnings that an adjacency is not symmetric, unless it is wanted `one_way`, or that it leaves inputs out; `name`
    writes the inputs of a position."""
    if pairs.one_sided is not None and not one_way:
        left, right = pairs.one_sided
        yield not_symmetric(adjacency.declaration, name(left), name(right))
    if pairs.outside:
        yield no_neighbour(adjacency.declaration, name(pairs.outside[0]), len(pairs.outside), adjacency.place)


def inputs_text(parameters: Sequence[Parameter], inputs: Inputs) -> str:
    """Inputs in the model's words: `q = [1, 0]`."""
    return ", ".join(f"{parameter.name.text} = {show(value)}" for parameter, value in zip(parameters, inputs))
