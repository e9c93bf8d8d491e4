"""Pufferfish claims on hidden Markov models: every prior, every pair of secrets or of starts, as comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.frontend.lower.comparing import delta_of, epsilon_of, lengths_of, not_zero, side
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_errors import no_start, zero_secret
from pfl.frontend.lower.hmm_reached import State
from pfl.frontend.lower.hmm_systems import hmm_of, priors_of
from pfl.frontend.lower.prior import World
from pfl.frontend.lower.request import Request, Setting, written
from pfl.frontend.lower.secrets import Secrets
from pfl.ir.claims import Comparison, Indistinguishability
from pfl.ir.hmm import Hmm
from pfl.ir.labelled_system import Vector
from pfl.ir.parameters import Condition
from pfl.transform.observe import observe

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
    nonzero: tuple[Condition, ...]


def pufferfish(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Indistinguishability:
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
    return Indistinguishability(
        goal=goal,
        comparisons=tuple(_comparisons(request, pairs)),
        lengths=lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        unit="observation",
        skipped=tuple(skipped),
    )


def _comparisons(request: Request, pairs: Sequence[_Pair]) -> Iterator[Comparison]:
    """Pairs of one hmm are observed together, so that they share one labelled system."""
    groups: dict[Hmm, list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.hmm, []).append(pair)
    comparisons: dict[_Pair, Comparison] = {}
    for hmm, group in groups.items():
        starts = [start for pair in group for start in pair.starts]
        observed = observe(hmm, starts, request.session.budget).noting(request.divisors)
        for position, pair in enumerate(group):
            left, right = observed.starts[2 * position : 2 * position + 2]
            comparisons[pair] = Comparison(
                system=observed.system,
                left=side(pair.labels[0], left, pair.probabilities[0]),
                right=side(pair.labels[1], right, pair.probabilities[1]),
                epsilon=epsilon_of(request, pair.setting),
                heading=pair.heading,
                prior=pair.prior,
                bindings=pair.setting.bindings,
                nonzero=pair.nonzero,
            )
    return (comparisons[pair] for pair in pairs)


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
            nonzero=(),
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
        hmm, starts = secrets.conditioned(reached, joint, request.session.budget).noting(request.divisors)
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
                nonzero=tuple(
                    found
                    for label, start in zip(labels, sides)
                    for found in not_zero(request, start.probability, f"`{label}` has a probability above 0")
                ),
            )


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
