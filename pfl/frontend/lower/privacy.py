"""Privacy claims on mechanisms: `check privacy`, `compute epsilon` and `compute delta` under adjacencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.base.diagnostics import InputRejected
from pfl.frontend.ast import Call, Expr, Name
from pfl.frontend.ast_declarations import AdjacencyDecl, Clause, ClauseValue, MechanismDecl, Received
from pfl.frontend.lower.adjacency import AppliedAdjacency
from pfl.frontend.lower.adjacency_errors import negative_limit
from pfl.frontend.lower.comparing import delta_of, epsilon_of, lengths_of
from pfl.frontend.lower.mechanism_comparisons import compare_inputs
from pfl.frontend.lower.mechanism_system import MechanismSystem, ReceivedPairs
from pfl.frontend.lower.request import Request, Setting, written
from pfl.frontend.system_parameters import given_parameters
from pfl.ir.claims import Comparison, Indistinguishability, Lengths
from pfl.ir.values import Value


def privacy(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Indistinguishability:
    """The comparisons of a claim about a mechanism, for every binding of `for` and under every adjacency.

    Without `length` whole runs are judged. Raises InputRejected and LimitReached.
    """
    settings = list(request.settings())
    systems = [system_of(request, setting) for setting in settings]
    comparisons: list[Comparison] = []
    for setting, built in zip(settings, systems):
        compared = compare_inputs(
            request.session.mechanisms,
            built,
            [_applied(request, setting, clause.value) for clause in request.clauses("adjacent")],
            epsilon=epsilon_of(request, setting),
            one_way=request.has("one way"),
            bindings=setting.bindings,
        )
        comparisons += compared.comparisons
        request.session.found.extend(compared.warnings)
    request.notes.extend(f"adjacency {_written(clause)}" for clause in request.clauses("adjacent"))
    lengths = lengths_of(request, settings[0])
    return Indistinguishability(
        goal=goal,
        comparisons=tuple(comparisons),
        lengths=whole_runs(systems) if lengths is None else lengths,
        delta=None if goal == "delta" else delta_of(request, settings[0]),
        parameters=request.session.values.space,
        unit="output",
    )


def system_of(request: Request, setting: Setting) -> MechanismSystem:
    """The system of the mechanism that a claim is about."""
    declaration = request.session.program.target(request.claim.system.name)
    assert isinstance(declaration, MechanismDecl)
    given = _given(request, setting, declaration, request.claim.system.arguments or ())
    return request.session.systems.system_of(declaration, given, _received(request, setting))


def whole_runs(systems: Sequence[MechanismSystem]) -> Lengths:
    """A length by which every run of every system has ended, if there is one: a run that has ended says no more."""
    longest = 0
    for built in systems:
        if built.whole_run == "any":
            return "any"
        longest = max(longest, *built.whole_run)
    return (longest,)


def _written(clause: Clause) -> str:
    assert isinstance(clause.value, Call | Name)
    return written(clause.value.span)


def _received(request: Request, setting: Setting) -> ReceivedPairs:
    for clause in request.clauses("received"):
        assert isinstance(clause.value, Received)
        return ReceivedPairs(
            adjacency=_applied(request, setting, clause.value.relation),
            limit=_limit(setting, clause.value.limit),
        )
    return ReceivedPairs()


def _limit(setting: Setting, node: Expr | None) -> int | None:
    if node is None:
        return None
    limit = setting.compiler.expression(node)()
    assert isinstance(limit, int), "the checker lets nothing else be a limit"
    if limit < 0:
        raise InputRejected([negative_limit(node.span, limit)])
    return limit


def _applied(request: Request, setting: Setting, reference: ClauseValue) -> AppliedAdjacency:
    """The adjacency that a clause names, with its given parameters evaluated."""
    assert isinstance(reference, Call | Name)
    callee = reference.callee if isinstance(reference, Call) else reference
    declaration = request.session.program.target(callee)
    assert isinstance(declaration, AdjacencyDecl)
    arguments = [argument.value for argument in reference.arguments] if isinstance(reference, Call) else []
    given = _given(request, setting, declaration, arguments)
    return AppliedAdjacency(declaration=declaration, given=given, place=reference.span)


def _given(
    request: Request, setting: Setting, declaration: MechanismDecl | AdjacencyDecl, arguments: Sequence[Expr]
) -> tuple[Value, ...]:
    parameters = given_parameters(request.session.program.target, declaration)
    return setting.compiler.arguments(parameters, arguments, declaration.name.text)()
