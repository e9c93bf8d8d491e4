"""The signs that show of numbers which hold exponentials that they are as a check requires."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pfl.analysis.exponential.decide import NonNegative
from pfl.analysis.exponential.functions import DenominatorUnknown, Functions
from pfl.analysis.ratio.certificate import with_digest
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.exponential.certificate import Sign, sign
from pfl.model.measure import Requirement
from pfl.model.parameters import ExponentialSpace


def with_signs(
    certificate: dict[str, Any],
    required: Iterable[tuple[Number, Requirement]],
    space: ExponentialSpace,
    budget: Budget,
) -> dict[str, Any]:
    """The certificate of a solution, with what shows that numbers read off it are at least, or at most, others. Raises
    LimitReached."""
    functions = Functions(space, budget)
    shown: dict[Number, Sign] = {}
    for value, requirement in required:
        low, high = (value, requirement.number)
        if requirement.relation == "at least":
            low, high = high, low
        difference = high - low
        if requirement.relation == "equals" or not isinstance(difference, RationalFunction) or difference in shown:
            continue
        try:
            function = functions.of(difference).above
        except DenominatorUnknown:
            continue
        found = functions.decide(function)
        if isinstance(found, NonNegative):
            shown[difference] = sign(function, found.certificate)
    if not shown:
        return certificate
    content = {key: value for key, value in certificate.items() if key not in ("format", "kind", "digest")}
    return with_digest(certificate["kind"], {**content, "signs": list(shown.values())})
