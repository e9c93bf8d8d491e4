"""What a proved refinement carries over: the proved claims about the system that is implemented.

Source: docs/theory/refinement.md.
"""

from __future__ import annotations

from dataclasses import replace

from pfl.engines.answer import Proved
from pfl.model.compare import Compare
from pfl.model.two_systems import TwoSystems
from pfl.verify.verdict import ClaimResult


class Carrying:
    """Names what holds of an implementing system, too, while results come in.

    Each pair of a proved refinement and a proved claim about the implemented system is named once, by whichever of the
    two comes later: the refinement names the claim, or the claim names the implementing system.
    """

    def __init__(self) -> None:
        self._claims: list[tuple[str, Compare]] = []
        self._refinements: list[tuple[str, TwoSystems]] = []

    def added(self, result: ClaimResult) -> ClaimResult:
        """The result, with the facts that it and those before it allow."""
        if not isinstance(result.verdict, Proved):
            return result
        questions, name = result.claim.questions, result.claim.name
        facts: list[tuple[str, str]] = []
        compared = [question for question in questions if isinstance(question, Compare) and question.comparisons]
        for refinement in (question.implements for question in compared if question.implements is not None):
            facts += [
                ("carries over", f"`{other}` of {refinement.names[1]}")
                for other, asked in self._claims
                if _is_about(asked, refinement)
            ]
            self._refinements.append((name, refinement))
        for question in compared:
            if not question.is_about_systems:
                facts += [
                    ("carries over", f"to {refinement.names[0]}, by `{other}`")
                    for other, refinement in self._refinements
                    if _is_about(question, refinement)
                ]
                self._claims.append((name, question))
        evidence = result.verdict.evidence
        known = tuple(dict.fromkeys((*evidence.facts, *facts)))
        return replace(result, verdict=replace(result.verdict, evidence=replace(evidence, facts=known)))


def _is_about(question: Compare, implementation: TwoSystems) -> bool:
    """Whether a question compares two runs of the very system that is implemented."""
    return all(
        comparison.table.runs is not None and comparison.table.runs.system is implementation.abstract
        for comparison in question.comparisons
    )
