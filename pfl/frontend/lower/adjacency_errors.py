"""Faults of adjacencies, and warnings about mechanisms that are compared under them."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.budget import larger_limit
from pfl.base.diagnostics import Diagnostic, Label, LimitReached
from pfl.base.source import Span
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.ast_systems import AdjacencyDecl, MechanismDecl


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
    others = f" and {count - 1} other inputs lie" if count > 2 else " and another input lie" if count == 2 else " lies"
    return Diagnostic(
        code=codes.NO_NEIGHBOUR,
        message=f"{alone}{others} outside the types of `{adjacency.name.text}`, which relates them to nothing",
        labels=(Label(place, "nothing is claimed about what they show"),),
        help="see that the types and arguments of the adjacency reach as far as those of the mechanism",
    )


def never_ends(declaration: MechanismDecl, start: str) -> Diagnostic:
    name = declaration.name.text
    return Diagnostic(
        code=codes.NEVER_ENDS,
        message=f"`{name}` runs for ever with positive probability" + (f" from {start}" if start else ""),
        labels=(Label(declaration.name.span, "never ending is compared as an outcome of its own, `never`"),),
    )


def too_many_inputs(parameter: Parameter, count: int, subject: str, limit: int, *, needs_time: bool) -> LimitReached:
    """`count` is how many values the inputs up to that parameter have together, at least; `needs_time` is whether
    as many could be gone through in the time that a time limit gives."""
    name = parameter.name.text
    many = f"{count:,}" if count < 10**15 else f"more than 10^{(count.bit_length() - 1) * 3 // 10}"
    where, cure = ("", larger_limit(count))
    if needs_time:
        where, cure = ("without a time limit ", ", or say by --timeout how long all pairs of them may take")
    reason = (
        f"`{subject}` has {many} inputs, counting up to `{name}`, and {where}no more than {limit:,} are gone through;"
        f" give the inputs smaller types{cure}"
    )
    label = Label(parameter.span, "its values make the inputs too many")
    return LimitReached(reason, Diagnostic(code=codes.TOO_MANY_STATES, message=reason, labels=(label,)))


def negative_limit(place: Span, limit: int) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_CLAUSE_VALUE,
        message=f"at most {limit} received pairs may differ, and a number of pairs cannot be negative",
        labels=(Label(place, f"this is {limit}"),),
    )
