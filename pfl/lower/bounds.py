"""Whether an epsilon or a delta can be a bound: an epsilon is refused that is negative for all values of the
parameters, and a delta that is negative for some, or above 1 for all."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from pfl.analysis.polynomial.points import find_point
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.closed_form import is_closed, sign
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE, FinerUnit
from pfl.base.multiples import has_multiple
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.evaluation.globals.exponents import Entangled, exponential_space, held, independent_space
from pfl.evaluation.linkage import GlobalValues
from pfl.lower.claim_errors import delta_never_fits, delta_out_of_range, epsilon_never_fits, negative_epsilon
from pfl.model.coincidence import parameters_in
from pfl.model.distribution import not_negative
from pfl.model.parameters import Condition, ParameterSpace, names_in

if TYPE_CHECKING:
    from pfl.analysis.exponential.functions import Functions

_BITS = 64


def require_epsilon(epsilon: Epsilon, place: Span, values: GlobalValues, budget: Budget) -> None:
    """Raise InputRejected for an epsilon that is negative, for all values of its parameters; one that holds what a find
    looks for is judged where its value is put in."""
    if has_multiple(epsilon):
        return
    power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
    if not any(isinstance(argument, RationalFunction) for _, argument in epsilon.logarithms):
        if epsilon.compare(Fraction(1)) > 0:
            raise InputRejected([negative_epsilon(place, str(epsilon))])
    elif power is not None:
        root, factor = power
        try:
            most = factor * Epsilon.rational(epsilon.constant * root).upper_bound(_BITS)
        except LimitReached:  # a constant so large is for engines to refuse
            return
        if _is_never_at_least(most - 1, values, budget):
            names = _parameters(most)
            refused = epsilon_never_fits(place, epsilon, names) if names else negative_epsilon(place, str(epsilon))
            raise InputRejected([refused])


def require_delta(
    delta: Number, place: Span, values: GlobalValues, budget: Budget, sought: frozenset[str] = frozenset()
) -> None:
    """Raise InputRejected for a delta that is negative for some values of its parameters, or above 1 for all.

    That it is not negative is a condition for whoever looks for parameters on which it depends.
    """
    if isinstance(delta, Fraction) or is_closed(delta):
        if sign(delta) < 0 or sign(1 - delta) < 0:
            raise InputRejected([delta_out_of_range(place, delta)])
        return
    if not sought.isdisjoint(_parameters(delta)) and isinstance(delta, RationalFunction):
        values.side_conditions.add(not_negative(delta, f"the delta {delta} is at least 0"), place)
        return
    negative = _where_negative(delta, values, budget)
    if negative is not None:
        at = ", ".join(f"{name} = {_text(value)}" for name, value in negative.items())
        raise InputRejected([delta_never_fits(place, delta, f"negative at {at}", _parameters(delta))])
    if _is_never_at_least(1 - delta, values, budget):
        raise InputRejected(
            [delta_never_fits(place, delta, "above 1 for all values of its parameters", _parameters(delta))]
        )


def _parameters(number: Number) -> list[str]:
    return sorted(parameters_in(number))


def _text(value: Fraction | Root) -> str:
    return fraction_text(value) if isinstance(value, Fraction) else "a root of a polynomial"


def _where_negative(number: Number, values: GlobalValues, budget: Budget) -> Mapping[str, Fraction | Root] | None:
    """Values of the parameters at which a number is negative; None where there are none, or none was found."""
    if isinstance(number, Fraction) or is_closed(number):
        return {} if sign(number) < 0 else None
    if (space := _plain_space(number, values)) is not None:
        point = find_point(space.restricted(_sign_condition(number, "<")), budget)
        return None if point is None or isinstance(point, str) else {name: point[name] for name in names_in(number)}
    functions = _functions(number, values, budget)
    if functions is None:
        return None
    from pfl.analysis.exponential.decide import NegativeAt  # needed with exponentials only

    decision = functions.decide(functions.of(number).above)
    return {functions.space.base: functions.value(decision.point)} if isinstance(decision, NegativeAt) else None


def _is_never_at_least(number: Number, values: GlobalValues, budget: Budget) -> bool:
    """Whether a number is negative for all values of the parameters; False where that is not known."""
    if isinstance(number, Fraction) or is_closed(number):
        return sign(number) < 0
    if (space := _plain_space(number, values)) is not None:
        return find_point(space.restricted(_sign_condition(-number, "<=")), budget) is None
    functions = _functions(number, values, budget)
    if functions is None:
        return False
    from pfl.analysis.exponential.decide import NonNegative  # needed with exponentials only

    decision = functions.decide(functions.of(-number).above)
    return isinstance(decision, NonNegative) and functions.vanishing([number]) is None


def _plain_space(number: Number, values: GlobalValues) -> ParameterSpace | None:
    """The space of parameters that a number is a rational function of; None where it is none of independent ones."""
    found = held(names_in(number), values)
    if not found.bases:
        return values.space
    if not found.others and len(found.bases) == 1:
        return None
    try:
        return independent_space(found, values)
    except (Entangled, FinerUnit):
        return None


def _sign_condition(number: Number, relation: Literal["<", "<="]) -> Condition:
    """That a number is below, or at most, 0."""
    assert isinstance(number, RationalFunction)
    product = number.numerator.to_number() * number.denominator.to_number()
    return Condition(polynomial=product, relation=relation, text="")


def _functions(number: Number, values: GlobalValues, budget: Budget) -> Functions | None:
    """The functions that such a number is one of; None where it mentions several parameters, or a negative one."""
    found = held(names_in(number), values)
    if len(found.bases) > 1 or found.others or ONE in found.bases:
        return None
    space = exponential_space(found.bases[0], values, found.unit)
    if space.low < 0:
        return None
    from pfl.analysis.exponential.functions import Functions  # needed with exponentials only

    return Functions(space, budget)
