"""Pufferfish claims on mechanisms: a prior draws the world and gives the inputs, or the claim writes two starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.evaluation.compiler import Compiler
from pfl.lower.comparing import delta_of, epsilon_of, lengths_of, not_zero, side
from pfl.lower.hmm.hmm_errors import no_start, zero_secret
from pfl.lower.hmm.hmm_systems import priors_of
from pfl.lower.mechanism.adjacency import Inputs
from pfl.lower.mechanism.mechanism import subject_of
from pfl.lower.mechanism.mechanism_system import MechanismSystem, OfOutputs, question_of_outputs
from pfl.lower.privacy import mechanism_of
from pfl.lower.request import Request, Setting, written
from pfl.model.compare import Compare, Table
from pfl.model.parameters import Condition
from pfl.model.program import Point
from pfl.model.values import TupleValue, Value
from pfl.programs.frame import Frame
from pfl.programs.program_builder import ProgramBuilder
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.typecheck.bindings import CheckedProgram, Local, input_parameters

Weights: TypeAlias = Mapping[Inputs, Number]
"""Inputs with their probabilities, which need not sum to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MechanismStart:
    """A mechanism as the system that a prior starts: what `start` sets are its inputs."""

    program: CheckedProgram
    compiler: Compiler
    declaration: MechanismDecl

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return input_parameters(self.program.target, self.declaration)

    @property
    def variables(self) -> tuple[Local, ...]:
        return tuple(self.program.local(parameter.name) for parameter in self.parameters)

    @property
    def state_names(self) -> Mapping[Local, Value]:
        """A mechanism has no states with names."""
        return {}

    def frame(self, builder: ProgramBuilder) -> Frame:
        """A body in which the inputs are variables without a value yet."""
        frame = Frame(
            program=self.program,
            compiler=self.compiler,
            builder=builder,
            subject=self.declaration.name.text,
            whole=self.variables,
        )
        for parameter in self.parameters:
            frame.declare(self.program.local(parameter.name), parameter.type, late=True)
        return frame

    def slots(self, frame: Frame) -> tuple[str, ...]:
        """The slots of the inputs in a frame."""
        return tuple(frame.names[local] for local in self.variables)

    def initialise(self, frame: Frame, following: Point) -> Point:
        """A mechanism gives its inputs no values of its own."""
        del frame
        return following

    def require_known(self, starts: Iterable[Inputs], place: Span) -> None:
        """All values of the types of the inputs are known."""
        del starts, place

    def written_start(self, compiler: Compiler, node: Expr) -> Weights:
        """The start distribution that a claim writes: over the values of the one input, or tuples of several."""
        weights: dict[Inputs, Number] = {}
        for value, weight in compiler.distribution(node)().items():
            inputs = value.elements if isinstance(value, TupleValue) and len(self.parameters) > 1 else (value,)
            for position, (part, parameter) in enumerate(zip(inputs, self.parameters)):
                what = f"`{parameter.name.text}` at the start"
                self.compiler.member(parameter.type, what, self.variables[:position], place=node.span)(
                    part, *inputs[:position]
                )
            weights[inputs] = weight
        return weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pair:
    """Two starts that must look alike, with their total weights."""

    setting: Setting
    model: MechanismStart
    given: tuple[Value, ...]
    labels: tuple[str, str]
    starts: tuple[Weights, Weights]
    heading: str
    prior: str
    nonzero: tuple[tuple[Condition, ...], tuple[Condition, ...]] = ((), ())


