"""Privacy claims on mechanisms: `check privacy`, `compute epsilon` and `compute delta` under adjacencies.

A mechanism under adjacencies, as comparisons over one labelled system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pfl.base.diagnostics import Diagnostics, InputRejected
from pfl.base.divided import Divisors
from pfl.base.epsilon import Epsilon
from pfl.base.pair_array import PairArray
from pfl.lower.claim_errors import negative_limit, real_numbers_shown
from pfl.lower.comparing import Goal, delta_of, epsilon_of, lengths_of
from pfl.lower.mechanism.adjacency import AppliedAdjacency, doubts, related_pairs
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.lower.mechanism.mechanism_system import (
    MechanismSystem,
    NamedStarts,
    OutputTable,
    ReceivedPairs,
    Start,
    question_of_outputs,
)
from pfl.lower.mechanism.sequential_system import GIVEN_LEFT, GIVEN_RIGHT, SequentialSystem, sequential_system
from pfl.lower.request import Request, Setting, written
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.values import Value
from pfl.syntax.tree.ast import Call, Expr, Name
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, MechanismDecl
from pfl.syntax.tree.ast_module import Clause, ClauseValue, Received
from pfl.typecheck.bindings import given_parameters

MANY = 10_000
"""Pairs from which on they are kept as arrays."""


def compare_inputs(
    mechanisms: Mechanisms,
    built: MechanismSystem,
    adjacencies: Sequence[AppliedAdjacency],
    *,
    epsilon: Epsilon | None,
    one_way: bool = False,
    values_differ: bool = False,
    bindings: tuple[tuple[str, str], ...] = (),
) -> OutputTable:
    """All pairs of inputs that an adjacency relates, compared on what the mechanism shows.

    Without an adjacency every input is compared with itself: what differs are then the values given to both runs.
    `values_differ` says that the two runs may receive different values. Raises InputRejected for an empty adjacency.
    """
    found = Diagnostics(built.warnings())
    left_names, right_names = (
        [_label(built, position, given if values_differ else "") for position in range(len(built.inputs))]
        for given in (GIVEN_LEFT, GIVEN_RIGHT)
    )
    exchangeable = not one_way and built.system.inputs is None
    related = _pairs(mechanisms, built, adjacencies, one_way, found)
    if isinstance(related, PairArray):
        classes: dict[Start, int] = {}
        left, right = (
            [classes.setdefault(start, len(classes)) for start in side] for side in (built.left, built.right)
        )
        related = related.distinct(left, right, exchangeable=exchangeable)
    if _are_distinct(built, related) and left_names == right_names:
        # Which of so many pairs ask the same is found out by their words: docs/theory/comparisons-alike.md.
        table = _table_of(built.system, zip(built.left, left_names), related, epsilon, bindings, one_way=one_way)
    else:
        pairs = ((built.left[one], built.right[other], left_names[one], right_names[other]) for one, other in related)
        distinct = _distinct(pairs, exchangeable=exchangeable)
        # Inputs that start in the same states look alike whatever is claimed; a claim needs something to be about.
        different = [pair for pair in distinct if pair[0] != pair[1]]
        table = _table(built.system, different or distinct[:1], epsilon, bindings, one_way=one_way)
    return OutputTable(
        table=table,
        whole_run=built.whole_run,
        counted=built.counted,
        warnings=found.sorted(),
    )


def _are_distinct(built: MechanismSystem, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether pairs are many, and no two of them start alike."""
    is_plain = isinstance(pairs, PairArray) and len(pairs) >= MANY and built.system.inputs is None
    return is_plain and built.left == built.right and len(set(built.left)) == len(built.left)


def _label(built: MechanismSystem, position: int, given: str) -> str:
    """One side in words: its inputs, and which of the values that both receive are its own."""
    return ", ".join(part for part in (built.name(position), given) if part) or "any run"


def compare_sequences(
    built: SequentialSystem,
    *,
    epsilon: Epsilon | None,
    one_way: bool = False,
    bindings: tuple[tuple[str, str], ...] = (),
) -> OutputTable:
    """The two runs that are given adjacent arrays, for each pair of the other inputs."""
    distinct = _distinct(built.pairs, exchangeable=not one_way and not built.gives_elements)
    doubted = (built.doubts.left_out, None if one_way else built.doubts.one_sided)
    found = Diagnostics(warning for warning in (built.endless, *doubted) if warning)
    return OutputTable(
        table=_table(built.system, distinct, epsilon, bindings, one_way=one_way),
        whole_run=built.whole_run,
        counted=built.counted,
        warnings=found.sorted(),
    )


