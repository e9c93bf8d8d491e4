"""Privacy claims on mechanisms that draw Gaussian noise, whose probabilities are enclosed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.base import codes
from pfl.base.closed_form import is_closed
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected, Label
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.explore.noise_graph import explore_noise
from pfl.lower.comparing import Goal, delta_of, epsilon_of, lengths_of
from pfl.lower.mechanism.adjacency import all_pairs_of_inputs, doubts, inputs_text, related_pairs
from pfl.lower.mechanism.mechanism import subject_of
from pfl.lower.privacy import applied, mechanism_of, privacy, written_clause
from pfl.lower.request import Request, Setting
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedSide, EnclosedTable, EnclosedWord
from pfl.model.enclosed.formulas import IntegralSum
from pfl.model.values import show
from pfl.passes.noise.enclosed_words import EnclosedRuns, enclosed_words
from pfl.programs.inlining import draws_enclosed_noise
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.typecheck.bindings import input_parameters


def under_adjacencies(request: Request, goal: Goal) -> Compare | EnclosedCompare:
    """The comparisons of a claim about a mechanism under adjacencies: exact, or, with Gaussian noise, enclosed.

    Raises InputRejected and LimitReached.
    """
    program = request.session.program
    target = program.target(request.claim.system.name)
    assert isinstance(target, MechanismDecl)
    return enclosed_privacy(request, goal) if draws_enclosed_noise(program, target) else privacy(request, goal)


def enclosed_privacy(request: Request, goal: Goal) -> EnclosedCompare:
    """The comparisons of a claim about a mechanism with Gaussian noise, for every binding of `for` and under every
    adjacency, on whole runs or on so many outputs as the longest length says, since there most is seen.

    Raises InputRejected and LimitReached.
    """
    request.notes.extend(f"adjacency {written_clause(clause)}" for clause in request.clauses("adjacent"))
    settings = list(request.settings())
    delta = None if goal == "delta" else delta_of(request, settings)
    if delta is not None:
        _require_constant(request, "delta", delta)
    lengths = lengths_of(request, settings)
    outputs = None if lengths is None or lengths == "any" else max(lengths, default=0)
    tables = [_table(request, setting, outputs) for setting in settings]
    return EnclosedCompare(goal=goal, tables=tuple(tables), delta=delta, outputs=outputs)


def refuse_enclosed_find(place: Span) -> InputRejected:
    """What is said of a find whose claim is about Gaussian noise."""
    diagnostic = Diagnostic(
        code=codes.GAUSSIAN_MISPLACED,
        message="values are not looked for in a claim about Gaussian noise",
        labels=(Label(place),),
        help="`compute epsilon` and `compute delta` enclose what holds; or try values with `--set`",
    )
    return InputRejected([diagnostic])


def _table(request: Request, setting: Setting, outputs: int | None) -> EnclosedTable:
    mechanisms, session = request.session.mechanisms, request.session
    declaration, given = mechanism_of(request, setting)
    epsilon = epsilon_of(request, setting)
    if epsilon is not None:
        _require_constant(request, "epsilon", epsilon)
    parameters = input_parameters(session.program.target, declaration)
    subject = subject_of(declaration, given)
    bound = mechanisms.bound(declaration, given)
    inputs = all_pairs_of_inputs(session.program, bound, parameters, subject, session.budget)
    lowered = mechanisms.program_of(declaration, given)
    request.programs.append(lowered.program)
    graph = explore_noise(lowered.program, [lowered.start(values) for values in inputs], session.budget)
    runs = enclosed_words(graph, session.budget)
    labels = [inputs_text(lowered.inputs, values) or "any run" for values in inputs]
    one_way = request.has("one way")
    found = Diagnostics()
    pairs: dict[tuple[int, int], None] = {}
    for clause in request.clauses("adjacent"):
        adjacency = applied(request, setting, clause.value)
        related = related_pairs(session.program, mechanisms.compiler, adjacency, inputs, subject, session.budget)
        found.extend(doubts(adjacency, related, lambda number: labels[number], one_way=one_way))
        pairs.update(dict.fromkeys(related.ordered if one_way else related.unordered))
    session.found.extend(found.sorted())
    different = [(left, right) for left, right in pairs if left != right]
    return EnclosedTable(
        letters=tuple("" if label is None else show(label.value) for label in graph.labels),
        nodes=runs.nodes,
        draws=runs.draws,
        sides=tuple(EnclosedSide(label=name, words=words) for name, words in zip(labels, _words(runs, outputs))),
        pairs=tuple(different or list(pairs)[:1] or [(0, 0)]),
        epsilon=epsilon,
        bindings=setting.bindings,
        one_way=one_way,
    )


def _words(runs: EnclosedRuns, outputs: int | None) -> Sequence[dict[EnclosedWord, IntegralSum]]:
    """What is seen of runs: whole words, or what they begin with; what is seen for certain has probability 1."""
    found = []
    for words in runs.words:
        seen: dict[EnclosedWord, IntegralSum] = {}
        for word, number in words.items():
            seen[word[:outputs]] = seen.get(word[:outputs], IntegralSum()) + number
        found.append(seen if len(seen) > 1 else dict.fromkeys(seen, IntegralSum.of(1)))
    return found


def _require_constant(request: Request, keyword: str, bound: Number | Epsilon) -> None:
    """Raise InputRejected for an epsilon or a delta that depends on parameters."""
    if isinstance(bound, Epsilon):
        is_constant = not bound.parameters
    else:
        is_constant = isinstance(bound, Fraction) or is_closed(bound)
    if is_constant:
        return
    assert isinstance(bound, Epsilon | RationalFunction)
    diagnostic = Diagnostic(
        code=codes.GAUSSIAN_MISPLACED,
        message=f"the {keyword} of a claim about Gaussian noise is {bound}, which is no rational number",
        labels=(Label(next(request.clauses(keyword)).span),),
        help="give the parameter a value, `--set eps=1/2`, or claim a number, `epsilon 1/2`",
    )
    raise InputRejected([diagnostic])