def mechanism_pufferfish(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Compare:
    """The comparisons of `check pufferfish`, and of `compute epsilon` and `delta` with secrets, on a mechanism.

    Without `length` whole runs are judged. Secrets of probability 0 are skipped with a warning.
    Raises InputRejected and LimitReached.
    """
    settings = list(request.settings())
    skipped: list[str] = []
    pairs = [
        pair for setting in settings for pair in (*_between(request, setting), *_secrets(request, setting, skipped))
    ]
    systems = _systems(request, pairs)
    lengths = lengths_of(request, settings)
    parts = [
        OfOutputs(tables=(_table(request, pair, built),), counted=built.counted, whole_run=built.whole_run)
        for pair in pairs
        for built in (systems[id(pair)],)
    ]
    return question_of_outputs(
        parts,
        goal=goal,
        lengths=lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        skipped=tuple(skipped),
        budget=request.session.budget,
    )


def _systems(request: Request, pairs: Sequence[_Pair]) -> dict[int, MechanismSystem]:
    """The system of each pair; pairs of one mechanism share one, on all inputs that they start from."""
    groups: dict[tuple[int, tuple[Value, ...]], list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault((id(pair.model.declaration), pair.given), []).append(pair)
    systems: dict[int, MechanismSystem] = {}
    for group in groups.values():
        first = group[0]
        inputs = tuple(dict.fromkeys(inputs for pair in group for start in pair.starts for inputs in start))
        systems_of = request.session.systems
        built = systems_of.system_on(first.model.declaration, first.given, inputs).noting(request.divisors)
        request.session.found.extend(built.warnings())
        request.programs.append(built.lowered.program)
        systems.update((id(pair), built) for pair in group)
    return systems


def _table(request: Request, pair: _Pair, built: MechanismSystem) -> Table:
    vectors, totals = map(built.mixed, pair.starts), map(_total, pair.starts)
    return Table.of_pair(
        built.system,
        list(map(side, pair.labels, vectors, totals, pair.nonzero)),
        epsilon=epsilon_of(request, pair.setting),
        heading=pair.heading,
        prior=pair.prior,
        bindings=pair.setting.bindings,
    )


def _model(request: Request, setting: Setting) -> tuple[MechanismStart, tuple[Value, ...]]:
    declaration, given = mechanism_of(request, setting)
    mechanisms = request.session.mechanisms
    model = MechanismStart(
        program=request.session.program, compiler=mechanisms.bound(declaration, given), declaration=declaration
    )
    return model, given


def _between(request: Request, setting: Setting) -> Iterator[_Pair]:
    """Two start distributions that the claim writes out."""
    for versus, _ in request.pairs("between"):
        model, given = _model(request, setting)
        left, right = (model.written_start(setting.compiler, node) for node in (versus.left, versus.right))
        yield _Pair(
            setting=setting,
            model=model,
            given=given,
            labels=(written(versus.left.span), written(versus.right.span)),
            starts=(left, right),
            heading="start",
            prior="",
        )


def _secrets(request: Request, setting: Setting, skipped: list[str]) -> Iterator[_Pair]:
    """Under every prior, the inputs given each of two secrets."""
    clauses = list(request.pairs("secrets"))
    if not clauses:
        return
    model, given = _model(request, setting)
    names = _world(setting.compiler, [node for versus, _ in clauses for node in (versus.left, versus.right)])
    priors = list(priors_of(request, setting))
    if not priors:
        raise InputRejected([no_start(request.claim.system.span, subject_of(model.declaration, given))])
    for prior in priors:
        joint = prior.joint(model, names, request.session.budget).noting(request.divisors)
        for versus, place in clauses:
            labels = (written(versus.left.span), written(versus.right.span))
            starts = [_given(setting.compiler, node, names, joint) for node in (versus.left, versus.right)]
            impossible = [label for label, start in zip(labels, starts) if not _total(start)]
            if impossible:
                warning = zero_secret(place, impossible[0], prior.written, setting.words)
                request.session.found.add(warning)
                skipped.append(warning.message)
                continue
            yield _Pair(
                setting=setting,
                model=model,
                given=given,
                labels=labels,
                starts=(starts[0], starts[1]),
                heading="secrets",
                prior=prior.written,
                nonzero=(_possible(request, labels[0], starts[0]), _possible(request, labels[1], starts[1])),
            )


def _possible(request: Request, label: str, start: Weights) -> tuple[Condition, ...]:
    return not_zero(request, _total(start), f"`{label}` has a probability above 0")


def _total(weights: Weights) -> Number:
    return sum(weights.values(), Fraction(0))


def _world(compiler: Compiler, secrets: Sequence[Expr]) -> tuple[str, ...]:
    """The names of the world that secrets read, in order of first mention."""
    read = (variable for secret in secrets for variable in compiler.reads(secret))
    return tuple(dict.fromkeys(variable.name.text for variable in read if isinstance(variable, Local)))


def _given(
    compiler: Compiler, secret: Expr, names: Sequence[str], joint: Mapping[tuple[tuple[Value, ...], Inputs], Number]
) -> Weights:
    """Pr(inputs and the secret)."""
    read = [variable for variable in compiler.reads(secret) if isinstance(variable, Local)]
    places = [names.index(variable.name.text) for variable in read]
    holds = compiler.condition(secret, read)
    weights: dict[Inputs, Number] = {}
    for (world, inputs), weight in joint.items():
        if holds(*(world[place] for place in places)):
            weights[inputs] = weights[inputs] + weight if inputs in weights else weight
    return weights
