"""Pufferfish claims: two starts that the claim writes, or, under every prior, two secrets, as comparisons.

What `hmm_pufferfish` and `mechanism_pufferfish` have in common.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.lower.comparing import epsilon_of, not_zero, side
from pfl.lower.hmm.hmm_errors import zero_secret
from pfl.lower.hmm.hmm_systems import World, own_start, priors_of
from pfl.lower.hmm.started import Started, State
from pfl.lower.request import Request, Setting, written
from pfl.lower.secrets import Secrets
from pfl.model.compare import Table
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import Condition

Weights: TypeAlias = Mapping[State, Number]
"""Where a run may start, with probabilities that need not sum to 1."""

Joint: TypeAlias = Mapping[tuple[World, State], Number]
"""Pr(world, start)."""

Model = TypeVar("Model", bound=Started)
System = TypeVar("System")
Start = TypeVar("Start")


@struct(eq=False)
class StartPair(Generic[System, Start]):
    """Two starts of a system that must look alike."""

    setting: Setting
    system: System
    labels: tuple[str, str]
    starts: tuple[Start, Start]
    heading: str
    prior: str = ""
    probabilities: tuple[Number, Number] = (Fraction(1), Fraction(1))
    nonzero: tuple[tuple[Condition, ...], tuple[Condition, ...]] = ((), ())


@struct(eq=False)
class Conditioned(Generic[System, Start]):
    """Under one prior, a system and where it starts for each secret, with the probabilities of these."""

    prior: str
    system: System
    starts: Sequence[tuple[Start, Number]]


class PufferfishClaim(ABC, Generic[Model, System, Start]):
    """A claim about starts of one kind of system.

    A `Model` is what the claim names under one binding of `for`, a `System` what is started; pairs of one system, by
    identity, share a labelled system. `skipped` are the pairs with a secret of probability 0, in words.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.skipped: list[str] = []

    @abstractmethod
    def model(self, setting: Setting) -> Model:
        """The model that the claim is about."""

    @abstractmethod
    def started(self, model: Model, starts: Sequence[Weights]) -> tuple[System, Sequence[Start]]:
        """The system, and where it starts for each of some distributions."""

    @abstractmethod
    def conditioned(
        self, model: Model, joints: Iterable[tuple[str, Joint]], secrets: Secrets
    ) -> Iterator[Conditioned[System, Start]]:
        """For every prior, with its name, the joint distribution given each secret."""

    @abstractmethod
    def labelled(self, system: System, starts: Sequence[Start]) -> tuple[LabelledSystem, Sequence[Vector]]:
        """What a system shows, and its starts as vectors; shape |S|."""

    def pairs(self, settings: Iterable[Setting]) -> list[StartPair[System, Start]]:
        """All pairs that the claim is about. Secrets of probability 0 are skipped with a warning.

        Raises InputRejected and LimitReached.
        """
        return [pair for setting in settings for pair in (*self._between(setting), *self._secrets(setting))]

    def tables(self, pairs: Sequence[StartPair[System, Start]]) -> list[Table]:
        """A table for each pair. Raises InputRejected and LimitReached."""
        groups: dict[int, list[StartPair[System, Start]]] = {}
        for pair in pairs:
            groups.setdefault(id(pair.system), []).append(pair)
        tables: dict[StartPair[System, Start], Table] = {}
        for group in groups.values():
            system, vectors = self.labelled(group[0].system, [start for pair in group for start in pair.starts])
            for position, pair in enumerate(group):
                both = vectors[2 * position : 2 * position + 2]
                tables[pair] = Table.of_pair(
                    system,
                    list(map(side, pair.labels, both, pair.probabilities, pair.nonzero)),
                    epsilon=epsilon_of(self.request, pair.setting),
                    heading=pair.heading,
                    prior=pair.prior,
                    bindings=pair.setting.bindings,
                )
        return [tables[pair] for pair in pairs]

    def _between(self, setting: Setting) -> Iterator[StartPair[System, Start]]:
        """Two start distributions that the claim writes out."""
        clauses = [versus for versus, _ in self.request.pairs("between")]
        if not clauses:
            return
        model = self.model(setting)
        compiler = setting.compiler.bind(model.state_names)
        nodes = [node for versus in clauses for node in (versus.left, versus.right)]
        system, starts = self.started(model, [model.start(compiler, node) for node in nodes])
        for position, versus in enumerate(clauses):
            yield StartPair(
                setting=setting,
                system=system,
                labels=(written(versus.left.span), written(versus.right.span)),
                starts=(starts[2 * position], starts[2 * position + 1]),
                heading="start",
            )

    def _secrets(self, setting: Setting) -> Iterator[StartPair[System, Start]]:
        """Under every prior, two secrets: the joint distribution conditioned on each."""
        clauses = list(self.request.pairs("secrets"))
        if not clauses:
            return
        model = self.model(setting)
        expressions = [node for versus, _ in clauses for node in (versus.left, versus.right)]
        secrets = Secrets(model=model, compiler=setting.compiler, expressions=expressions)
        for given in self.conditioned(model, self._joints(setting, model, secrets), secrets):
            for position, (versus, place) in enumerate(clauses):
                (left, p), (right, q) = given.starts[2 * position : 2 * position + 2]
                labels = (written(versus.left.span), written(versus.right.span))
                impossible = [label for label, probability in zip(labels, (p, q)) if not probability]
                if impossible:
                    warning = zero_secret(place, impossible[0], given.prior, setting.words)
                    self.request.session.found.add(warning)
                    self.skipped.append(warning.message)
                    continue
                yield StartPair(
                    setting=setting,
                    system=given.system,
                    labels=labels,
                    starts=(left, right),
                    heading="secrets",
                    prior=given.prior,
                    probabilities=(p, q),
                    nonzero=(self._possible(labels[0], p), self._possible(labels[1], q)),
                )

    def _possible(self, label: str, probability: Number) -> tuple[Condition, ...]:
        return not_zero(self.request, probability, f"`{label}` has a probability above 0")

    def _joints(self, setting: Setting, model: Model, secrets: Secrets) -> Iterator[tuple[str, Joint]]:
        """For every prior its name and Pr(world, start); without a prior the model's own start, and no world."""
        is_alone = True
        for prior in priors_of(self.request, setting):
            is_alone = False
            joint = prior.joint(model, secrets.world, self.request.session.budget)
            yield prior.written, joint.noting(self.request.divisors)
        if is_alone:
            yield "", {((), state): weight for state, weight in own_start(self.request, model).items()}
