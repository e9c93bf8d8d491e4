"""Which mechanisms show or receive something while they run, and so cannot be called as a distribution."""

from __future__ import annotations

from pfl.frontend.ast import Call, Expr, Name
from pfl.frontend.ast_statements import Assign, CallStatement, Emit, Let, Receive, Return, Statement, Stepwise, Var
from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.tree_walk import all_statements
from pfl.frontend.types import MechanismType


def interacts(program: CheckedProgram, declaration: MechanismDecl) -> bool:
    """Whether a mechanism emits or receives, itself or through one that it calls."""
    pending = [declaration]
    seen = {id(declaration)}
    while pending:
        for statement in all_statements(pending.pop().body):
            if isinstance(statement, Emit | Receive):
                return True
            called = whole_call(statement)
            if called is None:
                continue
            if calls_emitting_value(program, called):
                return True
            target = called_mechanism(program, called)
            if target is not None and id(target) not in seen:
                seen.add(id(target))
                pending.append(target)
    return False


def returns_nothing(declaration: MechanismDecl) -> bool:
    """Whether a mechanism has no result, so that there is no distribution of it."""
    returns = (statement for statement in all_statements(declaration.body) if isinstance(statement, Return))
    return declaration.result is None and all(statement.value is None for statement in returns)


def called_mechanism(program: CheckedProgram, called: Call) -> MechanismDecl | None:
    """The mechanism that a call names; None where it calls something else, or a value of mechanism type."""
    target = program.target(called.callee) if isinstance(called.callee, Name) else None
    return target if isinstance(target, MechanismDecl) else None


def calls_emitting_value(program: CheckedProgram, called: Call) -> bool:
    """Whether a value of mechanism type is called that can only emit."""
    if isinstance(called.callee, Name) and isinstance(program.target(called.callee), MechanismDecl):
        return False
    try:
        type_ = program.type_of(called.callee)
    except KeyError:  # a function, distribution or record
        return False
    return isinstance(type_, MechanismType) and type_.result is None


def whole_call(statement: Statement) -> Call | None:
    """The call that is the whole right side of a draw, or the whole statement; what `stepwise` stands before, too."""
    value: Expr | Stepwise | None = None
    match statement:
        case Let(value=value, drawn=True) | Var(value=value, drawn=True) | Assign(value=value, drawn=True):
            pass
        case CallStatement(call=value):
            pass
        case _:
            return None
    if isinstance(value, Stepwise):
        return value.call
    return value if isinstance(value, Call) else None
