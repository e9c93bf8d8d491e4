"""Answers `find`: values of some parameters for which a claim holds at all values of the others.

Counterexamples lead the search: each word, with values of the other parameters, at which a candidate fails becomes a
condition on the names; when these conditions cannot be met, neither can the claim. Source: docs/theory/synthesis.md.
"""

from __future__ import annotations

from pfl.base.budget import Budget
from pfl.engines.answer import Answer, Evidence, Found, NothingFound, Undecided
from pfl.engines.parametric_solver import Nlsat
from pfl.engines.synthesis_conditions import Conditions, Doubt
from pfl.engines.synthesis_objective import Best, optimise
from pfl.ir.claims import Synthesis
from pfl.options import Options

NAME = "synthesis"
MOST_CANDIDATES = 400
MOST_UNDER_MIXED = 40
"""Candidates where assumptions speak of names and others: a counterexample then may exclude few of them."""


def answer(question: Synthesis, options: Options, budget: Budget) -> Answer:
    """Rational values, simple ones first; with an objective the best ones, exactly where an optimum is attained."""
    conditions = Conditions.of(question, options, Nlsat(), budget)
    most = MOST_UNDER_MIXED if conditions.mixed_assumptions else MOST_CANDIDATES
    if question.objective is not None:
        best = optimise(conditions, most)
        if isinstance(best, Best):
            return Found(engine=NAME, values=best.values, objective=best.objective, best_possible=best.bound)
        return _nothing_found(conditions) if best is None else Undecided(engine=NAME, reason=best.reason)
    for _ in range(most):
        candidate = conditions.candidate()
        if candidate is None:
            return _nothing_found(conditions)
        if isinstance(candidate, Doubt):
            return Undecided(engine=NAME, reason=candidate.reason)
        outcome = conditions.judge(candidate)
        if isinstance(outcome, Doubt):
            return Undecided(engine=NAME, reason=outcome.reason)
        if outcome == "holds":
            return Found(engine=NAME, values=candidate)
    reason = f"{most} candidates were refuted one by one; give narrower intervals, or a smaller length"
    return Undecided(engine=NAME, reason=reason)


def _nothing_found(conditions: Conditions) -> NothingFound:
    names = ", ".join(conditions.question.names)
    count = len(conditions.learnt)
    detail = f"no values of {names} satisfy the conditions of {count} counterexample{'s' * (count != 1)}"
    return NothingFound(
        engine=NAME, evidence=Evidence(kind="solver" if conditions.solver.proofs else "exhaustive", detail=detail)
    )
