"""Mechanisms whose steps belong to the run that calls them, instead of being drawn from as distributions."""

from __future__ import annotations

from pfl.base.diagnostics import InputRejected
from pfl.frontend.ast import Call, Expr
from pfl.frontend.ast_statements import Return, Stepwise
from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.lower.counting import calls_unknown, spending
from pfl.frontend.lower.frame import Frame
from pfl.frontend.lower.interaction import called_mechanism, calls_emitting_value, interacts, returns_nothing
from pfl.frontend.lower.program_builder import ProgramBuilder
from pfl.frontend.lower.statement_errors import cost_not_counted, mechanism_varies
from pfl.frontend.tree_walk import all_statements
from pfl.ir.values import MechanismValue


def inlined_call(frame: Frame, value: Expr | Stepwise) -> Call | None:
    """The call in a value if its steps belong to this run: those of `stepwise`, of what emits, receives or returns
    nothing, and where costs are counted, of what costs something."""
    if isinstance(value, Stepwise):
        return value.call
    if not isinstance(value, Call):
        return None
    if calls_emitting_value(frame.program, value):
        return value
    target = called_mechanism(frame.program, value) or _known_mechanism(frame, value)
    if target is None:
        return None
    is_inlined = interacts(frame.program, target) or returns_nothing(target) or _spends(frame, target)
    return value if is_inlined else None


def reject_uncounted(frame: Frame, value: Expr) -> None:
    """Raise InputRejected where costs are counted and an expression that is drawn from hides some."""
    if frame.costs is not None:
        for place in spending(frame.program, value, frame.costs):
            raise InputRejected([cost_not_counted(value.span, place.span, frame.costs)])


def _spends(frame: Frame, declaration: MechanismDecl) -> bool:
    return frame.costs is not None and any(True for _ in spending(frame.program, declaration, frame.costs))


def _known_mechanism(frame: Frame, called: Call) -> MechanismDecl | None:
    """The mechanism that a value of mechanism type is, if that is known before the run and costs are counted."""
    if frame.costs is None or not calls_unknown(frame.program, called):
        return None
    value = frame.known(called.callee, frame.compiler.expression)
    return value.declaration if isinstance(value, MechanismValue) else None


def callee_of(frame: Frame, call: Call) -> MechanismDecl:
    """The mechanism that a call names. Raises InputRejected where that depends on the run."""
    target = called_mechanism(frame.program, call)
    if target is not None:
        return target
    value = frame.known(call.callee, frame.compiler.expression)
    if not isinstance(value, MechanismValue):
        raise InputRejected([mechanism_varies(call.callee)])
    declaration: MechanismDecl = value.declaration
    return declaration


def ordered_arguments(call: Call, declaration: MechanismDecl) -> list[Expr]:
    """The arguments of a call in the order of the parameters."""
    named = {argument.name.text: argument.value for argument in call.arguments if argument.name is not None}
    unnamed = [argument.value for argument in call.arguments if argument.name is None]
    return unnamed + [named[parameter.name.text] for parameter in declaration.parameters[len(unnamed) :]]


def mechanism_frame(
    program: CheckedProgram, compiler: Compiler, builder: ProgramBuilder, declaration: MechanismDecl
) -> Frame:
    """The frame of a mechanism's body, its parameters not yet declared."""
    return Frame(
        program=program,
        compiler=compiler,
        builder=builder,
        subject=declaration.name.text,
        result=declaration.result,
        output=declaration.emits,
        gives_result=any(
            isinstance(statement, Return) and statement.value is not None
            for statement in all_statements(declaration.body)
        ),
    )
