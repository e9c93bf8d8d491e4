"""Lowerings that only claims about automata need: each is loaded with the first such claim.

Each is described where it is imported from, with what it raises.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pfl.lower.request import Request
from pfl.model.claims import Case
from pfl.model.compare import Compare

Goal: TypeAlias = Literal["check", "epsilon", "delta"]


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
