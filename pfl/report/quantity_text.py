"""What is said of computed numbers and distributions, and of checks of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.engines.answer import NamedValue
from pfl.model.claims import Claim
from pfl.model.measure import Requirement
from pfl.report.numbers import beside, decimal, places_apart, short_text, with_decimal
from pfl.verify.verdict import Computed, Contradicted, Proved


def computed_text(claim: Claim, verdict: Computed, within: str = "") -> str:
    """The number, and `within` which parameters; of several, the largest and the smallest; of a distribution, how many
    results there are."""
    count = len(verdict.values)
    if claim.cases[0].results is not None:
        return f"{count} result{'' if count == 1 else 's'}{within}"
    if verdict.bound is not None and not verdict.bound.attained:
        within += f", not attained: it is approached as {verdict.bound.limit_at}"
    if extremes := extremes_text(verdict.values):
        return extremes + within
    if (ends := ends_of(verdict.values)) is not None:
        places = places_apart(*ends, decimal)
        return f"between {' and '.join(decimal(end, places) if end else '0' for end in ends)}{within}"
    return (f"{count} values" if verdict.value is None else with_decimal(verdict.value)) + within


def ends_of(values: Sequence[NamedValue]) -> tuple[Fraction, Fraction] | None:
    """The two numbers between which a result lies; None where that is not what the values are."""
    match values:
        case [
            NamedValue(name="at least", value=Fraction() as low),
            NamedValue(name="at most", value=Fraction() as high),
        ]:
            return low, high
        case _:
            return None


def extremes_text(values: Sequence[NamedValue]) -> str:
    """`largest 3/4 = 0.75, smallest 1/2 = 0.5`, or `always 1` where they agree; empty where there are none."""
    extremes = [named for named in values if named.name in ("largest", "smallest")]
    if len(extremes) == 2 and extremes[0].value == extremes[1].value:
        return f"always {with_decimal(extremes[0].value)}"
    return ", ".join(f"{named.name} {with_decimal(named.value)}" for named in extremes)


def proved_text(claim: Claim, verdict: Proved) -> str:
    """`3/4 = 0.75 is at least 1/2`; `at most 5 in every case; largest 4`; `is exactly uniform(0..3)`."""
    if (results := claim.cases[0].results) is not None:
        return f"is exactly {results.specification}"
    required, first = required_of(claim), claim.cases[0].required
    assert first is not None
    if claim.ranges:
        claimed = f"{'as claimed' if required is None else required_text(required)} in every case"
        extremes = extremes_text(verdict.values)
        return f"{claimed}; {extremes}" if extremes else claimed
    if verdict.value is None:  # the parameters have a few values, and the number is another one for each
        return f"{required_text(first)} for each of them"
    if first.relation == "equals":
        return f"is exactly {with_decimal(verdict.value)}"
    return f"{beside(verdict.value, first.number)} is {required_text(first)}"


def required_of(claim: Claim) -> Requirement | None:
    """What a check says of every number that it is about, None where that is not one and the same."""
    required = {str(case.required): case.required for case in claim.cases}
    return next(iter(required.values())) if len(required) == 1 else None


def contradicted_text(verdict: Contradicted) -> str:
    """`3/4 = 0.75 is not at least 4/5`; `2 has probability 1/4, not 1/3`."""
    if verdict.witness is not None:
        result = verdict.witness.words[0][0]
        value = beside(verdict.value, verdict.required.number)
        return f"`{result}` has probability {value}, not {short_text(verdict.required.number)}"
    return f"{beside(verdict.value, verdict.required.number)} is not {required_text(verdict.required)}"


def arguments_text(arguments: Sequence[tuple[str, str]]) -> str:
    """`db = bag {0}, n = 2`."""
    return ", ".join(f"{name} = {value}" for name, value in arguments)


def required_text(requirement: Requirement) -> str:
    """`at least 1/2`, `equal to 1/2`."""
    if requirement.relation == "equals":
        return f"equal to {short_text(requirement.number)}"
    return f"{requirement.relation} {short_text(requirement.number)}"
