"""A verdict for all values of the parameters: the generic question, and the claim judged apart at exceptional values.

Why both together are the claim: docs/theory/side-conditions.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.exceptional import Fixing, Unresolved, parts
from pfl.analysis.polynomial.points import find_point
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Computed, Disproved, Proved, Unknown
from pfl.engines.errors import no_query
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.model.claims import Case, Claim, cases_over
from pfl.model.compare import Compare
from pfl.model.parameters import Condition, names_in
from pfl.options import Options
from pfl.verify.conclude import of_cases, verdicts_on_cases, without_questions
from pfl.verify.parameters.apart import together
from pfl.verify.parameters.part import Part, named_in, placed
from pfl.verify.parameters.suprema import highest
from pfl.verify.verdict import Contradicted, Refuted, Verdict

GENERIC_SHARE = 0.75
"""What part of a claim's time the generic question may take where exceptional values wait to be looked at."""


def verdict_everywhere(claim: Claim, options: Options, budget: Budget) -> Verdict:
    """The verdict on a claim for all values of its parameters; of a find, see `found_everywhere`.

    Raises InputRejected and LimitReached.
    """
    if claim.limit is not None:
        return without_questions(claim.limit)
    assert claim.verb != "find", "what is looked for is no question about given values"
    if _asks_for_supremum(claim):
        verdicts = _suprema(claim, options, budget)
        return of_cases(claim.cases, verdicts, options, budget)
    generic = _generic(claim, options, budget)
    verdict = generic.verdicts[0] if generic.verdicts else None
    if verdict is not None and not isinstance(verdict, Proved | Computed) and not _may_still_fail(claim, verdict):
        return placed(verdict, _somewhere(claim, generic.exceptional, verdict, budget))
    judged = (_part(claim, part, options, budget) for part in apart(claim, generic.exceptional, budget))
    return together(verdict, judged)


def apart(claim: Claim, exceptional: Sequence[Condition], budget: Budget) -> Iterator[Fixing | Unresolved]:
    """The parts of the space of a claim at which one of the conditions fails."""
    return parts(exceptional, claim.parameters, budget, Nlsat()) if exceptional else iter(())


def in_parts(claim: Claim, budget: Budget) -> Claim:
    """The claim as cases: the generic question, and that of each part where it is judged apart, which has the value of
    the parameter among its arguments. Raises InputRejected, also where a part cannot be put in, and LimitReached.
    """
    return replace(claim, cases=tuple(_part_cases(claim, budget))) if claim.exceptional else claim


def _part_cases(claim: Claim, budget: Budget) -> Iterator[Case]:
    space = claim.parameters.restricted(*claim.exceptional)
    if not claim.exceptional or find_point(space, budget, Nlsat()) is not None:
        yield from cases_over(claim.cases, space)
    for part in apart(claim, claim.exceptional, budget):
        if isinstance(part, Unresolved):
            raise no_query(claim, unresolved(part).reason)
        for case in _part_cases(compiled_at(claim, part, budget), budget):
            yield replace(case, arguments=((part.name, str(part.value)), *case.arguments))


def compiled_at(claim: Claim, part: Fixing, budget: Budget) -> Claim:
    """The claim on a part of the space of its parameters. Raises InputRejected and LimitReached."""
    assert claim.anew is not None, "whoever says that there are exceptional values can compile anew"
    budget.progress(f"where {part.name} = {part.value}")
    return claim.anew(claim.name, part.equation, budget.remaining())


def unresolved(part: Unresolved) -> Unknown:
    """What is said of a part of the space that cannot be put into the claim."""
    reason = f"where {part.text}, what holds elsewhere need not hold, and the claim cannot be judged apart there"
    return Unknown(engine="none", reason=f"{reason}; add `assume {part.equation.polynomial} != 0`, or use --set")


@struct
class _Generic:
    """The verdicts on the cases of the generic question, none where it is about no values; where they say nothing."""

    verdicts: list[Verdict]
    exceptional: tuple[Condition, ...]


def _generic(claim: Claim, options: Options, budget: Budget) -> _Generic:
    """The question without the exceptional values; as one verdict, but for suprema, which have one a case."""
    cases, known, each = claim.cases, claim.exceptional, _asks_for_supremum(claim)
    if known:
        space = claim.parameters.restricted(*known)
        if find_point(space, budget, Nlsat()) is None:
            return _Generic(verdicts=[], exceptional=known)
        cases = cases_over(cases, space)
    limited = _limited(budget) if known else budget
    try:
        verdicts: list[Verdict] = [*verdicts_on_cases(cases, options, limited)]
        if not each:
            verdicts = [of_cases(cases, verdicts, options, limited)]
    except LimitReached as limit:
        if not known:
            raise
        budget.check("the question was answered for nearly all values of the parameters")
        verdicts = [Unknown(engine="none", reason=limit.reason)] * (len(cases) if each else 1)
    found = dict.fromkeys(known)
    for verdict in verdicts:
        if isinstance(verdict, Proved | Computed | Contradicted):
            found.update(dict.fromkeys(verdict.exceptional))
    exceptional = tuple(found)
    if len(exceptional) > len(known):
        space = claim.parameters.restricted(*exceptional)
        if find_point(space, budget, Nlsat()) is None:
            return _Generic(verdicts=[], exceptional=exceptional)
    return _Generic(verdicts=verdicts, exceptional=exceptional)


