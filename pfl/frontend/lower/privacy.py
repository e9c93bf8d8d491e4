"""Privacy claims on mechanisms: `check privacy`, `compute epsilon` and `compute delta` under adjacencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divisors
from pfl.frontend.ast import Call, Expr, Name
from pfl.frontend.ast_claims import Clause, ClauseValue, Received
from pfl.frontend.ast_systems import AdjacencyDecl, MechanismDecl
from pfl.frontend.lower.adjacency import AppliedAdjacency
from pfl.frontend.lower.adjacency_errors import negative_limit
from pfl.frontend.lower.comparing import delta_of, epsilon_of, lengths_of
from pfl.frontend.lower.mechanism_comparisons import Compared, compare_inputs, compare_sequences
from pfl.frontend.lower.mechanism_system import ReceivedPairs
from pfl.frontend.lower.output_lengths import question_of_outputs
from pfl.frontend.lower.request import Request, Setting, written
from pfl.frontend.lower.sequential_system import sequential_system
from pfl.frontend.system_parameters import given_parameters
from pfl.ir.claims import Indistinguishability
from pfl.ir.values import Value


def privacy(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Indistinguishability:
    """The comparisons of a claim about a mechanism, for every binding of `for` and under every adjacency.

    Without `length` whole runs are judged. Raises InputRejected and LimitReached.
    """
    request.notes.extend(f"adjacency {_written(clause)}" for clause in request.clauses("adjacent"))
    settings = list(request.settings())
    delta = None if goal == "delta" else delta_of(request, settings)
    lengths = lengths_of(request, settings)
    parts: list[Compared] = []
    for setting in settings:
        parts += _compared(request, setting, has_delta=delta is None or bool(delta))
    for part in parts:
        request.session.found.extend(part.warnings)
    return question_of_outputs(
        [part.asked for part in parts],
        goal=goal,
        lengths=lengths,
        delta=delta,
        parameters=request.session.values.space,
        budget=request.session.budget,
    )


def mechanism_of(request: Request, setting: Setting) -> tuple[MechanismDecl, tuple[Value, ...]]:
    """The mechanism that a claim is about, with the values of its given parameters."""
    declaration = request.session.program.target(request.claim.system.name)
    assert isinstance(declaration, MechanismDecl)
    return declaration, _given(request, setting, declaration, request.claim.system.arguments or ())


def _compared(request: Request, setting: Setting, *, has_delta: bool) -> list[Compared]:
    """The comparisons of one binding of `for`: over all inputs at once, or, where these are many, with their arrays
    given element by element."""
    mechanisms, systems = request.session.mechanisms, request.session.systems
    declaration, given = mechanism_of(request, setting)
    adjacencies = [_applied(request, setting, clause.value) for clause in request.clauses("adjacent")]
    epsilon, one_way = epsilon_of(request, setting), request.has("one way")
    if adjacencies and not systems.has_few_inputs(declaration, given):
        sequential = [sequential_system(mechanisms, declaration, given, adjacency) for adjacency in adjacencies]
        # With delta, an adversary who sees outputs before he gives the next element could do more than choose inputs.
        divisors = Divisors()
        built = [each.noting(divisors) for each in sequential if each is not None]
        usable = [each for each in built if not (each.gives_elements and has_delta)]
        if len(usable) == len(adjacencies):
            request.divisors.note(divisors)
            request.programs.extend(each.program for each in usable[:1])
            return [
                compare_sequences(each, epsilon=epsilon, one_way=one_way, bindings=setting.bindings) for each in usable
            ]
    whole = systems.system_of(declaration, given, _received(request, setting)).noting(request.divisors)
    request.programs.append(whole.lowered.program)
    if whole.system.inputs is not None:
        request.notes.append(_received_note(request))
    compared = compare_inputs(
        mechanisms,
        whole,
        adjacencies,
        epsilon=epsilon,
        one_way=one_way,
        values_differ=request.has("received"),
        bindings=setting.bindings,
    )
    return [compared]


def _written(clause: Clause) -> str:
    assert isinstance(clause.value, Call | Name)
    return written(clause.value.span)


def _received_note(request: Request) -> str:
    """Which values both runs receive: in the words of the clause, or that they are equal."""
    for clause in request.clauses("received"):
        return written(clause.span).removesuffix(";")
    return "received values are equal in both runs"


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
