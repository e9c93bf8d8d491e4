"""`P <= e^eps Q` for every pair of probabilities: proved by the sign of a function each, or a pair that fails, and
where."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pfl.analysis.exponential.decide import Decision, NegativeAt, NonNegative
from pfl.analysis.exponential.functions import Functions
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.closed_form import compare
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.engines.answer import Answer, Fails, Proved, Unknown
from pfl.engines.exponential.certificate import Signs
from pfl.engines.exponential.factor import Factor, NoExponential, factor_of
from pfl.engines.exponential.obligations import NAME, Obligations
from pfl.engines.exponential.places import negative_place, simple_place
from pfl.engines.word_pairs import Pair
from pfl.passes.substitute import epsilon_at, number_at


def check(asked: Obligations) -> Answer:
    """Whether every pair of probabilities keeps its epsilon. Raises LimitReached."""
    functions = asked.functions
    factors: dict[str, Factor] = {}
    open_reason = ""
    signs = Signs(functions)
    decided = 0
    for pair in asked.pairs:
        asked.budget.check(f"{decided:,} signs")
        epsilon = pair.task.epsilon
        assert epsilon is not None, "a check claims an epsilon of every comparison"
        key = str(epsilon)
        try:
            if key not in factors:
                factors[key] = factor_of(epsilon, functions)
        except NoExponential as problem:
            return Unknown(engine=NAME, reason=f"epsilon {epsilon} is not compared exactly: {problem}")
        decided += 1
        found = judged(pair, epsilon, factors[key], functions, signs)
        if isinstance(found, dict):
            return Fails(engine=NAME, violation=pair.task.violation(pair.word, at=found))
        open_reason = open_reason or found
    if open_reason:
        return Unknown(engine=NAME, reason=f"whether a probability exceeds its bound is open: {open_reason}")
    detail = f"{decided:,} signs of functions of {' and '.join(functions.space.names)}"
    return Proved(engine=NAME, evidence=signs.evidence(detail))


def judged(
    pair: Pair, epsilon: Epsilon, factor: Factor, functions: Functions, signs: Signs | None = None
) -> dict[str, Fraction] | str:
    """Where P exceeds e^eps Q; otherwise why that is open, empty if it never does, which enters the signs."""
    function = _spared(pair, factor.root, factor.low, functions)
    found = functions.decide(function)
    if signs is not None and isinstance(found, NonNegative):
        signs.add(pair, factor.root, function, found.certificate)
    if factor.low is factor.high or not isinstance(found, NegativeAt):
        return _told(found, function, functions)
    at = simple_place(function, found.point, functions)
    if _exceeds_at(pair, epsilon, at, functions):
        return at
    function = _spared(pair, factor.root, factor.high, functions)
    found = functions.decide(function)
    if isinstance(found, NonNegative):
        return f"a ratio comes nearer to e^({epsilon}) than was looked"
    return _told(found, function, functions)


def _told(found: Decision, function: ExponentialPolynomial, functions: Functions) -> dict[str, Fraction] | str:
    match found:
        case NonNegative():
            return ""
        case NegativeAt(point=point):
            return simple_place(function, point, functions)
        case _:
            at = negative_place(function, functions) if functions.space.base != ONE else None
            return found.reason if at is None else at


def _spared(pair: Pair, root: int, factor: Number, functions: Functions) -> ExponentialPolynomial:
    """A function with the sign of c Q^n - P^n."""
    left, right = (pair.above, pair.below) if root == 1 else (pair.above**root, pair.below**root)
    return functions.difference(right, left, factor)


def _exceeds_at(pair: Pair, epsilon: Epsilon, at: Mapping[str, Fraction], functions: Functions) -> bool:
    images: Mapping[str, Number] = {}
    if at:
        images = functions.space.images(*at.values())
    left, right = (number_at(number, images) for number in (pair.above, pair.below))
    return compare(left, right, epsilon_at(epsilon, images)) > 0
