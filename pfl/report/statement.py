"""What a verdict says, in one sentence of the model's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import assert_never

from pfl.base.closed_form import is_closed
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.engines.answer import (
    Apart,
    Bound,
    Computed,
    Disproved,
    Evidence,
    NamedValue,
    NoneFound,
    Proved,
    Ratio,
    Unknown,
)
from pfl.model.claims import Claim, Question, Search
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.measure import Measure, Observed, Requirement
from pfl.model.parameters import ExponentialSpace
from pfl.report.numbers import (
    DIGITS,
    MOST_PLACES,
    any_decimal,
    beside,
    decimal,
    ends_text,
    exponential_decimal,
    log_decimal,
    multiples_between,
    places_apart,
    places_beside,
    short_text,
    with_decimal,
)
from pfl.verify.verdict import ClaimResult, Contradicted, Found, Refuted


def statement(result: ClaimResult) -> str:
    """The verdict in one sentence; says so where it is not the expected one."""
    surprise = "" if result.as_expected or isinstance(result.verdict, Unknown) else _surprise(result.claim)
    match result.verdict:
        case Proved() as verdict:
            return surprise + _proved(result.claim, verdict)
        case Refuted() as verdict:
            if result.claim.expected == "refuted":
                return "as expected"
            return f"{epsilon_and_delta(verdict.epsilon, verdict.delta)} does not hold"
        case Unknown() as verdict:
            what = "could not be proved" if result.claim.verb == "check" else "could not be decided"
            return f"{what}: {verdict.reason}"
        case Contradicted() as verdict:
            return "as expected" if result.claim.expected == "refuted" else contradicted_text(verdict)
        case Disproved() as verdict:
            return "as expected" if result.claim.expected == "refuted" else verdict.problem
        case Computed() as verdict:
            return _computed(result.claim, verdict)
        case Found() as verdict:
            values = ", ".join(f"{name} = {short_text(value)}" for name, value in verdict.values) or "as it is fixed"
            believed = _believed(verdict.proof.evidence, verdict.proof.checked)
            return surprise + values + _objective(result.claim, verdict) + believed
        case NoneFound() as verdict:
            return surprise + f"no such values{_believed(verdict.evidence, verdict.checked)}"
        case _:
            assert_never(result.verdict)


def _objective(claim: Claim, verdict: Found) -> str:
    """`; minimum 1/2`, or what was reached and what is known of the best; empty without an objective."""
    question = claim.question
    if verdict.objective is None or not isinstance(question, Search):
        return ""
    word = "minimum" if question.direction == "minimise" else "maximum"
    if verdict.objective == verdict.best_possible:
        return f"; {word} {with_decimal(verdict.objective)}"
    if verdict.best_possible is None:
        return f"; reached {with_decimal(verdict.objective)}"
    reached, best = beside(verdict.objective, verdict.best_possible), beside(verdict.best_possible, verdict.objective)
    return f"; reached {reached}, {word} no better than {best}"


def _surprise(claim: Claim) -> str:
    return f"expected {claim.expected}: "


def _proved(claim: Claim, verdict: Proved) -> str:
    asked = claim.asked
    if not isinstance(asked, Compare | EnclosedCompare):
        return proved_text(claim, verdict) + for_all(claim) + _except(verdict.apart)
    if isinstance(asked, Compare) and asked.family is not None:
        compared = (each for each in claim.questions if isinstance(each, Compare))
        claims = {str(table.epsilon) for each in compared for table in each.tables}
        return "holds" if len(claims) > 1 else f"{claims.pop()} holds"
    if isinstance(asked, Compare) and asked.implements is not None:
        return "every word is equally likely in both" + for_all(asked)
    if verdict.evidence.kind == "vacuous":
        return f"holds, since there is nothing to compare: {verdict.evidence.detail}"
    epsilons = {str(table.epsilon): table.epsilon for table in asked.tables if table.pairs}
    single = next(iter(epsilons.values())) if len(epsilons) == 1 else None
    claimed = "" if single is None else f"{epsilon_and_delta(single, asked.delta)} "
    bound = "" if verdict.bound is None else largest_ratio(verdict.bound)
    parts = [f"{claimed}holds{for_all(asked)}", bound]
    return "; ".join(part for part in parts if part) + _believed(verdict.evidence, verdict.checked)


def _believed(evidence: Evidence, checked: bool) -> str:
    return "; on the word of the solver alone" if evidence.kind == "solver" and not checked else ""


def epsilon_and_delta(epsilon: Epsilon, delta: object) -> str:
    """`ln(2)`, `epsilon 1/2`, or `ln(2) with delta 1/8`."""
    text = short_text(epsilon) if epsilon.logarithms else f"epsilon {short_text(epsilon)}"
    if delta is None or delta == 0:
        return text
    return f"{text} with delta {short_text(delta) if isinstance(delta, Fraction) else delta}"


def _except(apart: Sequence[Apart]) -> str:
    """` except at p = 1/2`, where a number is not what a formula says; the details tell what it is."""
    places = [each.where for each in apart if each.differs]
    return f" except at {' and '.join(places)}" if places else ""


def for_all(about: Claim | Compare | Measure | EnclosedCompare) -> str:
    """` for all p in (0, 1) with p <= 9/10`, empty without parameters."""
    return _ranging("for all", about)


def _ranging(word: str, about: Claim | Compare | Measure | EnclosedCompare) -> str:
    """` over p in (0, 1) with p <= 9/10`, empty without parameters."""
    space = about.parameters
    if about.exponents is not None:
        return f" {word} {about.exponents}" if str(about.exponents) else ""
    if not space.parameters:
        return ""
    ranges = ", ".join(str(parameter) for parameter in space.parameters)
    assumed = " and ".join(" or ".join(condition.text for condition in clause) for clause in space.assumptions)
    return f" {word} {ranges}" + (f" with {assumed}" if assumed else "")


def largest_ratio(bound: Bound) -> str:
    """`largest ratio 2`, `largest ratio tends to 2 as p -> 0`, `largest ratio between 3 and 4`; empty if unknown."""
    if bound.ratio == "inf":
        return "the ratio is infinite"
    if bound.ratio == "unbounded":
        return "the ratio grows without bound"
    if bound.ratio is not None:
        if bound.attained:
            return f"largest ratio {with_decimal(bound.ratio)}"
        limit = f" as {bound.limit_at}" if bound.limit_at else ""
        return f"largest ratio tends to {with_decimal(bound.ratio)}{limit}"
    if bound.closed is not None:
        return f"largest ratio {with_decimal(bound.closed)}"
    approached = f", approached as {bound.limit_at}" if bound.limit_at else ""
    if bound.lower is not None and bound.upper is not None:
        return f"largest ratio between {_between(bound.lower, bound.upper, with_decimal, decimal)}{approached}"
    if bound.upper is not None:
        return f"largest ratio at most {with_decimal(bound.upper)}"
    if bound.lower is not None:
        return f"largest ratio at least {with_decimal(bound.lower)}{approached}"
    return ""


def _between(
    low: Ratio, high: Ratio, written: Callable[[Ratio, int], str], text: Callable[[Fraction, int], str]
) -> str:
    """`3 and 4`, with as many decimals as tell them apart: `text` is the decimal in what `written` writes in full."""
    places = DIGITS
    if isinstance(low, Fraction) and isinstance(high, Fraction) and low != high:
        places = places_apart(low, high, text)
    return f"{written(low, places)} and {written(high, places)}"


def ratio_as_epsilon(ratio: Ratio, places: int = DIGITS) -> str:
    """`ln(4) = 1.386294`, or `infinite`."""
    if isinstance(ratio, str):
        return "infinite"
    return f"ln({short_text(ratio)}) = {log_decimal(ratio, places)}" if ratio != 1 else "0"


def smallest_epsilon(bound: Bound) -> str:
    """What is known of the smallest epsilon that holds, empty if nothing."""
    if bound.ratio in ("inf", "unbounded"):
        return "no epsilon holds"
    if bound.ratio is not None:
        return f"smallest epsilon that holds: {ratio_as_epsilon(bound.ratio)}"
    if bound.lower in ("inf", "unbounded"):
        return "no epsilon holds"
    if bound.closed is not None:
        return f"smallest epsilon that holds: {_closed_epsilon(bound)}"
    if bound.lower is not None and bound.upper is not None and bound.upper not in ("inf", "unbounded"):
        return f"smallest epsilon between {_between(bound.lower, bound.upper, ratio_as_epsilon, log_decimal)}"
    if bound.lower is not None:
        return f"smallest epsilon at least {ratio_as_epsilon(bound.lower)}"
    return ""


def exponential(epsilon: Epsilon, places: int = DIGITS) -> str:
    """e^eps: `2 = e^(ln(2))` where it is rational, else `e^(5/2) = 12.182494`, or `e^(5/2)` where it has no decimal."""
    exact = epsilon.exact_exponential()
    power = f"e^({short_text(epsilon)})"
    if exact is not None:
        return f"{with_decimal(exact, places)} = {power}"
    value = None if epsilon.parameters or places > MOST_PLACES else exponential_decimal(epsilon, places)
    return power if value is None else f"{power} = {value}"


def above_exponential(ratio: Number | Ratio, epsilon: Epsilon) -> str:
    """`3  >  e^(1) = 2.718282`, with as many decimals as tell them apart, or no decimal of e^eps where none do."""
    places = DIGITS
    exact = epsilon.exact_exponential()
    if isinstance(ratio, Fraction) and isinstance(exact, Fraction):
        places = places_beside(ratio, exact)
    elif (isinstance(ratio, Fraction) or is_closed(ratio)) and not epsilon.parameters:
        while places <= MOST_PLACES and any_decimal(ratio, places) == exponential_decimal(epsilon, places):
            places += 1
    return f"{with_decimal(ratio, min(places, MOST_PLACES))}  >  {exponential(epsilon, places)}"


def _computed(claim: Claim, verdict: Computed) -> str:
    asked = claim.asked
    prefix = "largest " if claim.ranges else ""
    if isinstance(asked, Compare):
        if asked.goal == "epsilon" and asked.exponents is not None and verdict.value is not None:
            return prefix + _multiple(verdict, asked.exponents)
        if verdict.bound is not None and asked.goal == "epsilon":
            return prefix + _computed_epsilon(verdict.bound, asked)
        # What is computed is the largest over the parameters, not the same at each of their values.
        return computed_text(claim, verdict, _ranging("over", asked))
    if isinstance(asked, EnclosedCompare) and verdict.bound is not None:
        slack = f" with delta {short_text(asked.delta)}" if asked.delta else ""
        is_infinite = verdict.bound.ratio == "inf"
        return prefix + ("infinite: no epsilon holds" if is_infinite else _interval(verdict.bound)) + slack
    undefined = _asks_for_posterior(asked) and verdict.value == 0
    within = for_all(claim) + _except(verdict.apart)
    return computed_text(claim, verdict, within) + ("; the posterior is undefined" if undefined else "")


def _multiple(verdict: Computed, exponents: ExponentialSpace) -> str:
    """`3*eps/4 is the smallest multiple of eps that holds for all eps in (0, inf)`."""
    base, within = exponents.base, f"for all {exponents}"
    if verdict.bound is not None and verdict.bound.limit_at:
        within += f", approached as {verdict.bound.limit_at}"
    match verdict.value:
        case Enclosure(low=low, high=high):
            return f"{multiples_between(low, high, base)}: the smallest multiple of {base} that holds {within}"
        case "inf":
            return f"infinite: no multiple of {base} holds {within}, since the ratio does not tend to 1 as {base} -> 0"
        case value:
            return f"{value} is the smallest multiple of {base} that holds {within}"


def _asks_for_posterior(question: Question | None) -> bool:
    return isinstance(question, Measure) and isinstance(question.quantity, Observed) and question.quantity.posterior


def _computed_epsilon(bound: Bound, asked: Compare) -> str:
    slack = f" with delta {short_text(asked.delta)}" if asked.delta else ""
    within = slack + _ranging("over", asked)
    limit = f" as {bound.limit_at}" if bound.limit_at else ""
    none = "no one epsilon holds" if asked.parameters.parameters or asked.exponents else "no epsilon holds"
    match bound.ratio:
        case "inf":
            return f"infinite{limit}: {none}{slack}{_ranging('for every', asked)}"
        case "unbounded":
            if asked.stated not in (None, "any"):  # however long words of so many inputs or outputs are
                return f"unbounded: {none}{within}"
            also = _ranging("and every", asked)
            return f"unbounded: {none}{slack} for every length{also}"
        case None if bound.closed is not None:
            return f"{_closed_epsilon(bound)}{within}"
        case None:
            return _interval(bound) + within
        case ratio:
            text = ratio_as_epsilon(ratio) + within
            return text if bound.attained else f"{text}, not attained: the ratio tends to {with_decimal(ratio)}{limit}"


def _closed_epsilon(bound: Bound) -> str:
    """`ln(3/(4*exp(-1))) = 0.712318`, every digit right: the ends of the enclosure agree on them."""
    assert bound.closed is not None
    assert isinstance(bound.lower, Fraction)
    assert isinstance(bound.upper, Fraction)
    epsilon = Epsilon.ln(bound.closed)
    if not epsilon.logarithms:
        return with_decimal(epsilon.constant)
    low, high = log_decimal(bound.lower), log_decimal(bound.upper)
    value = low if low == high else f"{low}..{high}"
    return f"ln({short_text(bound.closed)}) = {value}"


def _interval(bound: Bound) -> str:
    if bound.lower is None:
        return "nothing is known" if bound.upper is None else f"at most {ratio_as_epsilon(bound.upper)}"
    if bound.upper is None or isinstance(bound.upper, str):
        return f"at least {ratio_as_epsilon(bound.lower)}"
    approached = f", approached as {bound.limit_at}" if bound.limit_at else ""
    return f"between {_between(bound.lower, bound.upper, ratio_as_epsilon, log_decimal)}{approached}"


# --- numbers and distributions, computed and checked -------------------------


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
        return f"between {' and '.join(ends_text(*ends))}{within}"
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
