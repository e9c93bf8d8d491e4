"""Lowerings that only claims about mechanisms, or about automata, need: each is loaded with the first such claim.

Each is described where it is imported from, with what it raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from pfl.lower.request import Measured, Request
from pfl.model.claims import Case
from pfl.model.compare import Compare

Goal: TypeAlias = Literal["check", "epsilon", "delta"]


def privacy(request: Request, goal: Goal) -> Compare:
    """Privacy of a mechanism under adjacencies."""
    from pfl.lower.privacy import privacy as lowering

    return lowering(request, goal)


def mechanism_pufferfish(request: Request, goal: Goal) -> Compare:
    """Secrets of a mechanism's inputs, or its starts."""
    from pfl.lower.mechanism_pufferfish import mechanism_pufferfish as lowering

    return lowering(request, goal)


def mechanism_probability(request: Request) -> Iterator[Measured]:
    """How likely results of a mechanism are."""
    from pfl.lower.mechanism_runs import mechanism_probability as lowering

    return lowering(request)


def mechanism_distribution(request: Request) -> Iterator[Measured]:
    """All results of a mechanism."""
    from pfl.lower.mechanism_runs import mechanism_distribution as lowering

    return lowering(request)


def mechanism_expectation(request: Request, unit: Literal["step", "cost"]) -> Iterator[Measured]:
    """Steps or costs of a mechanism."""
    from pfl.lower.mechanism_runs import mechanism_expectation as lowering

    return lowering(request, unit)


def noninterference(request: Request, goal: Goal) -> Compare:
    """What an automaton gives away."""
    from pfl.lower.noninterference import noninterference as lowering

    return lowering(request, goal)


def relation_check(request: Request) -> tuple[Case, ...]:
    """Whether a relation is an unwinding family."""
    from pfl.lower.relation import relation_check as lowering

    return lowering(request)


def implementation(request: Request) -> tuple[Case, ...]:
    """Whether one automaton does what another does."""
    from pfl.lower.relation import implementation as lowering

    return lowering(request)
