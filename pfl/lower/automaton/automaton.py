"""Automata in handler form: one program that waits for an input, runs its handler, and waits again.

`stepwise` calls whose steps nobody sees: the closure of the mechanism in place of its steps.

In an automaton all steps of a called mechanism are hidden. Closing them call by call, each mechanism once for each
arguments, gives the same interactive system as closing the whole run, whose states would multiply.
Source: docs/theory/refinement.md.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import name, run
from pfl.explore.explore import explore
from pfl.model.interactive import Input, InteractiveSystem
from pfl.model.program import Branch, Point, Program, Receive, Run, Stop
from pfl.passes.interactive import interactive
from pfl.programs.body_scope import BodyScope
from pfl.programs.placing import assigned
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.statements import block
from pfl.syntax.tree.ast import Expr, Node
from pfl.syntax.tree.ast_declarations import AutomatonDecl, Channel, Handler, Letters, StateVariable
from pfl.syntax.tree.ast_statements import Statement, Stepwise, Var
from pfl.typecheck.bindings import CheckedProgram, Local


def closed_calls(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with `stepwise f(..)` replaced by `f(..)`, at any depth."""
    return tuple(_closed(statement) for statement in statements)


def _closed(node: Any) -> Any:
    """The node itself where nothing in it changes."""
    if isinstance(node, Stepwise):
        return node.call
    if isinstance(node, tuple):
        parts = tuple(_closed(part) for part in node)
        return node if all(new is old for new, old in zip(parts, node)) else parts
    if isinstance(node, Expr) or not isinstance(node, Node):
        return node
    changed = {}
    for field in fields(node):
        old = getattr(node, field.name)
        new = _closed(old)
        if new is not old:
            changed[field.name] = new
    return replace(node, **changed) if changed else node


@struct(eq=False, cached=True)
class AutomatonModel:
    """An automaton whose arguments are bound in `compiler`."""

    program: CheckedProgram
    compiler: Compiler
    declaration: AutomatonDecl

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @cached_property
    def variables(self) -> tuple[Local, ...]:
        """The state variables, in order."""
        return tuple(self.program.local(item.name) for item in self._declared)

    def system(
        self, budget: Budget, *, keep_state: bool = False, most: int | None = None
    ) -> Divided[InteractiveSystem]:
        """The reachable states that wait for an input, all steps between them closed.

        With `keep_state`, states differ in all state variables, as relations need it; otherwise variables that are not
        read again are forgotten. With `most`, runs take so many inputs and then none, and states differ in how many
        they took. Raises LimitReached, and for a fault on a reachable state InputRejected with its path.
        """
        return interactive(explore(self.lowered(keep_state=keep_state, most=most), [{}], budget), budget)

    def lowered(self, *, keep_state: bool = False, most: int | None = None) -> Program:
        """The program: first values, then for ever (or `most` times) an input and its handler."""
        builder = ProgramBuilder(self.name, self.compiler.namespace)
        scope = BodyScope(
            program=self.program, compiler=self.compiler, builder=builder, subject=self.name, output=self._output
        )
        for item in self._declared:
            scope.declare(self.program.local(item.name), item.type)
        slots = tuple(scope.names[local] for local in self.variables)
        given = builder.slot("input", hidden=True)
        head = builder.reserve()
        handled = self._dispatch(scope, given, head)
        if keep_state:
            # A branch that is never taken to where all variables are read keeps them apart while an input is awaited.
            end = builder.add(Stop())
            handled = builder.add(Branch(condition=ast.Constant(False), then=end, otherwise=handled))
        if most is None:
            builder.put(head, Receive(slot=given, channel="input", values=self._inputs(), next=handled))
        else:
            taken = builder.slot("taken", hidden=True)
            one_more = ast.BinOp(name(taken), ast.Add(), ast.Constant(1))
            handled = builder.add(Run(code=(assigned(taken, one_more),), next=handled))
            asked = builder.add(Receive(slot=given, channel="input", values=self._inputs(), next=handled))
            is_last = ast.Compare(name(taken), [ast.Eq()], [ast.Constant(most)])
            builder.put(head, Branch(condition=is_last, then=builder.add(Stop()), otherwise=asked))
        first = [
            Var(name=item.name, type=item.type, value=item.initial, drawn=False, span=item.span)
            for item in self._declared
        ]
        entry = run(block(scope, first, head))
        if most is not None:
            entry = builder.add(Run(code=(assigned(taken, ast.Constant(0)),), next=entry))
        return builder.finish(entry, results=slots if keep_state else ())

    def _dispatch(self, scope: BodyScope, given: str, head: Point) -> Point:
        """Goes to the handler of the channel that took the input, with the value in the handler's variable."""
        point = head
        for handler in reversed(self._handlers):
            local = self.program.target(handler.channel)
            assert isinstance(local, Local)
            slot = scope.declare(local)
            statements = closed_calls(handler.body)
            scope.declare_all(statements)
            body = run(block(scope, statements, head))
            value = ast.Attribute(name(given), "value", ast.Load())
            taken = scope.builder.add(Run(code=(assigned(slot, value),), next=body, origin=handler.span))
            channel = ast.Attribute(name(given), "channel", ast.Load())
            test = ast.Compare(channel, [ast.Eq()], [ast.Constant(handler.channel.text)])
            point = scope.builder.add(Branch(condition=test, then=taken, otherwise=point, origin=handler.span))
        return point

    def _inputs(self) -> tuple[Input, ...]:
        return tuple(
            Input(kind=channel.kind, channel=channel.name.text, value=value)
            for channel in self.declaration.items
            if isinstance(channel, Channel) and channel.type is not None
            for value in self.compiler.elements(channel.type)()
        )

    @property
    def _declared(self) -> Sequence[StateVariable]:
        return [item for item in self.declaration.items if isinstance(item, StateVariable)]

    @property
    def _handlers(self) -> Sequence[Handler]:
        return [item for item in self.declaration.items if isinstance(item, Handler)]

    @property
    def _output(self) -> Expr | None:
        return next((item.type for item in self.declaration.items if isinstance(item, Letters)), None)
