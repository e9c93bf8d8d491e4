"""`for x in S { .. }` with draws in its body: what is left to go through is part of the state."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.base.struct import struct
from pfl.evaluation.fragment import call, name
from pfl.model.values import SymbolValue, Value
from pfl.programs.body_scope import BodyScope
from pfl.programs.placing import assigned
from pfl.programs.sequential import SequentialLoop
from pfl.syntax.tree.ast import Range
from pfl.syntax.tree.ast_statements import For


@struct
class LoopHeader:
    """`begin` evaluates the domain once, `test` says whether a turn is left, `step` gives the variable its value."""

    begin: tuple[ast.stmt, ...]
    test: ast.expr
    step: tuple[ast.stmt, ...]


@struct
class ReceivingHeader:
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


def receiving_header(scope: BodyScope, loop: SequentialLoop) -> ReceivingHeader:
    """The header of a loop through arrays that are received: in each turn the element of the one array, or an array of
    the elements of several, in order of the parameters. An array that the body indexes holds, in turn t, its element
    of that turn and nothing else."""
    statement, length = loop.statement, len(loop.order)
    position = scope.builder.slot(statement.variable.text, hidden=True)
    given = scope.builder.slot("given", hidden=True)
    variable = scope.names[scope.program.local(statement.variable)]
    code: list[ast.stmt] = []
    if loop.is_over_array:
        code.append(assigned(variable, name(given)))
    else:
        order = name(scope.builder.bind(loop.order))
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
            array = ast.Subscript(name(scope.builder.bind(arrays)), key, ast.Load())
            code.append(assigned(scope.names[scope.program.local(parameter.name)], array))
    count = _increment(position)
    return ReceivingHeader(
        statement=statement,
        begin=(assigned(position, ast.Constant(0)),),
        test=ast.Compare(name(position), [ast.Lt()], [ast.Constant(length)]),
        given=given,
        channel="elements",
        values=loop.given_values(),
        step=(*code, count),
        skip=(count,),
    )


def header_of(scope: BodyScope, statement: For) -> LoopHeader:
    """The header of a loop. Its state is what merging allows: the next number of a range, a position in what is known,
    or the elements left."""
    variable = scope.names[scope.program.local(statement.variable)]
    if isinstance(statement.domain, Range):
        return _range(scope, variable, statement.domain)
    known = scope.known(statement.domain, scope.compiler.elements)
    if known is not None:
        return _known(scope, variable, tuple(known))
    rest = scope.builder.slot(statement.variable.text, hidden=True, origin=statement.variable.span)
    return LoopHeader(
        begin=(assigned(rest, call("_tuple", scope.code(statement.domain).elements(statement.domain))),),
        test=name(rest),
        step=(
            assigned(variable, ast.Subscript(name(rest), ast.Constant(0), ast.Load())),
            assigned(rest, ast.Subscript(name(rest), ast.Slice(lower=ast.Constant(1)), ast.Load())),
        ),
    )


def _known(scope: BodyScope, variable: str, elements: Sequence[object]) -> LoopHeader:
    position = scope.builder.slot(variable, hidden=True)
    listed = name(scope.builder.bind(elements))
    return LoopHeader(
        begin=(assigned(position, ast.Constant(0)),),
        test=ast.Compare(name(position), [ast.Lt()], [ast.Constant(len(elements))]),
        step=(assigned(variable, ast.Subscript(listed, name(position), ast.Load())), _increment(position)),
    )


def _range(scope: BodyScope, variable: str, domain: Range) -> LoopHeader:
    following = scope.builder.slot(variable, hidden=True)
    code = scope.code(domain)
    begin, last = [assigned(following, code.value(domain.low))], code.value(domain.high)
    if scope.compiler.reads(domain.high):
        held = scope.builder.slot(variable, hidden=True)
        begin, last = [*begin, assigned(held, last)], name(held)
    return LoopHeader(
        begin=tuple(begin),
        test=ast.Compare(name(following), [ast.LtE()], [last]),
        step=(assigned(variable, name(following)), _increment(following)),
    )


def _increment(identifier: str) -> ast.stmt:
    return assigned(identifier, ast.BinOp(name(identifier), ast.Add(), ast.Constant(1)))
