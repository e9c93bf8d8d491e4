"""Which engine answers what, and why."""

from __future__ import annotations

from dataclasses import dataclass

from pfl.engines.registry import ENGINES, Engine
from pfl.model.claims import Question
from pfl.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The engine to ask, the reason for the choice, and an engine of another kind that is to confirm a proof."""

    engine: Engine
    reason: str
    confirm: Engine | None = None


def plan(question: Question, options: Options) -> Plan:
    """The engine that `options.engine` names, where that can answer the question, or the first that can."""
    asked = next((e for e in ENGINES if e.by_request and e.name == options.engine and e.can(question)), None)
    if asked is not None and not asked.confirmed:
        return Plan(engine=asked, reason=asked.reason)
    own = next(engine for engine in ENGINES if not engine.by_request and engine.can(question))
    if asked is not None:
        return Plan(engine=asked, reason=asked.reason, confirm=own)
    return Plan(engine=own, reason=own.reason)
