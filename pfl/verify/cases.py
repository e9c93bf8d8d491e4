"""A claim that ranges over cases: what the verdicts on all of them come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.algebraic import ExactRoot, ParameterValue
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.engines.answer import Bound, Computed, Disproved, Evidence, NamedValue, Proved, Quantity, Unknown
from pfl.engines.witness import Witness
from pfl.model.claims import Case, multiplied, space_of
from pfl.model.compare import Compare
from pfl.model.measure import Measure, Requirement, Results
from pfl.model.parameters import Condition, ExponentialSpace, Space
from pfl.passes.substitute import Images
from pfl.verify.measured import with_solutions
from pfl.verify.parameters.ordering import Extended, largest_of, limits, smallest_of, violation
from pfl.verify.verdict import Contradicted, Verdict

_EVERY_RUN = Evidence(kind="exhaustive", detail="every run is counted")


def combined(cases: Sequence[Case], verdicts: Sequence[Verdict], budget: Budget) -> Verdict:
    """The verdict on a claim, from those on its cases in order.

    A case that is undecided leaves the claim so; one with nothing to compare says nothing, unless all are so.
    Raises LimitReached.
    """
    judged = list(zip(cases, verdicts))
    computed: list[Computed] = []
    kept: list[Case] = []
    for case, verdict in [each for each in judged if _compares(each[0])] or judged:
        match verdict:
            case Computed():
                computed.append(verdict)
                kept.append(case)
            case Unknown(reason=reason):
                return replace(verdict, reason=_where(case) + reason, bound=None if _range(cases) else verdict.bound)
            case Disproved(facts=facts):
                where = (("for", _arguments(case)),) if case.arguments else ()
                return replace(verdict, facts=(*where, *facts))
            case _:
                assert isinstance(verdict, Proved), "a case computes, or says yes or no"
    if not computed:
        return _all_proved([verdict for verdict in verdicts if isinstance(verdict, Proved)])
    if kept[0].results is not None:
        return _distributions(kept, computed, budget)
    extremes = _extremes(kept, computed, budget)
    if any(case.required is not None for case in kept):
        return _checked(kept, computed, extremes, budget)
    return extremes


def _range(cases: Sequence[Case]) -> bool:
    return any(case.arguments for case in cases)


def _compares(case: Case) -> bool:
    return not isinstance(case.question, Compare) or bool(case.question.comparisons)


def _all_proved(verdicts: Sequence[Proved]) -> Proved:
    """One proof of all cases: what is said of the first, and the certificates of each if each has some."""
    first, checked = verdicts[0], all(verdict.checked for verdict in verdicts)
    certificates = tuple(each for verdict in verdicts if checked for each in verdict.evidence.certificates)
    return replace(first, evidence=replace(first.evidence, certificates=certificates), checked=checked)


def _quantity(computed: Computed) -> Quantity | Bound:
    quantity = computed.bound if computed.value is None else computed.value
    assert quantity is not None, "every case has a number"
    return quantity


def _extremes(cases: Sequence[Case], computed: Sequence[Computed], budget: Budget) -> Computed:
    """The largest result, with the largest and the smallest as values. Where it depends on the parameters which is
    which, every result is one of the values instead."""
    if not _range(cases):
        return computed[0]
    quantities, exceptional = [_quantity(verdict) for verdict in computed], _exceptional(computed)
    space = space_of(cases[0].question).restricted(*exceptional)
    base = multiplied(cases[0].question)
    if base is not None:
        quantities = [_factor(quantity, base) for quantity in quantities]
    high, low = largest_of(quantities, space, budget), smallest_of(quantities, space, budget)
    if high is None or low is None:
        every = (_named("", case, quantity) for case, quantity in zip(cases, quantities))
        return Computed(
            engine=computed[0].engine, values=tuple(v for v in every if v is not None), exceptional=exceptional
        )
    largest, smallest = (_multiple(each, base) for each in (_raised(quantities, high), _lowered(quantities, low)))
    named = (_named("largest", cases[high], largest), _named("smallest", cases[low], smallest))
    return replace(
        computed[high],
        value=None if isinstance(largest, Bound) else largest,
        bound=largest if isinstance(largest, Bound) else computed[high].bound,
        values=tuple(value for value in named if value is not None),
        exceptional=exceptional,
    )


def _factor(quantity: Quantity | Bound, base: str) -> Quantity | Bound:
    """c of c*x."""
    return value_at(quantity, {base: Fraction(1)}) if isinstance(quantity, RationalFunction) else quantity


def _multiple(quantity: Quantity | Bound, base: str | None) -> Quantity | Bound:
    """c*x of c; an interval stays one of c."""
    return (
        quantity if base is None or not isinstance(quantity, Fraction) else RationalFunction.parameter(base) * quantity
    )


def _raised(quantities: Sequence[Quantity | Bound], place: int) -> Quantity | Bound:
    """The largest of the quantities: where others are intervals that reach higher, so does it."""
    quantity = quantities[place]
    if not any(isinstance(other, Enclosure | Bound) for other in quantities):
        return quantity
    low, top = limits(quantity)[0], max(limits(other)[1] for other in quantities)
    if low == top:
        return quantity
    upper = top if isinstance(top, Fraction) else None
    if isinstance(quantity, Bound):
        lower = quantity.lower if quantity.ratio is None else quantity.ratio
        return replace(quantity, ratio=None, lower=lower, upper=upper)
    assert isinstance(low, Fraction)
    assert upper is not None
    return Enclosure(low, upper)


def _lowered(quantities: Sequence[Quantity | Bound], place: int) -> Quantity | Bound:
    """The smallest of the quantities: where others are intervals that reach lower, so does it."""
    quantity = quantities[place]
    if not any(isinstance(other, Enclosure | Bound) for other in quantities):
        return quantity
    bottom, high = min(limits(other)[0] for other in quantities), limits(quantity)[1]
    if bottom == high or not isinstance(bottom, Fraction):
        return quantity
    if isinstance(quantity, Bound):
        return replace(quantity, ratio=None)
    assert isinstance(high, Fraction)
    return Enclosure(bottom, high)


def _named(name: str, case: Case, quantity: Quantity | Bound) -> NamedValue | None:
    """An entry for a case; None where only an interval of ratios is known, which no single value tells."""
    if not isinstance(quantity, Bound):
        return NamedValue(name=name, value=quantity, arguments=case.arguments)
    if quantity.ratio is None:
        return None
    value = "inf" if quantity.ratio == "unbounded" else quantity.ratio
    return NamedValue(name=name, value=value, arguments=case.arguments)


def _exceptional(computed: Sequence[Computed]) -> tuple[Condition, ...]:
    return tuple(dict.fromkeys(condition for verdict in computed for condition in verdict.exceptional))


# --- checks ------------------------------------------------------------------


def _checked(cases: Sequence[Case], computed: Sequence[Computed], extremes: Computed, budget: Budget) -> Verdict:
    """Whether the number of every case is as required; of several that are not, one that is furthest from it."""
    exceptional = _exceptional(computed)
    space = space_of(cases[0].question).restricted(*exceptional)
    found: list[Contradicted] = []
    undecided: Unknown | None = None
    for case, verdict in zip(cases, computed):
        assert case.required is not None, "a check of numbers says what is required of each"
        assert verdict.value is not None
        point = violation(verdict.value, case.required, space, budget)
        if point == "unknown":
            undecided = undecided or _undecided(verdict, case)
        elif point is not None:
            values = _at(verdict.value, case.required, point, space)
            found.append(
                Contradicted(
                    engine=verdict.engine,
                    value=values[0],
                    required=values[1],
                    arguments=case.arguments,
                    parameters=_reported(point, verdict.value, case.required.number),
                    values=extremes.values,
                    exceptional=exceptional,
                )
            )
    if found:
        return max(found, key=_distance)
    if undecided is not None:
        return undecided
    proof = Proved(
        engine=extremes.engine,
        evidence=_EVERY_RUN,
        value=extremes.value,
        values=extremes.values,
        exceptional=exceptional,
    )
    return with_solutions(proof, cases, computed, budget)


def _undecided(verdict: Computed, case: Case) -> Unknown:
    if isinstance(case.question, Measure) and case.question.left is not None:
        reason = (
            "the part of the states that was explored tells no more than an interval; bound the variable that grows"
        )
        return Unknown(engine=verdict.engine, reason=f"{_where(case)}{reason}")
    if isinstance(verdict.value, Enclosure):
        reason = f"the verified error is too large to tell whether the number is {case.required}; try --engine exact"
        return Unknown(engine=verdict.engine, reason=f"{_where(case)}{reason}")
    else:
        reason = f"for {verdict.value} it is not known whether it is {case.required} at all values of the parameters"
    return Unknown(engine=verdict.engine, reason=f"{_where(case)}{reason}; try --set")


def _where(case: Case) -> str:
    """`for n = 2: ` before a reason; empty where nothing is ranged over."""
    return f"for {_arguments(case)}: " if case.arguments else ""


def _arguments(case: Case) -> str:
    """`n = 2, m = 3`."""
    return ", ".join(f"{name} = {value}" for name, value in case.arguments)


def _distance(found: Contradicted) -> Extended:
    """How far a number is from what is required; where it depends on parameters, 0."""
    number = found.required.number
    if isinstance(found.value, RationalFunction) or not isinstance(number, Fraction):
        return Fraction(0)
    low, high = limits(found.value)
    return max(number - low, high - number)


def _at(
    value: Quantity, required: Requirement, point: Mapping[str, Fraction | Root], space: Space
) -> tuple[Quantity, Requirement]:
    """A number and what is required of it, at values of the parameters; as they are at irrational ones."""
    rational = {name: number for name, number in point.items() if isinstance(number, Fraction)}
    if len(rational) < len(point):
        return value, required
    images: Images = rational
    if isinstance(space, ExponentialSpace) and rational:
        images = space.images(*rational.values())
    at = value.evaluate(images) if isinstance(value, RationalFunction) else value
    wanted = required.number
    return at, replace(required, number=wanted.evaluate(images) if isinstance(wanted, RationalFunction) else wanted)


def _reported(point: Mapping[str, Fraction | Root], *numbers: Quantity) -> tuple[tuple[str, ParameterValue], ...]:
    """The values of the parameters that the numbers mention."""
    mentioned = {name for number in numbers if isinstance(number, RationalFunction) for name in number.parameters}
    names = mentioned | {held.base for held in map(Exponential.of, mentioned) if held is not None}
    return tuple((name, ExactRoot.of(name, value)) for name, value in sorted(point.items()) if name in names)


# --- distributions -----------------------------------------------------------


def _distributions(cases: Sequence[Case], computed: Sequence[Computed], budget: Budget) -> Verdict:
    """The outcomes of all cases; of a check, whether all have the probabilities that are specified."""
    exceptional, space = _exceptional(computed), space_of(cases[0].question)
    values: list[NamedValue] = []
    for case, verdict in zip(cases, computed):
        assert case.results is not None
        if case.results.specified is not None:
            difference = _first_difference(case, case.results, verdict, space.restricted(*exceptional), budget)
            if difference is not None:
                return difference
        values += [replace(v, arguments=case.arguments) for v in verdict.values if v.value != 0]
    engine = computed[0].engine
    if all(case.results is not None and case.results.specified is not None for case in cases):
        proof = Proved(engine=engine, evidence=_EVERY_RUN, values=tuple(values), exceptional=exceptional)
        return with_solutions(proof, cases, computed, budget)
    return Computed(engine=engine, values=tuple(values), exceptional=exceptional)


def _first_difference(
    case: Case, results: Results, verdict: Computed, space: Space, budget: Budget
) -> Contradicted | Unknown | None:
    assert results.specified is not None
    for outcome, wanted in zip(verdict.values, results.specified):
        required = Requirement(relation="equals", number=wanted)
        point = violation(outcome.value, required, space, budget)
        if point is None:
            continue
        if point == "unknown" or isinstance(outcome.value, Enclosure):  # a witness has exact probabilities
            return _undecided(replace(verdict, value=outcome.value), replace(case, required=required))
        value, required = _at(outcome.value, required, point, space)
        parameters = _reported(point, outcome.value, wanted)
        assert isinstance(value, Fraction | RationalFunction)
        return Contradicted(
            engine=verdict.engine,
            value=value,
            required=required,
            arguments=case.arguments,
            parameters=parameters,
            witness=_two_probabilities(results, case, outcome.name, value, required.number, parameters),
            exceptional=verdict.exceptional,
        )
    return None


def _two_probabilities(
    results: Results,
    case: Case,
    outcome: str,
    value: Number,
    specified: Number,
    parameters: tuple[tuple[str, ParameterValue], ...],
) -> Witness:
    return Witness(
        heading="distribution",
        left=results.label,
        right=results.specification,
        prior="",
        bindings=case.arguments,
        parameters=parameters,
        words=((outcome,),),
        probability_left=value,
        probability_right=specified,
    )
