"""`find` for all values of the parameters: neither an answer at which the claim fails somewhere, nor `none` where an
exceptional value would do. Source: docs/theory/synthesis.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.exceptional import Unresolved
from pfl.analysis.polynomial.points import find_point
from pfl.base.budget import Budget
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Evidence, NoneFound, Proved, Unknown
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.model.claims import Case, Claim, Search, question_over
from pfl.model.compare import Compare
from pfl.model.parameters import Condition, names_in
from pfl.options import Options
from pfl.verify.conclude import verdict_on
from pfl.verify.parameters.everywhere import apart, compiled_at, unresolved, verdict_everywhere
from pfl.verify.parameters.part import Part, where
from pfl.verify.verdict import Found, Verdict

MOST_CANDIDATES = 20
"""Values that are right almost everywhere, but fail at an exceptional value of the other parameters."""


def found_everywhere(claim: Claim, options: Options, budget: Budget) -> Verdict:
    """Values of the names for which the claim holds for all values of the others; see `Search`.

    Raises InputRejected and LimitReached.
    """
    question = claim.question
    assert isinstance(question, Search)
    if not question.claim.comparisons and question.claim.skipped:
        evidence = Evidence(kind="vacuous", detail="; ".join(question.claim.skipped))
        return NoneFound(engine="synthesis", evidence=evidence, checked=True)
    if question.claim.exponents is not None:
        return _factor_found(claim, question, options, budget)
    sort = _Sorted.of(claim.exceptional, question)
    found = [_generic(claim, question, sort, options, budget)]
    if isinstance(found[0], Found) and question.objective is None:
        return found[0]
    for part in apart(claim, sort.of_names, budget):
        if isinstance(part, Unresolved):
            found.append(unresolved(part))
            continue
        there = compiled_at(claim, part, budget)
        verdict = _found_there(there, question, options, budget)
        found.append(where(Part(fixing=part, verdict=verdict), verdict) if isinstance(verdict, Unknown) else verdict)
        if isinstance(verdict, Found) and question.objective is None:
            return verdict
    return _best(found, question)


def _factor_found(claim: Claim, question: Search, options: Options, budget: Budget) -> Verdict:
    """A factor of the parameter of exponents for which the claim holds, with the proof of the claim compiled with it;
    without names, whether it holds."""
    found = verdict_on(question, options, budget)
    if not isinstance(found, Found):
        return found
    settled = _with_proof(claim, found, options, budget)
    if settled is not None:
        return settled
    reason = "the values do not satisfy the claim compiled with them"
    return Unknown(engine="synthesis", reason=reason, is_internal=True)


def _with_proof(claim: Claim, found: Found, options: Options, budget: Budget) -> Found | Unknown | None:
    """The values with the proof of the claim compiled with them, or why there is none; None where it fails."""
    proof = verdict_everywhere(checked_at(claim, found.values, budget), replace(options, engine="auto"), budget)
    match proof:
        case Proved():
            return replace(found, proof=proof)
        case Unknown():
            return replace(proof, reason=f"values were found, but {proof.reason}")
        case _:
            return None


@struct
class _Sorted:
    """Exceptional conditions that speak of the names of a find alone, and of none of them; the rest speak of both."""

    of_names: tuple[Condition, ...]
    of_others: tuple[Condition, ...]

    @staticmethod
    def of(exceptional: Iterable[Condition], question: Search) -> _Sorted:
        names = set(question.names)
        mentioned = [(condition, set(names_in(condition.polynomial))) for condition in exceptional]
        return _Sorted(
            of_names=tuple(condition for condition, found in mentioned if found <= names),
            of_others=tuple(condition for condition, found in mentioned if not found & names),
        )


def _generic(claim: Claim, question: Search, sort: _Sorted, options: Options, budget: Budget) -> Verdict:
    """Values at which no exceptional condition on the names alone fails, and for which the claim then holds everywhere.

    The claims at exceptional values of the other parameters are put to the search as well, as far as one search can
    hold them. Values that fail nevertheless are left out, and others are looked for.
    """
    joined, anything = question.claim, True
    for part in apart(claim, sort.of_others, budget):
        if isinstance(part, Unresolved):
            continue  # what is found does not hold there for certain, which the check of it will say
        compiled = compiled_at(claim, part, budget)
        of_names = (set(names_in(condition.polynomial)) & set(question.names) for condition in compiled.exceptional)
        if compiled.limit is not None or any(of_names):
            continue  # the same; or its numbers say nothing at some values of the names
        there = compiled.question
        assert isinstance(there, Search)
        if _alike(there.claim, joined):
            joined = replace(joined, tables=(*joined.tables, *there.claim.tables))
    space = joined.parameters.restricted(*claim.exceptional)
    for excluded in range(MOST_CANDIDATES):
        if find_point(space, budget, Nlsat()) is None:
            anything = False
            break
        asked = replace(question, claim=joined, allowed=joined.parameters)
        found = verdict_on(question_over(asked, space), options, budget)
        if isinstance(found, NoneFound) and excluded:
            # What was excluded fails where the claim is judged apart, of which nothing is certified here.
            return replace(found, checked=False, evidence=replace(found.evidence, certificates=()))
        if not isinstance(found, Found):
            return found
        settled = _with_proof(claim, found, options, budget)
        if settled is not None:
            return settled
        space = space.restricted_to_one_of(_others_than(found))
    if not anything:
        return NoneFound(engine="synthesis", evidence=Evidence(kind="exhaustive"), checked=False)
    reason = f"{MOST_CANDIDATES} values fail only where others are judged apart; narrow the intervals"
    return Unknown(engine="synthesis", reason=reason)


def _alike(first: Compare, second: Compare) -> bool:
    return (first.goal, first.lengths, first.delta) == (second.goal, second.lengths, second.delta)


def _others_than(found: Found) -> tuple[Condition, ...]:
    """That some name has another value."""
    return tuple(
        Condition(polynomial=RationalFunction.parameter(name) - value, relation="!=", text=f"{name} != {value}")
        for name, value in found.values
    )


def checked_at(claim: Claim, values: Sequence[tuple[str, Fraction]], budget: Budget) -> Claim:
    """The claim that a find is about, as a check, with such values of its names. Raises what compiling anew raises."""
    there = claim
    for name, value in values:
        polynomial = RationalFunction.parameter(name) - value
        equation = Condition(polynomial=polynomial, relation="==", text=f"{name} == {fraction_text(value)}")
        assert there.anew is not None, "a claim that is judged here can be compiled anew"
        there = there.anew(claim.name, equation, budget.remaining())
    return _as_check(there)


def _as_check(claim: Claim) -> Claim:
    """A find, the names of which are fixed, as the check that it is about."""
    anew, check = claim.anew, replace(claim, verb="check")
    if claim.limit is not None:
        return check
    question = claim.question
    assert isinstance(question, Search)
    check = replace(check, cases=(Case(question=question.claim),))
    if anew is None:
        return check
    return replace(check, anew=lambda name, equation, seconds: _as_check(anew(name, equation, seconds)))


def _found_there(claim: Claim, whole: Search, options: Options, budget: Budget) -> Verdict:
    """What is found where an exceptional condition on the names fails. Values at which more secrets have probability 0
    than everywhere do not count."""
    if claim.limit is not None:
        return Unknown(engine="none", reason=claim.limit.reason, is_internal=claim.limit.is_internal)
    question = claim.question
    assert isinstance(question, Search)
    if len(question.claim.skipped) > len(whole.claim.skipped):
        evidence = Evidence(kind="vacuous", detail="; ".join(question.claim.skipped))
        return NoneFound(engine="synthesis", evidence=evidence, checked=True)
    return found_everywhere(claim, options, budget)


def _best(found: Sequence[Verdict], question: Search) -> Verdict:
    """What several searches come to: of values the best; without any, undecided if one search is; else none."""
    undecided = next((verdict for verdict in found if isinstance(verdict, Unknown)), None)
    values = [verdict for verdict in found if isinstance(verdict, Found)]
    if not values:
        first = found[0]
        checked = all(isinstance(verdict, NoneFound) and verdict.checked for verdict in found)
        return undecided or (replace(first, checked=checked) if isinstance(first, NoneFound) else first)
    sign = -1 if question.direction == "minimise" else 1

    def gain(number: Number | None) -> Fraction:
        assert isinstance(number, Fraction)
        return sign * number

    best = max(values, key=lambda verdict: gain(verdict.objective))
    limits = [verdict.best_possible for verdict in values]
    if undecided is not None or None in limits:
        return replace(best, best_possible=None)
    return replace(best, best_possible=max(limits, key=gain))