def _distinct(pairs: Iterable[NamedStarts], *, exchangeable: bool) -> list[NamedStarts]:
    """Of pairs that start in the same states one; in either order where runs may be exchanged."""
    kept: dict[tuple[Start, Start], NamedStarts] = {}
    for pair in pairs:
        left, right, *_ = pair
        if not (exchangeable and (right, left) in kept):
            kept.setdefault((left, right), pair)
    return list(kept.values())


def _table(
    system: LabelledSystem,
    pairs: Iterable[NamedStarts],
    epsilon: Epsilon | None,
    bindings: tuple[tuple[str, str], ...],
    *,
    one_way: bool,
) -> Table:
    """Pairs compared on what a system shows. Sides come in order of first mention."""
    places: dict[tuple[Start, str], int] = {}

    def place(start: Start, label: str) -> int:
        return places.setdefault((start, label), len(places))

    placed = tuple((place(left, one), place(right, other)) for left, right, one, other in pairs)
    return _table_of(system, tuple(places), placed, epsilon, bindings, one_way=one_way)


def _table_of(
    system: LabelledSystem,
    starts: Iterable[tuple[Start, str]],
    pairs: Sequence[tuple[int, int]],
    epsilon: Epsilon | None,
    bindings: tuple[tuple[str, str], ...],
    *,
    one_way: bool,
) -> Table:
    """Pairs of starts with labels, by their places. Sides share a vector where they start alike."""
    vectors: dict[Start, Vector] = {}
    sides = []
    for start, label in starts:
        if start not in vectors:
            vectors[start] = system.vector(start)
        sides.append(Side(label=label, vector=vectors[start]))
    return Table(
        compared=system,
        sides=tuple(sides),
        pairs=pairs,
        epsilon=epsilon,
        heading="inputs",
        bindings=bindings,
        one_way=one_way,
    )


def _pairs(
    mechanisms: Mechanisms,
    built: MechanismSystem,
    adjacencies: Sequence[AppliedAdjacency],
    one_way: bool,
    found: Diagnostics,
) -> Sequence[tuple[int, int]]:
    """Positions of inputs to compare, each pair once; both directions of a pair are checked unless `one_way`."""
    if not adjacencies:
        return [(position, position) for position in range(len(built.inputs))]
    kept: dict[tuple[int, int], None] = {}
    for adjacency in adjacencies:
        pairs = related_pairs(
            mechanisms.program, mechanisms.compiler, adjacency, built.inputs, built.subject, mechanisms.budget
        )
        found.extend(doubts(adjacency, pairs, built.name, one_way=one_way))
        asked = pairs.unordered if built.mirrored and not one_way else pairs.ordered
        if len(adjacencies) == 1:
            return asked
        kept.update(dict.fromkeys(asked))
    return list(kept)


def privacy(request: Request, goal: Goal) -> Compare:
    """The comparisons of a claim about a mechanism, for every binding of `for` and under every adjacency.

    Without `length` whole runs are judged. Raises InputRejected and LimitReached.
    """
    request.notes.extend(f"adjacency {written_clause(clause)}" for clause in request.clauses("adjacent"))
    settings = list(request.settings())
    delta = None if goal == "delta" else delta_of(request, settings)
    lengths = lengths_of(request, settings)
    outputs = None if lengths is None or lengths == "any" else max(lengths, default=0)
    parts: list[OutputTable] = []
    for setting in settings:
        parts += _compared(request, setting, has_delta=delta is None or bool(delta), outputs=outputs)
    for part in parts:
        request.session.found.extend(part.warnings)
    return question_of_outputs(
        parts,
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


def _compared(request: Request, setting: Setting, *, has_delta: bool, outputs: int | None) -> list[OutputTable]:
    """The comparisons of one binding of `for`: over all inputs at once, or, where these are many, with their arrays
    given element by element."""
    mechanisms, systems = request.session.mechanisms, request.session.systems
    declaration, given = mechanism_of(request, setting)
    adjacencies = [applied(request, setting, clause.value) for clause in request.clauses("adjacent")]
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
    whole = systems.system_of(declaration, given, _received(request, setting), outputs).noting(request.divisors)
    request.programs.append(whole.lowered.program)
    if has_delta and whole.tells_reals:
        raise InputRejected([real_numbers_shown(whole.lowered.declaration, "a delta", request.claim.span)])
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


def written_clause(clause: Clause) -> str:
    """The adjacency that a clause names, as it is written."""
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
            adjacency=applied(request, setting, clause.value.relation),
            limit=setting.natural(clause.value.limit, negative_limit),
        )
    return ReceivedPairs()


def applied(request: Request, setting: Setting, reference: ClauseValue) -> AppliedAdjacency:
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