def _limited(budget: Budget) -> Budget:
    """A budget that leaves some of the time for the exceptional values."""
    remaining = budget.remaining()
    return budget if remaining is None else replace(budget, deadline=time.monotonic() + GENERIC_SHARE * remaining)


def _may_still_fail(claim: Claim, verdict: Verdict) -> bool:
    """Whether a check that is undecided may be refuted at an exceptional value."""
    return claim.verb == "check" and isinstance(verdict, Unknown) and not verdict.is_internal


def _part(claim: Claim, part: Fixing | Unresolved, options: Options, budget: Budget) -> Part:
    if isinstance(part, Unresolved):
        return Part(fixing=None, verdict=unresolved(part))
    there = compiled_at(claim, part, budget)
    verdict = verdict_everywhere(there, options, budget)
    return Part(fixing=part, verdict=verdict, point=_point(claim, part, there, verdict, budget))


def _point(claim: Claim, part: Fixing, there: Claim, verdict: Verdict, budget: Budget) -> Mapping[str, Number]:
    """Values of the parameters by which another is fixed, where a refutation on the part names none of them."""
    if not isinstance(verdict, Refuted | Contradicted) or not isinstance(part.value, RationalFunction):
        return {}
    return _values(claim, (part.equation, *there.exceptional), verdict, budget)


def _somewhere(
    claim: Claim, exceptional: Sequence[Condition], verdict: Verdict, budget: Budget
) -> Mapping[str, Number]:
    """Values of those parameters that are exceptional somewhere, at which a refutation holds, or a witness attains
    what it is said to: at exceptional values they need not."""
    if not exceptional or not isinstance(verdict, Refuted | Contradicted | Disproved | Computed):
        return {}
    if isinstance(verdict, Disproved) and any(key == "at" for key, _ in verdict.facts):
        return {}  # it says so itself
    names = {name for condition in exceptional for name in names_in(condition.polynomial)}
    found = _values(claim, exceptional, verdict, budget)
    return {name: value for name, value in found.items() if name in names}


def _values(claim: Claim, conditions: Sequence[Condition], verdict: Verdict, budget: Budget) -> Mapping[str, Number]:
    """Rational values of the parameters that satisfy conditions, with those that a refutation names."""
    held = [
        Condition(polynomial=RationalFunction.parameter(name) - value, relation="==", text=f"{name} == {value}")
        for name, value in named_in(verdict)
        if isinstance(value, Fraction)
    ]
    found = find_point(claim.parameters.restricted(*conditions, *held), budget, Nlsat())
    if found is None or found == "unknown":
        return {}
    return {name: value for name, value in found.items() if isinstance(value, Fraction)}


# --- suprema -----------------------------------------------------------------


def _asks_for_supremum(claim: Claim) -> bool:
    """Whether what is computed is the largest over all values of the parameters, and not a number at each of them."""
    return isinstance(claim.asked, Compare) and claim.asked.goal != "check"


def _suprema(claim: Claim, options: Options, budget: Budget) -> list[Verdict]:
    """The largest number over all values of the parameters, for each case of the claim in order."""
    if claim.limit is not None:
        return [without_questions(claim.limit)]
    generic = _generic(claim, options, budget)
    keys = _cases(claim)
    found: dict[object, list[Part]] = {key: [] for key in keys}
    for part in apart(claim, generic.exceptional, budget):
        if isinstance(part, Unresolved):
            for key in keys:
                found[key].append(Part(fixing=None, verdict=unresolved(part)))
            continue
        there = compiled_at(claim, part, budget)
        for key, verdict in zip(_cases(there), _suprema(there, options, budget)):
            found.setdefault(key, []).append(Part(fixing=part, verdict=verdict))
    whole: Sequence[Verdict | None] = [
        placed(verdict, _somewhere(claim, generic.exceptional, verdict, budget)) for verdict in generic.verdicts
    ] or [None] * len(keys)
    return [highest(verdict, found[key]) for key, verdict in zip(keys, whole)]


def _cases(claim: Claim) -> list[object]:
    """What tells the cases of a claim apart."""
    return [case.arguments for case in claim.cases] or [()]
