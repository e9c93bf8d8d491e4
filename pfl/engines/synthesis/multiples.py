"""What a value of c that fails says of all others, where c is a factor of the parameter of exponents in the epsilon.

Source: docs/theory/synthesis.md, "Multiples".
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Literal

from pfl.analysis.exponential.functions import DenominatorUnknown, Functions
from pfl.analysis.word_tree import WithoutEnd
from pfl.base.budget import Budget
from pfl.base.closed_form import enclosure, is_closed, sign
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.multiples import parted
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Computed, Violation
from pfl.engines.exponential.epsilon import smallest_multiple_of
from pfl.engines.exponential.factor import NoExponential
from pfl.engines.exponential.obligations import obligations
from pfl.model.compare import Compare, Direction
from pfl.model.parameters import Condition
from pfl.options import Options
from pfl.passes.substitute import number_at

_BITS = 64
_PARTS = 10**6
"""A long bound is rounded to such parts, to the side on which it stays true."""


@struct
class Needed:
    """A condition on the factor that every solution meets, and what it allows, as of `Requirement`.

    It never holds where no factor is enough.
    """

    condition: Condition
    allowed: Fraction


def needed_factor(
    claim: Compare, name: str, value: Fraction, violation: Violation, options: Options, budget: Budget
) -> Needed:
    """What the factor must be, given that the claim fails at a value of it. Raises LimitReached.

    The epsilon of the comparison that fails is e + k*c*x. For k > 0 every solution is above the value; it is at least
    m/k where that is found, m the smallest multiple with which e + m*x holds for all x; else it is as large as the
    words need where they fail.
    """
    comparison = claim.comparisons[violation.comparison]
    assert comparison.epsilon is not None, "a find is about a check"
    rest, slope = parted(comparison.epsilon)
    if not slope:
        return _never(f"the claim fails whatever {name} is")
    towards = 1 if slope > 0 else -1
    least: Fraction | Literal["inf"] | None = None
    smallest = _smallest_multiple(claim, violation.comparison, rest, options, budget)
    if smallest is not None:
        least = "inf" if smallest == "inf" else smallest / slope
    if least is None or (isinstance(least, Fraction) and towards * (least - value) <= 0):
        least = _needed_by_words(claim, violation, rest, slope)
    if least == "inf":
        return _never(f"no {name} is enough")
    factor = RationalFunction.parameter(name)
    if isinstance(least, Fraction) and least.denominator >= _PARTS:
        least = towards * Fraction(floor(towards * least * _PARTS), _PARTS)
    if least is not None and towards * (least - value) > 0:
        text = f"{name} is at {'least' if slope > 0 else 'most'} {fraction_text(least)}"
        condition = Condition(polynomial=towards * (least - factor), relation="<=", text=text)
        return Needed(condition=condition, allowed=abs(least) or Fraction(1))
    text = f"{name} is {'above' if slope > 0 else 'below'} {fraction_text(value)}"
    condition = Condition(polynomial=towards * (value - factor), relation="<", text=text)
    return Needed(condition=condition, allowed=abs(value) or Fraction(1))


def _never(reason: str) -> Needed:
    return Needed(condition=Condition(polynomial=Fraction(1), relation="<=", text=reason), allowed=Fraction(0))


def _smallest_multiple(
    claim: Compare, number: int, rest: Epsilon, options: Options, budget: Budget
) -> Fraction | Literal["inf"] | None:
    """The least m such that e + m*x is enough for all pairs of the table of a comparison, or a number below it; None
    where it is not found."""
    assert claim.exponents is not None, "what is looked for is a factor of their parameter"
    if claim.delta or claim.exponents.is_point:
        return None
    alone = replace(claim, tables=(replace(claim.comparisons[number].table, epsilon=None),), shorter=())
    try:
        asked = obligations(alone, Functions(claim.exponents, budget), options.max_states, budget)
        found = smallest_multiple_of(asked, rest)
    except (DenominatorUnknown, NoExponential, WithoutEnd):
        return None
    if not isinstance(found, Computed):
        return None
    if found.value == "inf" or (found.bound is not None and found.bound.ratio == "inf"):
        return "inf"
    match found.value:
        case Enclosure(low=low):
            return low
        case Fraction() as same:
            return same
        case RationalFunction(parameters=(base,)) as multiple:
            one = multiple.evaluate({base: Fraction(1)})
            return one if isinstance(one, Fraction) else None
        case _:
            return None


def _needed_by_words(
    claim: Compare, violation: Violation, rest: Epsilon, slope: Fraction
) -> Fraction | Literal["inf"] | None:
    """What the words of a violation need of the factor where they fail, or a little less; None where that is not known.

    P - delta <= e^(e + k*c*x) Q means for k > 0 that c is at least (ln((P - delta)/Q) - e)/(k x).
    """
    space = claim.exponents
    x = violation.parameters.get(space.base) if space is not None else None
    if space is None or not isinstance(x, Fraction) or not x or violation.out_of is not None:
        return None
    comparison = claim.comparisons[violation.comparison]
    direction = Direction(number=violation.comparison, comparison=comparison, is_reversed=violation.reversed)
    above, below, system = direction.above, direction.below, comparison.system
    images = space.images(x)
    left, right = (
        number_at(sum((system.mass(side.vector, word) for word in violation.words), Fraction(0)) * other.weight, images)
        for side, other in ((above, below), (below, above))
    )
    left = left - number_at((claim.delta or Fraction(0)) * above.weight * below.weight, images)
    if sign(left) <= 0:
        return None
    if not right:
        return "inf"
    try:
        logarithm = Epsilon.ln(enclosure(left / right, _BITS).low) - Epsilon.rational(rest.constant)
        for coefficient, argument in rest.logarithms:
            there = number_at(argument, images)
            if not isinstance(there, Fraction) and not is_closed(there):
                return None
            near = enclosure(there, _BITS)
            logarithm -= Epsilon.ln(near.high if coefficient > 0 else near.low) * coefficient
        return logarithm.enclosure(_BITS).low / (slope * x)
    except LimitReached:  # powers of e that are too long to write out
        return None
