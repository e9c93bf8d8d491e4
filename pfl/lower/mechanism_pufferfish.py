"""Pufferfish claims on mechanisms: a prior draws the world and gives the inputs, or the claim writes two starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.lower.claim_errors import real_numbers_shown
from pfl.lower.comparing import Goal, delta_of, lengths_of
from pfl.lower.hmm.started import Started
from pfl.lower.mechanism.adjacency import Inputs
from pfl.lower.mechanism.mechanism import subject_of
from pfl.lower.mechanism.mechanism_system import MechanismSystem, OutputTable, question_of_outputs
from pfl.lower.privacy import mechanism_of
from pfl.lower.pufferfish import Conditioned, Joint, PufferfishClaim, Weights
from pfl.lower.request import Request, Setting
from pfl.lower.secrets import Secrets
from pfl.model.compare import Compare
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.values import Value
from pfl.passes.condition import Memory
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.typecheck.bindings import input_parameters


@struct(eq=False, cached=True)
class MechanismStart(Started):
    """A mechanism, given values, as the system that a prior starts: what `start` sets are its inputs."""

    declaration: MechanismDecl
    given: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @property
    def subject(self) -> str:
        return subject_of(self.declaration, self.given)

    @property
    def declared(self) -> tuple[Parameter, ...]:
        return input_parameters(self.program.target, self.declaration)


def mechanism_pufferfish(request: Request, goal: Goal) -> Compare:
    """The comparisons of `check pufferfish`, and of `compute epsilon` and `delta` with secrets, on a mechanism.

    Without `length` whole runs are judged. Secrets of probability 0 are skipped with a warning.
    Raises InputRejected and LimitReached.
    """
    settings = list(request.settings())
    claim = _MechanismPufferfish(request)
    tables = claim.tables(claim.pairs(settings))
    lengths = lengths_of(request, settings)
    parts = [
        OutputTable(table=table, counted=built.counted, whole_run=built.whole_run)
        for table in tables
        for built in (claim.built[table.system],)
    ]
    return question_of_outputs(
        parts,
        goal=goal,
        lengths=lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        skipped=tuple(claim.skipped),
        budget=request.session.budget,
    )


class _MechanismPufferfish(PufferfishClaim[MechanismStart, MechanismStart, Weights]):
    """Starts are inputs with their probabilities; the system is built on the inputs of all pairs together.

    `built` has of every labelled system what it was made of.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.built: dict[LabelledSystem, MechanismSystem] = {}

    def model(self, setting: Setting) -> MechanismStart:
        session = self.request.session
        declaration, given = mechanism_of(self.request, setting)
        key = (id(declaration), given)
        if key not in session.models:
            session.models[key] = MechanismStart(
                program=session.program,
                compiler=session.mechanisms.bound(declaration, given),
                declaration=declaration,
                given=given,
            )
        model: MechanismStart = session.models[key]
        return model

    def started(self, model: MechanismStart, starts: Sequence[Weights]) -> tuple[MechanismStart, Sequence[Weights]]:
        return model, starts

    def conditioned(
        self, model: MechanismStart, joints: Iterable[tuple[str, Joint]], secrets: Secrets
    ) -> Iterator[Conditioned[MechanismStart, Weights]]:
        for prior, joint in joints:
            starts = [_given(joint, secret) for secret in secrets.predicates]
            yield Conditioned(prior=prior, system=model, starts=[(start, _total(start)) for start in starts])

    def labelled(self, system: MechanismStart, starts: Sequence[Weights]) -> tuple[LabelledSystem, Sequence[Vector]]:
        request = self.request
        inputs: tuple[Inputs, ...] = tuple(dict.fromkeys(inputs for start in starts for inputs in start))
        systems = request.session.systems
        built = systems.system_on(system.declaration, system.given, inputs).noting(request.divisors)
        if built.tells_reals:
            asked = "a ratio under a prior"
            raise InputRejected([real_numbers_shown(built.lowered.declaration, asked, request.claim.span)])
        request.session.found.extend(built.warnings())
        request.programs.append(built.lowered.program)
        self.built[built.system] = built
        return built.system, [built.mixed(start) for start in starts]


def _total(weights: Weights) -> Number:
    return sum(weights.values(), Fraction(0))


def _given(joint: Joint, secret: Callable[[Memory], bool]) -> Weights:
    """Pr(inputs and the secret)."""
    return summed((inputs, weight) for (world, inputs), weight in joint.items() if secret((world,)))
