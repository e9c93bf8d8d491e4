"""Lowerings that only claims about mechanisms need: each is loaded with the first such claim.

Each is described where it is imported from, with what it raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from pfl.lower.request import Measured, Request
from pfl.model.claims import Question
from pfl.model.compare import Compare

Goal: TypeAlias = Literal["check", "epsilon", "delta"]


def under_adjacencies(request: Request, goal: Goal) -> Question:
    """Privacy of a mechanism under adjacencies."""
    from pfl.lower.enclosed_privacy import under_adjacencies as lowering

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
