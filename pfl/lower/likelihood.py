"""`compute likelihood`: a word of observations, some of them missing, from where the model or a prior starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.lower.hmm.hmm import HmmModel, ReachedHmm
from pfl.lower.hmm.hmm_errors import never_silent, unknown_observation
from pfl.lower.hmm.hmm_systems import hmm_of, own_start, priors_of
from pfl.lower.hmm.started import State
from pfl.lower.request import Request, Setting, written
from pfl.model.coincidence import coincidence, coincidences
from pfl.model.labelled_system import Hmm, LabelledSystem, sparse
from pfl.model.measure import HiddenMoves, Measure, Observed
from pfl.model.values import SILENT, TupleValue, Value, show
from pfl.passes.observe import NEVER, observe, observe_showing
from pfl.syntax.tree.ast import Expr, Name
from pfl.syntax.tree.ast_declarations import Row
from pfl.syntax.tree.ast_module import Observations
from pfl.typecheck.bindings import Builtin

MOMENTS_REMARK = (
    "`@t` is the state after t moves, silent ones among them; `at letter j` is the state that showed the j-th letter"
)


def likelihood(request: Request) -> Measure:
    """The question of the claim. Raises InputRejected where an observation is none that the model lists."""
    setting = next(request.settings())
    model = hmm_of(request, setting)
    budget = request.session.budget
    start = _start(request, setting, model)
    reached = model.reach(start, budget, 1 + len(list(_observed(request)))).noting(request.divisors)
    letters = (*reached.letters, *_never_emitted(request, setting, model, reached))
    request.divisors.note(coincidences(letters))
    if request.has("posterior"):
        request.divisors.note(coincidences(TupleValue(state) for state in reached.states))
    hmm = replace(reached.hmm, letters=tuple(map(show, letters)))
    if request.has("posterior") and any(hmm.silent):
        return _with_hidden_moves(request, setting, model, reached, hmm, letters, start)
    observed = observe(hmm, [reached.vector(start)], budget).noting(request.divisors)
    may_be_silent = any(hmm.silent) or request.session.values.equations
    system = _with_never(observed.system) if may_be_silent else observed.system
    asked = Observed(
        word=_word(request, setting, model, letters, system),
        posterior=request.has("posterior"),
        variables=tuple(
            () if state is None else model.variables_at(reached.states[state]) for state in observed.state_of
        ),
    )
    return Measure(system=system, start=sparse(observed.starts[0]), quantity=asked)


def _with_hidden_moves(
    request: Request,
    setting: Setting,
    model: HmmModel,
    reached: ReachedHmm,
    hmm: Hmm,
    letters: tuple[Value, ...],
    start: Mapping[State, Number],
) -> Measure:
    """The question with a posterior, where states can be silent: letters do not tell how many moves were made."""
    showing = observe_showing(hmm, reached.vector(start), request.session.budget).noting(request.divisors)
    system = _with_never(showing.system)
    request.remarks.append(MOMENTS_REMARK)
    asked = Observed(
        word=_word(request, setting, model, letters, system),
        posterior=True,
        variables=tuple(model.variables_at(state) for state in reached.states),
        hidden=HiddenMoves(hmm=hmm, start=reached.vector(start), before=showing.before, shown_by=showing.shown_by),
    )
    return Measure(system=system, start=sparse(showing.start), quantity=asked)


def _with_never(system: LabelledSystem) -> LabelledSystem:
    """The system with the letter of silence without end, which has probability 0 where no state is silent for ever."""
    if NEVER in system.letters:
        return system
    return replace(
        system, letters=(*system.letters, NEVER), matrices=(*system.matrices, tuple(() for _ in system.states))
    )


def _start(request: Request, setting: Setting, model: HmmModel) -> Mapping[State, Number]:
    for prior in priors_of(request, setting):
        joint = prior.joint(model, (), request.session.budget).noting(request.divisors)
        weights: dict[State, Number] = {}
        for (_, state), weight in joint.items():
            weights[state] = weights.get(state, Fraction(0)) + weight
        return weights
    return own_start(request, model)


def _never_emitted(request: Request, setting: Setting, model: HmmModel, reached: ReachedHmm) -> tuple[Value, ...]:
    """The letters that the rows of a table list with weight 0 alone: a word with one has likelihood 0.

    So has one with a letter that no state shows at the values of the parameters that are judged apart, or that is one
    of the system's at such values alone.
    """
    rows = (item for item in model.declaration.items if isinstance(item, Row) and item.kind == "emits")
    listed = [model.compiler.expression(entry.key)() for row in rows for entry in row.entries]
    asked = [setting.compiler.expression(node)() for node in _observed(request) if not _stands_apart(request, node)]
    is_apart = bool(request.session.values.equations)
    listed += [value for value in asked if is_apart or any(_may_coincide(value, letter) for letter in reached.letters)]
    return tuple(dict.fromkeys(letter for letter in listed if letter not in (*reached.letters, SILENT)))


def _may_coincide(one: Value, other: Value) -> bool:
    return isinstance(coincidence(one, other), RationalFunction)


def _observed(request: Request) -> Iterator[Expr]:
    for clause in request.clauses("observations"):
        assert isinstance(clause.value, Observations)
        yield from clause.value.values


def _stands_apart(request: Request, node: Expr) -> bool:
    """Whether an observation is missing, or is that nothing more is shown."""
    return _is_builtin(request, node, "_") or _is_builtin(request, node, NEVER)


def _word(
    request: Request, setting: Setting, model: HmmModel, letters: tuple[Value, ...], system: LabelledSystem
) -> tuple[int | None, ...]:
    """The numbers of the observations: those of `letters` come first in the system, that of `never` last."""
    numbers = {letter: number for number, letter in enumerate(letters)}
    word: list[int | None] = []
    for clause in request.clauses("observations"):
        assert isinstance(clause.value, Observations)
        for node in clause.value.values:
            if _is_builtin(request, node, "_"):
                word.append(None)
                continue
            value = None if _is_builtin(request, node, NEVER) else setting.compiler.expression(node)()
            if value is not None and value in numbers:
                word.append(numbers[value])
            elif isinstance(node, Name) and node.text == NEVER:
                if len(system.letters) == len(letters):
                    raise InputRejected([never_silent(node.span, model.name)])
                word.append(len(letters))
            else:
                shown = [show(letter) for letter in letters]
                raise InputRejected([unknown_observation(node.span, written(node.span), model.name, shown)])
    return tuple(word)


def _is_builtin(request: Request, node: Expr, name: str) -> bool:
    return isinstance(node, Name) and request.session.program.target(node) == Builtin(name=name)
