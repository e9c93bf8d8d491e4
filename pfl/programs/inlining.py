"""Mechanisms whose steps belong to the run that calls them, instead of being drawn from as distributions.

Which mechanisms cost something when they run, and so are not called as distributions where costs are counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from pfl.base.diagnostics import InputRejected
from pfl.evaluation.compiler import Compiler
from pfl.model.program import Costs
from pfl.model.values import MechanismValue
from pfl.programs.body_scope import BodyScope
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.sequential import called_mechanism, calls_emitting_value, interacts, returns_nothing
from pfl.programs.statement_errors import cost_not_counted, mechanism_varies
from pfl.syntax.tree.ast import Call, Expr, Name, Node
from pfl.syntax.tree.ast_declarations import DistDecl, FnDecl, MechanismDecl
from pfl.syntax.tree.ast_statements import Forever, Return, Stepwise, Tick, While
from pfl.syntax.tree.tree_walk import all_statements, descendants
from pfl.syntax.tree.vocabulary import ENCLOSED_NOISE, NOISE
from pfl.typecheck.bindings import Builtin, CheckedProgram, Local
from pfl.typecheck.types import MechanismType


def spending(program: CheckedProgram, node: Node, costs: Costs) -> Iterator[Node]:
    """What costs something in an account when a body runs or an expression is evaluated: ticks, or loops that turn.

    Also in what it calls; the call of an unknown mechanism counts if any mechanism of the program costs something.
    """
    for inner in _reached(program, node):
        if isinstance(inner, Tick if costs == "ticks" else While | Forever) and costs != "moves":
            yield inner
        elif isinstance(inner, Call) and _called(program, inner) is None and calls_unknown(program, inner):
            yield from [inner] if _any_spends(program, costs) else []


def calls_unknown(program: CheckedProgram, called: Call) -> bool:
    """Whether what is called is a value of mechanism type."""
    if isinstance(called.callee, Name) and not isinstance(program.target(called.callee), Local):
        return False
    try:
        return isinstance(program.type_of(called.callee), MechanismType)
    except KeyError:  # a function, distribution or record
        return False


def _called(program: CheckedProgram, called: Call) -> Node | None:
    """The declaration that is called, if it has a body."""
    target = program.target(called.callee) if isinstance(called.callee, Name) else None
    return target if isinstance(target, MechanismDecl | FnDecl | DistDecl) else None


def _any_spends(program: CheckedProgram, costs: Costs) -> bool:
    wanted = Tick if costs == "ticks" else While | Forever
    mechanisms = (d for module in program.modules for d in module.declarations if isinstance(d, MechanismDecl))
    return any(isinstance(inner, wanted) for declaration in mechanisms for inner in descendants(declaration))


def inlined_call(scope: BodyScope, value: Expr | Stepwise) -> Call | None:
    """The call in a value if its steps belong to this run: those of `stepwise`, of what emits, receives or returns
    nothing, of what draws noise without bounds where samples are held, and where costs are counted, of what costs
    something."""
    if isinstance(value, Stepwise):
        return value.call
    if not isinstance(value, Call):
        return None
    if calls_emitting_value(scope.program, value):
        return value
    target = called_mechanism(scope.program, value) or _known_mechanism(scope, value)
    if target is None:
        return None
    is_inlined = interacts(scope.program, target) or returns_nothing(target) or _spends(scope, target)
    return value if is_inlined or (scope.holds_samples and draws_noise(scope.program, target)) else None


def draws_noise(program: CheckedProgram, node: Node) -> bool:
    """Whether noise without bounds is drawn in a body, or in what it calls: its samples are compared by who draws."""
    return _draws(program, node, _NOISE)


def draws_enclosed_noise(program: CheckedProgram, node: Node) -> bool:
    """Whether noise of which probabilities are enclosed is drawn in a body, or in what it calls."""
    return _draws(program, node, _ENCLOSED_NOISE)


def _draws(program: CheckedProgram, node: Node, noise: frozenset[Builtin]) -> bool:
    return any(
        isinstance(inner.callee, Name) and program.target(inner.callee) in noise
        for inner in _reached(program, node)
        if isinstance(inner, Call)
    )


_NOISE = frozenset(Builtin(name=name) for name in NOISE)
_ENCLOSED_NOISE = frozenset(Builtin(name=name) for name in ENCLOSED_NOISE)


def _reached(program: CheckedProgram, node: Node) -> Iterator[Node]:
    """What is in a body, and in the bodies of what it calls."""
    pending = [node]
    seen = {id(node)}
    while pending:
        for inner in descendants(pending.pop()):
            yield inner
            if isinstance(inner, Call):
                called = _called(program, inner)
                if called is not None and id(called) not in seen:
                    seen.add(id(called))
                    pending.append(called)


def reject_uncounted(scope: BodyScope, value: Expr) -> None:
    """Raise InputRejected where costs are counted and an expression that is drawn from hides some."""
    if scope.costs is not None:
        for place in spending(scope.program, value, scope.costs):
            raise InputRejected([cost_not_counted(value.span, place.span, scope.costs)])


def _spends(scope: BodyScope, declaration: MechanismDecl) -> bool:
    return scope.costs is not None and any(True for _ in spending(scope.program, declaration, scope.costs))


def _known_mechanism(scope: BodyScope, called: Call) -> MechanismDecl | None:
    """The mechanism that a value of mechanism type is, if that is known before the run and costs are counted."""
    if scope.costs is None or not calls_unknown(scope.program, called):
        return None
    value = scope.known(called.callee, scope.compiler.expression)
    return value.declaration if isinstance(value, MechanismValue) else None


def callee_of(scope: BodyScope, call: Call) -> MechanismDecl:
    """The mechanism that a call names. Raises InputRejected where that depends on the run."""
    target = called_mechanism(scope.program, call)
    if target is not None:
        return target
    value = scope.known(call.callee, scope.compiler.expression)
    if not isinstance(value, MechanismValue):
        raise InputRejected([mechanism_varies(call.callee)])
    declaration: MechanismDecl = value.declaration
    return declaration


def mechanism_scope(
    program: CheckedProgram, compiler: Compiler, builder: ProgramBuilder, declaration: MechanismDecl
) -> BodyScope:
    """The scope of a mechanism's body, its parameters not yet declared."""
    return BodyScope(
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
