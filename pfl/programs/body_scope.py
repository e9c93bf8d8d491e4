"""The scope of one body while it is lowered: which slot each local has, and how its expressions read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

from pfl.base.diagnostics import Diagnostic, LimitReached
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.code import ScopedCode, root_of
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import Fragment, call, name
from pfl.evaluation.variables import Variable
from pfl.model.program import Costs, EvaluationFault, Point
from pfl.model.values import UNSET
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.sequential import SequentialLoop
from pfl.programs.statement_errors import read_before_value
from pfl.syntax.tree.ast import Call, Expr, Identifier, Name, Node
from pfl.syntax.tree.ast_declarations import RecordDecl
from pfl.syntax.tree.ast_statements import Assign, For, Let, Receive, Start, Statement, Var
from pfl.syntax.tree.tree_walk import descendants, inner_statements
from pfl.typecheck.bindings import Builtin, CheckedProgram, Local, is_endless


@struct(eq=False, frozen=False)
class BodyScope:
    """One body. Locals whose value is known, such as the arguments of a claim, are bound in `compiler`.

    `names` are the slots of the others, `types` the types that variables were declared with, and `late` the variables
    that may be read before they have a value. `whole` are the state variables that `start ~ d` in a prior sets at once.
    `returns` is where `return` goes: to the point, after the value is put into the slot if there is one; None where a
    return is shown and ends the run. `result` and `output` are the declared types of what is returned and shown;
    `gives_result` says that returns have a value, and `subject` names the body in faults. In the loop `sequential`,
    arrays are received element by element. `costs` is the account that is kept, if any; `holds_samples` of
    mechanisms that run on their own: samples of noise.
    """

    program: CheckedProgram
    compiler: Compiler
    builder: ProgramBuilder
    subject: str
    names: dict[Local, str] = field(default_factory=dict)
    types: dict[Local, Expr] = field(default_factory=dict)
    late: set[Local] = field(default_factory=set)
    whole: tuple[Local, ...] = ()
    result: Expr | None = None
    output: Expr | None = None
    returns: tuple[str | None, Point] | None = None
    gives_result: bool = False
    sequential: SequentialLoop | None = None
    costs: Costs | None = None
    holds_samples: bool = False

    def declare(self, local: Local, type_: Expr | None = None, *, late: bool = False) -> str:
        """A slot for a local; its identifier."""
        has_end = type_ is not None and not is_endless(self.program.target, type_)
        identifier = self.builder.slot(local.name.text, origin=local.name.span, is_endless=not has_end)
        self.names[local] = identifier
        if type_ is not None:
            self.types[local] = type_
        if late:
            self.late.add(local)
        return identifier

    def declare_all(self, statements: Sequence[Statement]) -> None:
        """Slots for every local that statements declare, at any depth, unless it has one."""
        for declared, type_, late in _declarations(statements, self.program):
            local = self.program.local(declared) if isinstance(declared, Identifier) else self.local(declared)
            if local not in self.names:
                self.declare(local, type_, late=late)

    def local(self, node: Name) -> Local:
        """The local that a name means."""
        target = self.program.target(node)
        assert isinstance(target, Local)
        return target

    def code(self, *read: Node) -> ScopedCode:
        """Makes code of the nodes given; a variable that may lack a value is looked at when it is read."""
        names: dict[Variable, str | Fragment] = {local: identifier for local, identifier in self.names.items()}
        if self.late:
            for node in read:
                for local, place in self._late_reads(node):
                    names[local] = self._guarded(local, place)
        return self.compiler.code(names)

    def known(self, node: Expr, evaluate: Callable[[Expr], Callable[[], Any]]) -> Any:
        """What `evaluate` says of an expression that reads nothing, else None, also where it has no value: a fault
        belongs to the runs that come there."""
        if self.compiler.reads(node):
            return None
        try:
            return evaluate(node)()
        except (EvaluationFault, LimitReached):
            return None

    def fault(self, make: Callable[[], Diagnostic]) -> ast.expr:
        """An expression that raises a fault."""

        def fail() -> None:
            raise EvaluationFault(make())

        return call(self.builder.bind(fail))

    def may_not_end(self, node: Node) -> bool:
        """Whether evaluating may run a mechanism, which then may have no end."""
        return any(isinstance(part, Call) and not self._is_harmless(part) for part in descendants(node))

    def _is_harmless(self, called: Call) -> bool:
        return isinstance(called.callee, Name) and isinstance(self.program.target(called.callee), Builtin | RecordDecl)

    def _late_reads(self, node: Node) -> Iterator[tuple[Local, Span]]:
        """From right to left, so that the first is the last to be told of."""
        for part in reversed(list(descendants(node))):
            if isinstance(part, Name):
                target = self.program.target(part)
                if isinstance(target, Local) and target in self.late:
                    yield target, part.span

    def _guarded(self, local: Local, place: Span) -> Fragment:
        identifier = self.names[local]
        has_value = ast.Compare(name(identifier), [ast.IsNot()], [name(self.builder.bind(UNSET))])
        is_input = local.kind == "parameter"
        fault = self.fault(lambda: read_before_value(local.name, place, is_input=is_input))
        return Fragment(ast.IfExp(has_value, name(identifier), fault), depth=2, names=(identifier,))


def _declarations(
    statements: Sequence[Statement], program: CheckedProgram
) -> Iterator[tuple[Identifier | Name, Expr | None, bool]]:
    """What statements declare: the name, its type if one is written, and whether it begins without a value."""
    pending = list(reversed(statements))
    while pending:
        statement = pending.pop()
        match statement:
            case Let(name=declared, type=type_) | Receive(name=declared, type=type_):
                yield declared, type_, False
            case Var(name=declared, type=type_, value=value):
                yield declared, type_, value is None
            case For(variable=declared):
                yield declared, None, False
            case Assign(place=Name() as place) if _is_world(program, place):
                yield place, None, True
            case Start(place=place):
                yield root_of(place), None, True
            case _:
                pass
        pending.extend(reversed(list(inner_statements(statement))))


def _is_world(program: CheckedProgram, place: Name) -> bool:
    target = program.target(place)
    return isinstance(target, Local) and target.kind == "world"
