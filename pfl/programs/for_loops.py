"""`for x in S { .. }` with draws in its body: what is left to go through is part of the state."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pfl.evaluation.fragment import call, name
from pfl.model.values import SymbolValue, Value
from pfl.programs.frame import Frame
from pfl.programs.placing import assigned
from pfl.programs.sequential import SequentialLoop
from pfl.syntax.tree.ast import Range
from pfl.syntax.tree.ast_statements import For


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """`begin` evaluates the domain once, `test` says whether a turn is left, `step` gives the variable its value."""

    begin: tuple[ast.stmt, ...]
    test: ast.expr
    step: tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedTurns:
    """A loop whose turns are given the elements of arrays: into the slot `given`, one of `values`, through `channel`.

    `step` puts the elements where the body reads them, `skip` only counts the turn.
    """

    statement: For
    begin: tuple[ast.stmt, ...]
    test: ast.expr
    given: str
    channel: str
    values: tuple[Value, ...]
    step: tuple[ast.stmt, ...]
    skip: tuple[ast.stmt, ...]


NOT_GIVEN = SymbolValue("_")
"""Stands in an array for the elements of other turns."""


def received_turns(frame: Frame, loop: SequentialLoop) -> ReceivedTurns:
    """The turns of a loop through arrays that are received: in each the element of the one array, or an array of the
    elements of several, in order of the parameters. An array that the body indexes holds, in turn t, its element of
    that turn and nothing else."""
    statement, length = loop.statement, len(loop.order)
    position = frame.builder.slot(statement.variable.text, hidden=True)
    given = frame.builder.slot("given", hidden=True)
    variable = frame.names[frame.program.local(statement.variable)]
    code: list[ast.stmt] = []
    if loop.is_over_array:
        code.append(assigned(variable, name(given)))
    else:
        order = name(frame.builder.bind(loop.order))
        code.append(assigned(variable, ast.Subscript(order, name(position), ast.Load())))
        for place, (parameter, domain) in enumerate(zip(loop.arrays, loop.elements)):
            arrays = {
                (turn, value): tuple(value if index == read else NOT_GIVEN for index in range(length))
                for turn, read in enumerate(loop.order)
                for value in domain
            }
            several = len(loop.arrays) > 1
            element = ast.Subscript(name(given), ast.Constant(place), ast.Load()) if several else name(given)
            key = ast.Tuple([name(position), element], ast.Load())
            array = ast.Subscript(name(frame.builder.bind(arrays)), key, ast.Load())
            code.append(assigned(frame.names[frame.program.local(parameter.name)], array))
    count = _increment(position)
    return ReceivedTurns(
        statement=statement,
        begin=(assigned(position, ast.Constant(0)),),
        test=ast.Compare(name(position), [ast.Lt()], [ast.Constant(length)]),
        given=given,
        channel="elements",
        values=loop.given_values(),
        step=(*code, count),
        skip=(count,),
    )


def turns_of(frame: Frame, statement: For) -> Turns:
    """The turns of a loop, kept as little as merging of states allows: the next number of a range, a position in what
    is known, or the elements left."""
    variable = frame.names[frame.program.local(statement.variable)]
    if isinstance(statement.domain, Range):
        return _range(frame, variable, statement.domain)
    known = frame.known(statement.domain, frame.compiler.elements)
    if known is not None:
        return _known(frame, variable, tuple(known))
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
    following = frame.builder.slot(variable, hidden=True)
    code = frame.code(domain)
    begin, last = [assigned(following, code.value(domain.low))], code.value(domain.high)
    if frame.compiler.reads(domain.high):
        held = frame.builder.slot(variable, hidden=True)
        begin, last = [*begin, assigned(held, last)], name(held)
    return Turns(
        begin=tuple(begin),
        test=ast.Compare(name(following), [ast.LtE()], [last]),
        step=(assigned(variable, name(following)), _increment(following)),
    )


def _increment(identifier: str) -> ast.stmt:
    return assigned(identifier, ast.BinOp(name(identifier), ast.Add(), ast.Constant(1)))
