"""Distributions whose weights sum to 1 by the assumptions on the parameters."""

from __future__ import annotations

from collections.abc import Iterable

from pfl.analysis.polynomial.elimination import reduce
from pfl.base.rational_function import RationalFunction
from pfl.ir.distribution import DistributionValue, TotalNotOne, Weighted
from pfl.ir.parameters import ParameterSpace


def distribution_on(space: ParameterSpace, weighted: Iterable[Weighted]) -> DistributionValue:
    """The distribution with the weights given, equal values added; raises `NegativeWeight` or `TotalNotOne`.

    With `assume p0 + p1 + p2 == 1`, the weights p0, p1, p2 sum to 1 although not as an identity. Parameters that the
    assumptions determine are then replaced by what they equal, here p0 by 1 - p1 - p2, after which it is one.
    """
    entries = tuple(weighted)
    try:
        return DistributionValue(entries)
    except TotalNotOne as fault:
        if not isinstance(fault.total, RationalFunction):
            raise
        reduced = reduce(space)
        try:
            if reduced.number(fault.total) != 1:
                raise
            return DistributionValue((value, reduced.number(weight)) for value, weight in fault.weights)
        except ZeroDivisionError:  # a weight is divided by what the assumptions make 0
            raise fault from None
