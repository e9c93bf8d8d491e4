"""Which pairs of inputs a claim compares: adjacencies evaluated on all inputs of a mechanism.

Faults of adjacencies, and warnings about mechanisms that are compared under them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pfl.base import codes
from pfl.base.budget import Budget, larger_limit
from pfl.base.diagnostics import Diagnostic, InputRejected, Label, LimitReached
from pfl.base.pair_array import PairArray
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.lower.claim_errors import how_many
from pfl.lower.mechanism.adjacency_sides import Sides, sides_of
from pfl.lower.mechanism.adjacent_arrays import adjacent_arrays
from pfl.model.cardinality import size
from pfl.model.values import Value, show
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, Parameter
from pfl.typecheck.bindings import CheckedProgram, given_parameters, input_parameters


def empty_adjacency(declaration: AdjacencyDecl, subject: str, place: Span) -> Diagnostic:
    name = declaration.name.text
    return Diagnostic(
        code=codes.EMPTY_ADJACENCY,
        message=f"adjacency `{name}` relates no two different inputs of `{subject}`",
        labels=(Label(place, "so there is nothing to compare"), Label(declaration.name.span, "declared here")),
        help="a claim about nothing would hold trivially; check the condition, or the types of the inputs",
    )


def not_symmetric(declaration: AdjacencyDecl, left: str, right: str) -> Diagnostic:
    name = declaration.name.text
    return Diagnostic(
        code=codes.NOT_SYMMETRIC,
        message=f"adjacency `{name}` relates {left} to {right}, but not the other way round",
        labels=(Label(declaration.name.span, "both orders are checked all the same"),),
        help="write a condition that treats both sides alike, or say `one way;` in the claim",
    )


def no_neighbour(adjacency: AdjacencyDecl, alone: str, count: int, place: Span) -> Diagnostic:
    others = (
        f" and {how_many(count - 1)} other inputs lie"
        if count > 2
        else " and another input lie"
        if count == 2
        else " lies"
    )
    return Diagnostic(
        code=codes.NO_NEIGHBOUR,
        message=f"{alone}{others} outside the types of `{adjacency.name.text}`, which relates them to nothing",
        labels=(Label(place, "nothing is claimed about what they show"),),
        help="see that the types and arguments of the adjacency reach as far as those of the mechanism",
    )


def too_many_inputs(parameter: Parameter, count: int, subject: str, limit: int, *, needs_time: bool) -> LimitReached:
    """`count` is how many values the inputs up to that parameter have together, at least; `needs_time` is whether
    as many could be gone through in the time that a time limit gives."""
    name = parameter.name.text
    where, cure = ("", larger_limit(count))
    if needs_time:
        where, cure = ("without a time limit ", ", or say by --timeout how long all pairs of them may take")
    reason = (
        f"`{subject}` has {how_many(count)} inputs, counting up to `{name}`, and {where}no more"
        f" than {limit:,} are gone through; give the inputs smaller types{cure}"
    )
    label = Label(parameter.span, "its values make the inputs too many")
    return LimitReached(reason, Diagnostic(code=codes.TOO_MANY_STATES, message=reason, labels=(label,)))


def too_many_pairs(adjacency: AppliedAdjacency, count: int, subject: str) -> LimitReached:
    name = adjacency.declaration.name.text
    reason = (
        f"`{subject}` has {how_many(count)} inputs, and without a time limit all pairs of no more than {MOST_TRIED:,}"
        f" are tried; let `{name}` look at an array element by element, give the inputs smaller types, or say by"
        " --timeout how long all pairs of them may take"
    )
    label = Label(adjacency.place, f"`{name}` does not tell by elements which inputs it relates")
    return LimitReached(reason, Diagnostic(code=codes.TOO_MANY_STATES, message=reason, labels=(label,)))


Inputs: TypeAlias = tuple[Value, ...]
"""A value for each input of a mechanism, in order."""

Related: TypeAlias = Callable[[Inputs, Inputs], bool]
"""Whether left inputs are related to right ones."""

MOST_INPUTS = 50_000
"""Without a time limit no more inputs than these are compared."""
MOST_TRIED = 10_000
"""Nor are all pairs of more inputs than these looked at, where an adjacency does not tell which it relates."""

_PAIRS_BETWEEN_CHECKS = 20_000
FEW = 30
"""All pairs of no more inputs than this are tried."""

_BEYOND = 1 << 1024
"""Stands for the size of a domain that is infinite, or too large to count."""


@struct
class AppliedAdjacency:
    """An adjacency as a claim names it: `given` are the values of its given parameters, `place` the clause."""

    declaration: AdjacencyDecl
    given: tuple[Value, ...]
    place: Span


@struct
class RelatedPairs:
    """Positions (left, right) of related inputs that differ, as the adjacency is written. `one_sided` is a pair whose
    reverse is missing, None if the adjacency is symmetric on these inputs. `outside` are inputs that lie outside the
    types of the adjacency, so that it cannot relate them to anything."""

    ordered: Sequence[tuple[int, int]]
    one_sided: tuple[int, int] | None
    outside: tuple[int, ...]

    @property
    def unordered(self) -> Sequence[tuple[int, int]]:
        """Each pair once, in the order in which it was first related."""
        if isinstance(self.ordered, PairArray):
            return self.ordered.unordered()
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
) -> RelatedPairs:
    """The pairs of different inputs that an adjacency relates. Raises InputRejected if there are none."""
    related = relation(program, compiler, adjacency)
    bound, parameters = (
        bound_to(program, compiler, adjacency),
        input_parameters(program.target, adjacency.declaration),
    )
    many = None
    if len(inputs) > FEW:
        many = adjacent_arrays(program, bound, adjacency.declaration, parameters, inputs, related, budget)
    if many is None and budget.deadline is None and len(inputs) > MOST_TRIED:
        raise too_many_pairs(adjacency, len(inputs), subject)
    ordered = _tried(inputs, related, budget) if many is None else many
    if not ordered:
        raise InputRejected([empty_adjacency(adjacency.declaration, subject, adjacency.place)])
    if isinstance(ordered, PairArray):
        one_sided = ordered.one_sided()
    else:
        known = set(ordered)
        one_sided = next(((left, right) for left, right in ordered if (right, left) not in known), None)
    sides = sides_of(bound, parameters)
    outside = () if sides is None else tuple(at for at, values in enumerate(inputs) if sides.leaves_out(values))
    return RelatedPairs(ordered=ordered, one_sided=one_sided, outside=outside)


def _tried(inputs: Sequence[Inputs], related: Related, budget: Budget) -> list[tuple[int, int]]:
    """The positions of different inputs that are related, found by trying all pairs."""
    ordered: list[tuple[int, int]] = []
    for left in range(len(inputs)):
        for right in range(len(inputs)):
            if (left * len(inputs) + right) % _PAIRS_BETWEEN_CHECKS == 0:
                budget.check(f"relating {left:,} of {len(inputs):,} inputs")
            if left != right and related(inputs[left], inputs[right]):
                ordered.append((left, right))
    return ordered


def bound_to(program: CheckedProgram, compiler: Compiler, adjacency: AppliedAdjacency) -> Compiler:
    """The compiler with the arguments of the adjacency."""
    fixed = given_parameters(program.target, adjacency.declaration)
    return compiler.bind({program.local(p.name): value for p, value in zip(fixed, adjacency.given)})


def relation(program: CheckedProgram, compiler: Compiler, adjacency: AppliedAdjacency) -> Related:
    """Whether an adjacency relates left inputs to right ones; values outside its own types are related to nothing."""
    declaration = adjacency.declaration
    bound = bound_to(program, compiler, adjacency)
    parameters = input_parameters(program.target, declaration)
    locals_ = [program.local(parameter.name) for parameter in parameters]
    holds = bound.condition(declaration.body, locals_)
    sides = sides_of(bound, parameters)
    if sides is not None:
        return _related_inside(sides, holds)
    domains = [bound.domain(parameter.type, locals_[:position]) for position, parameter in enumerate(parameters)]

    def related(left: Inputs, right: Inputs) -> bool:
        values = (*left, *right)
        inside = all(domain(*values[:at]).contains(value) for at, (domain, value) in enumerate(zip(domains, values)))
        return inside and holds(*values)

    return related


def _related_inside(sides: Sides, holds: Callable[..., bool]) -> Related:
    """A relation between inputs in fixed domains: whether inputs lie in them is found once for each."""
    known: dict[tuple[bool, Inputs], bool] = {}

    def inside(is_left: bool, inputs: Inputs) -> bool:
        key = is_left, inputs
        if key not in known:
            own = sides.left if is_left else sides.right
            known[key] = all(domain.contains(value) for domain, value in zip(own, inputs))
        return known[key]

    return lambda left, right: inside(True, left) and inside(False, right) and holds(*left, *right)


def doubts(
    adjacency: AppliedAdjacency, pairs: RelatedPairs, name: Callable[[int], str], *, one_way: bool
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
