"""`for x in S { .. }` with draws in its body: what is left to go through is part of the state."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pfl.frontend.ast import Range
from pfl.frontend.ast_declarations import For
from pfl.frontend.compile.fragment import call, name
from pfl.frontend.lower.frame import Frame
from pfl.frontend.lower.placing import assigned


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """`begin` evaluates the domain once, `test` says whether a turn is left, `step` gives the variable its value."""

    begin: tuple[ast.stmt, ...]
    test: ast.expr
    step: tuple[ast.stmt, ...]


def turns_of(frame: Frame, statement: For) -> Turns:
    """The turns of a loop, kept as little as merging of states allows: a position in what is known, the next number
    of a range, or the elements left."""
    variable = frame.names[frame.program.local(statement.variable)]
    known = frame.known(statement.domain, frame.compiler.elements)
    if known is not None:
        return _known(frame, variable, tuple(known))
    if isinstance(statement.domain, Range):
        return _range(frame, variable, statement.domain)
    rest = frame.builder.slot(statement.variable.text, hidden=True, origin=statement.variable.span)
    return Turns(
        begin=(assigned(rest, call("_tuple", frame.code(statement.domain).elements(statement.domain))),),
        test=name(rest),
        step=(
            assigned(variable, ast.Subscript(name(rest), ast.Constant(0), ast.Load())),
            assigned(rest, ast.Subscript(name(rest), ast.Slice(lower=ast.Constant(1)), ast.Load())),
        ),
    )


def _known(frame: Frame, variable: str, elements: Sequence[object]) -> Turns:
    position = frame.builder.slot(variable, hidden=True)
    listed = name(frame.builder.bind(elements))
    return Turns(
        begin=(assigned(position, ast.Constant(0)),),
        test=ast.Compare(name(position), [ast.Lt()], [ast.Constant(len(elements))]),
        step=(assigned(variable, ast.Subscript(listed, name(position), ast.Load())), _increment(position)),
    )


def _range(frame: Frame, variable: str, domain: Range) -> Turns:
    following, last = (frame.builder.slot(variable, hidden=True) for _ in range(2))
    code = frame.code(domain)
    return Turns(
        begin=(assigned(following, code.value(domain.low)), assigned(last, code.value(domain.high))),
        test=ast.Compare(name(following), [ast.LtE()], [name(last)]),
        step=(assigned(variable, name(following)), _increment(following)),
    )


def _increment(identifier: str) -> ast.stmt:
    return assigned(identifier, ast.BinOp(name(identifier), ast.Add(), ast.Constant(1)))
