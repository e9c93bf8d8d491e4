"""Pufferfish claims on hidden Markov models: every prior, every pair of secrets or of starts, as comparisons.

Secrets: predicates on the world, the start and the state at later moments, and the chain conditioned on them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.variables import Moment, Variable
from pfl.lower.comparing import delta_of, epsilon_of, lengths_of, not_zero, side
from pfl.lower.hmm.hmm import HmmModel
from pfl.lower.hmm.hmm_errors import no_start, zero_secret
from pfl.lower.hmm.hmm_systems import World, hmm_of, priors_of
from pfl.lower.hmm.hmm_table import ReachedHmm, State
from pfl.lower.request import Request, Setting, written
from pfl.model.compare import Compare, Table, joined
from pfl.model.labelled_system import Hmm, Vector
from pfl.model.parameters import Condition
from pfl.model.values import Value, truth
from pfl.passes.condition import ConditionedStart, Memory, condition
from pfl.passes.observe import observe
from pfl.syntax.tree.ast import Expr
from pfl.typecheck.bindings import Local


@dataclass(frozen=True, kw_only=True, eq=False)
class Secrets:
    """Some secrets of one claim about one model; `compiler` has the variables of `for` bound, per secret."""

    model: HmmModel
    expressions: tuple[tuple[Expr, Compiler], ...]

    @cached_property
    def _compiled(self) -> tuple[tuple[tuple[Variable, ...], Callable[..., bool]], ...]:
        """Of each secret the variables that it reads, and whether it holds for their values."""
        return tuple(compiler.secret(expression) for expression, compiler in self.expressions)

    @cached_property
    def _read(self) -> tuple[Variable, ...]:
        """Every variable that some secret reads, in order of first mention."""
        return tuple(dict.fromkeys(variable for variables, _ in self._compiled for variable in variables))

    @cached_property
    def world(self) -> tuple[str, ...]:
        """The names of the world that secrets read."""
        return tuple(v.name.text for v in self._read if isinstance(v, Local) and not self._is_state(v))

    @cached_property
    def _timed(self) -> tuple[tuple[int, Local], ...]:
        """The moments at which secrets read the state, and the variable; a name without `@` is about the start."""
        timed: list[tuple[int, Local]] = []
        for variable in self._read:
            match variable:
                case Moment(local=local, time=time):
                    timed.append((time, local))
                case Local() if self._is_state(variable):
                    timed.append((0, variable))
        return tuple(sorted(dict.fromkeys(timed), key=lambda entry: entry[0]))

    def _is_state(self, local: Local) -> bool:
        return local.kind in ("state", "table-state")

    def conditioned(
        self, reached: ReachedHmm, joint: Mapping[tuple[World, State], Number], budget: Budget
    ) -> tuple[Hmm, tuple[ConditionedStart, ...]]:
        """An hmm that holds the chain conditioned on each secret, and where it starts for each of them."""
        moments = tuple(dict.fromkeys(moment for moment, _ in self._timed))
        start: dict[tuple[Hashable, int], Number] = {
            (world, reached.index[state]): weight for (world, state), weight in joint.items()
        }

        def record(moment: int, state: int) -> Hashable:
            values = reached.states[state]
            return tuple(self._value(local, values) for time, local in self._timed if time == moment)

        predicates = [self._predicate(variables, holds, moments) for variables, holds in self._compiled]
        return condition(reached.hmm, start, moments, record, predicates, budget)

    def _value(self, local: Local, state: State) -> Value:
        """The value of a state variable; of a state of a table, whether it is that one."""
        if local.kind == "table-state":
            return truth(state == (self.model.state_names[local],))
        return state[self.model.variables.index(local)]

    def _predicate(
        self, variables: Sequence[Variable], holds: Callable[..., bool], moments: Sequence[int]
    ) -> Callable[[Memory], bool]:
        def predicate(memory: Memory) -> bool:
            world, *recorded = memory
            assert isinstance(world, tuple)
            known: dict[Variable, Value] = {}
            names = dict(zip(self.world, world))
            held = dict(zip(moments, recorded))
            for variable in variables:
                if isinstance(variable, Local) and not self._is_state(variable):
                    known[variable] = names[variable.name.text]
                    continue
                time, local = (variable.time, variable.local) if isinstance(variable, Moment) else (0, variable)
                places = [other for moment, other in self._timed if moment == time]
                values = held[time]
                assert isinstance(values, tuple)
                known[variable] = values[places.index(local)]
            return holds(*(known[variable] for variable in variables))

        return predicate


Joint: TypeAlias = Mapping[tuple[World, State], Number]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pair:
    """Two starts of an hmm that must look alike."""

    hmm: Hmm
    labels: tuple[str, str]
    starts: tuple[Vector, Vector]
    probabilities: tuple[Number, Number]
    heading: str
    prior: str
    setting: Setting
    nonzero: tuple[tuple[Condition, ...], tuple[Condition, ...]] = ((), ())


def pufferfish(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Compare:
    """The comparisons of `check pufferfish`, `compute epsilon` and `compute delta` on an hmm.

    Secrets of probability 0 are skipped with a warning. Raises InputRejected and LimitReached.
    """
    settings = list(request.settings())
    pairs: list[_Pair] = []
    skipped: list[str] = []
    for setting in settings:
        pairs += _between(request, setting)
        pairs += _secrets(request, setting, skipped)
    lengths = lengths_of(request, settings)
    assert lengths is not None, "the checker asks for a length"
    return Compare(
        goal=goal,
        tables=joined(_tables(request, pairs)),
        lengths=lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        unit="observation",
        skipped=tuple(skipped),
    )


def _tables(request: Request, pairs: Sequence[_Pair]) -> Iterator[Table]:
    """Pairs of one hmm are observed together, so that they share one labelled system."""
    groups: dict[Hmm, list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.hmm, []).append(pair)
    tables: dict[_Pair, Table] = {}
    for hmm, group in groups.items():
        starts = [start for pair in group for start in pair.starts]
        observed = observe(hmm, starts, request.session.budget).noting(request.divisors)
        for position, pair in enumerate(group):
            begun = observed.starts[2 * position : 2 * position + 2]
            tables[pair] = Table.of_pair(
                observed.system,
                list(map(side, pair.labels, begun, pair.probabilities, pair.nonzero)),
                epsilon=epsilon_of(request, pair.setting),
                heading=pair.heading,
                prior=pair.prior,
                bindings=pair.setting.bindings,
            )
    return (tables[pair] for pair in pairs)


def _between(request: Request, setting: Setting) -> Iterator[_Pair]:
    """Two start distributions that the claim writes out."""
    clauses = list(request.pairs("between"))
    if not clauses:
        return
    model = hmm_of(request, setting)
    compiler = setting.compiler.bind(model.state_names)
    starts = {id(node): model.start(compiler, node) for versus, _ in clauses for node in (versus.left, versus.right)}
    every = (state for start in starts.values() for state in start)
    reached = model.reach(every, request.session.budget).noting(request.divisors)
    for versus, _ in clauses:
        left, right = (reached.vector(starts[id(node)]) for node in (versus.left, versus.right))
        yield _Pair(
            hmm=reached.hmm,
            labels=(written(versus.left.span), written(versus.right.span)),
            starts=(left, right),
            probabilities=(Fraction(1), Fraction(1)),
            heading="start",
            prior="",
            setting=setting,
        )


def _secrets(request: Request, setting: Setting, skipped: list[str]) -> Iterator[_Pair]:
    """Under every prior, two secrets: the joint distribution conditioned on each."""
    clauses = list(request.pairs("secrets"))
    if not clauses:
        return
    model = hmm_of(request, setting)
    compiler = setting.compiler
    expressions = tuple((node, compiler) for versus, _ in clauses for node in (versus.left, versus.right))
    secrets = Secrets(model=model, expressions=expressions)
    joints = list(_joints(request, setting, model, secrets))
    every = (state for _, joint in joints for _, state in joint)
    reached = model.reach(every, request.session.budget).noting(request.divisors)
    for prior, joint in joints:
        hmm, starts = secrets.conditioned(reached, joint, request.session.budget)
        for position, (versus, place) in enumerate(clauses):
            sides = starts[2 * position : 2 * position + 2]
            labels = (written(versus.left.span), written(versus.right.span))
            impossible = [label for label, start in zip(labels, sides) if not start.probability]
            if impossible:
                warning = zero_secret(place, impossible[0], prior, setting.words)
                request.session.found.add(warning)
                skipped.append(warning.message)
                continue
            yield _Pair(
                hmm=hmm,
                labels=labels,
                starts=(sides[0].start, sides[1].start),
                probabilities=(sides[0].probability, sides[1].probability),
                heading="secrets",
                prior=prior,
                setting=setting,
                nonzero=(_possible(request, labels[0], sides[0]), _possible(request, labels[1], sides[1])),
            )


def _possible(request: Request, label: str, start: ConditionedStart) -> tuple[Condition, ...]:
    return not_zero(request, start.probability, f"`{label}` has a probability above 0")


def _joints(request: Request, setting: Setting, model: HmmModel, secrets: Secrets) -> Iterator[tuple[str, Joint]]:
    """For every prior its name and Pr(world, start); without a prior the model's own start, and no world."""
    names, budget = secrets.world, request.session.budget
    is_alone = True
    for prior in priors_of(request, setting):
        is_alone = False
        yield prior.written, prior.joint(model, names, budget).noting(request.divisors)
    if is_alone:
        initial = model.initial(budget).noting(request.divisors)
        if initial is None:
            raise InputRejected([no_start(request.claim.system.span, model.name)])
        yield "", {((), state): weight for state, weight in initial.items()}
