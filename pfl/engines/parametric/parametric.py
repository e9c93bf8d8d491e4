"""Answers claims whose numbers depend on parameters: for all their values, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pfl.analysis.parametric.threshold import is_exceeded_at
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.exact_text import fraction_text
from pfl.base.rational_function import value_at
from pfl.engines.answer import Answer, Bound, Computed, Evidence, Fails, Proved, Unknown, Violation
from pfl.engines.obligation import rank, smallest_epsilon
from pfl.engines.parametric.by_words import check_by_words
from pfl.engines.parametric.certified import NoCertificate, certificates
from pfl.engines.parametric.check import Check, Unsettled, check_epsilons
from pfl.engines.parametric.epsilon import Search, claims_of
from pfl.engines.parametric.obligations import Task, tasks
from pfl.engines.parametric.side_conditions import LITTLE_PATIENCE, Nlsat, reject_improper
from pfl.model.compare import Compare, Lengths
from pfl.options import Options

NAME = "parametric"
_CHEAP = {0: 20_000, 1: 2000}
"""By the number of parameters: how many prefixes may have been looked at for the largest ratio to be computed beside a
check, for the report."""
_CHEAP_OTHERWISE = 50
_DEPTHS = (6, 12, 24)
"""Letters up to which the largest ratio is looked for, before a bound for every length is tried."""
_WIDTHS = (Fraction(0), *(Fraction(1, 2**exponent) for exponent in (20, 12, 8, 5, 3, 1)))
"""Relative distances above the best ratio at which such a bound is tried."""
_NARROW = Fraction(1, 2**12)
"""With such a distance the search is content."""
_MOST_DIRECTIONS = 2000
"""Prefixes that one such trial may look at."""


def answer(question: Compare, _options: Options, budget: Budget) -> Answer:
    """Whether every comparison holds at all values of the parameters; or the least epsilon or delta for which it does.

    Raises InputRejected where the assumptions contradict each other, or a probability is negative or undefined
    somewhere, and LimitReached by the budget. Source: docs/theory/parameters.md.
    """
    solver = Nlsat()
    doubt = reject_improper(question, solver, budget)
    if doubt is not None:
        return Unknown(engine=NAME, reason=f"{doubt}; narrow a `param`, add an `assume`, or fix a value with --set")
    if question.goal == "check" and not question.delta:
        found = check_by_words(question, solver, budget)
        if isinstance(found, Violation):
            return Fails(engine=NAME, violation=found)
        if found is not None:
            return Proved(engine=NAME, evidence=found)
    obligations = tasks(question, solver, budget)
    if not obligations and question.goal == "epsilon":
        return Computed(engine=NAME, bound=Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)))
    if not obligations and question.goal == "delta":
        return Computed(engine=NAME, value=Fraction(0))
    if not obligations:
        return Proved(engine=NAME, evidence=Evidence(kind="vacuous", detail="no parameter values are left to compare"))
    if question.goal == "epsilon" and question.delta:
        reason = "the smallest epsilon with a delta is found for constant numbers alone; fix the parameters with --set"
        return Unknown(engine=NAME, reason=reason)
    if question.goal == "delta" or question.delta:
        from pfl.engines.parametric import delta as parametric_delta

        return parametric_delta.answer(question, obligations, budget)
    if question.goal == "check":
        return _check(question, obligations, solver, budget)
    return _epsilon(question.lengths, obligations, budget)


def _check(question: Compare, obligations: list[Task], solver: Nlsat, budget: Budget) -> Answer:
    depth = None if question.lengths == "any" else max(question.lengths)
    check = Check(depth=depth, budget=budget)
    outcome = check_epsilons(obligations, check)
    if isinstance(outcome, Unsettled):
        return Unknown(engine=NAME, reason=_unsettled_text(outcome))
    evidence = Evidence(kind="solver" if solver.proofs else "exhaustive", detail=_detail(check, solver))
    solver.patience = LITTLE_PATIENCE
    bound = _bound_beside(check, obligations, depth, budget)
    if outcome is None:
        return Proved(engine=NAME, evidence=_certified(evidence, question, check, budget), bound=bound)
    return Fails(engine=NAME, violation=_worse(outcome.violation(), bound, obligations), bound=bound)


def _certified(evidence: Evidence, question: Compare, check: Check, budget: Budget) -> Evidence:
    """The evidence with certificates, or with the reason why there are none."""
    try:
        return replace(evidence, certificates=certificates(question, check.claims, check.depth, budget))
    except NoCertificate as reason:
        return replace(evidence, uncertified=str(reason))
    except LimitReached as limit:
        return replace(evidence, uncertified=f"its proof was not written down: {limit.reason}")


def _epsilon(lengths: Lengths, obligations: list[Task], budget: Budget) -> Answer:
    """The supremum of all ratios; with several lengths also by length, with `for` variables the extremes by value."""
    searches: list[Search] = []

    def supremum(group: list[Task], length: int | None) -> Bound:
        """For every length an interval, without upper end where none is found."""
        if length is None:
            return _bound_for_every_length(group, budget)
        searches.append(Search(depth=length, budget=budget))
        searches[-1].run(group)
        return searches[-1].bound()

    try:
        bound, values = smallest_epsilon(obligations, lengths, supremum)
    except LimitReached as limit:
        known = max((found for search in searches if (found := search.known())), key=rank, default=None)
        if known is None:
            raise
        return Unknown(engine=NAME, reason=limit.reason, bound=known)
    if bound.ratio is None and not isinstance(bound.upper, Fraction):
        reason = (
            "no bound was found that holds for every length; give a `length`"
            if lengths == "any"
            else "no upper bound was found in several parameters; fix some of them with --set"
        )
        return Unknown(engine=NAME, reason=reason, bound=replace(bound, upper=None))
    return Computed(engine=NAME, bound=bound, values=values)


def _bound_for_every_length(obligations: list[Task], budget: Budget) -> Bound:
    """The largest ratio of words of growing length, and the nearest bound above it that is proved for every length."""
    best: Bound | None = None
    lower = Bound(ratio=None, lower=None, upper=None)
    for depth in _DEPTHS:
        search = Search(depth=depth, budget=budget)
        try:
            search.run(obligations)
        except LimitReached:
            budget.check(f"words of {depth} letters")
            break
        lower = search.bound()
        if not isinstance(lower.lower, Fraction):
            return lower
        width = _width_for_every_length(lower.lower, obligations, budget)
        if width is not None:
            best = replace(lower, ratio=None if width else lower.ratio, upper=lower.lower * (1 + width))
            if width <= _NARROW:
                break
    return best or replace(lower, ratio=None, upper=None)


def _width_for_every_length(lower: Fraction, obligations: list[Task], budget: Budget) -> Fraction | None:
    """The least relative distance above a ratio at which a bound for every length is proved."""
    for width in _WIDTHS:
        bound = lower * (1 + width)
        check = Check(depth=None, budget=budget, most_directions=_MOST_DIRECTIONS)
        try:
            if check.run(claims_of(obligations, bound)) is None:
                return width
        except LimitReached:
            budget.check(f"looking for a bound for every length near {fraction_text(bound)}")
    return None


def _bound_beside(check: Check, obligations: list[Task], depth: int | None, budget: Budget) -> Bound | None:
    """The largest ratio, if it costs no more than the check did, and says something about the claimed epsilon."""
    parameters = max(len(task.setting.space.parameters) for task in obligations)
    if any(task.epsilon is not None and task.epsilon.parameters for task in obligations):
        return None
    if depth is None or check.directions > _CHEAP.get(parameters, _CHEAP_OTHERWISE):
        return None
    search = Search(depth=depth, budget=budget)
    try:
        search.run(obligations)
    except LimitReached:
        return None
    return search.bound()


def _worse(found: Violation, bound: Bound | None, obligations: list[Task]) -> Violation:
    """The violation with the largest ratio, where its parameter values are rational; else the one that was found."""
    best = None if bound is None else bound.best
    if best is None:
        return found
    task = next(
        t for t in obligations if (t.direction.number, t.direction.is_reversed) == (best.comparison, best.reversed)
    )
    values = {name: value for name, value in best.parameters.items() if isinstance(value, Fraction)}
    if len(values) < len(best.parameters):
        return found
    left, right = (value_at(mass, values) for mass in task.obligation.masses(best.words[0]))
    assert task.epsilon is not None
    return best if is_exceeded_at(task.epsilon, left, right, values) else found


def _detail(check: Check, solver: Nlsat) -> str:
    detail = (
        f"{check.directions} directions of prefixes, {check.words} words decided one by one, for all parameter values"
    )
    return f"{detail}; {solver.proofs} polynomial conditions rest on z3" if solver.proofs else detail


def _unsettled_text(unsettled: Unsettled) -> str:
    letters = unsettled.task.obligation.system.letters
    word = ", ".join(letters[letter] for letter in unsettled.word)
    return (
        f"for the observations {word} neither a proof nor parameter values that violate the bound were found; narrow a "
        "`param`, or fix one with --set"
    )
