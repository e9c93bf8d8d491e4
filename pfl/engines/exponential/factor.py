"""e^eps as a number of an exponential space, or between two of them."""

from __future__ import annotations

from pfl.analysis.exponential.functions import Functions
from pfl.base.closed_form import enclosure, in_unit, power_of_e, unit_of
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.base.struct import struct

_BITS = 64


class NoExponential(Exception):
    """e^eps is no number of the space; the text says why."""


@struct
class Factor:
    """(e^eps)^root lies from `low` to `high`, numbers of the space; they are one object where it is that number."""

    root: int
    low: Number
    high: Number


def factor_of(epsilon: Epsilon, functions: Functions) -> Factor:
    """e^eps in the space of the functions. Raises NoExponential where it is too long to write out, or of no use."""
    power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
    if power is None:
        raise NoExponential(f"e^({epsilon}) is too long to write out")
    root, factor = power
    if not epsilon.constant:
        return Factor(root=root, low=factor, high=factor)
    exponent = epsilon.constant * root
    constant = power_of_e(exponent)
    if functions.space.base == ONE:
        unit = unit_of(constant)
        assert unit is not None
        if functions.space.unit % unit == 0:
            both = factor * in_unit(constant, functions.space.unit)
            return Factor(root=root, low=both, high=both)
    bounds = Epsilon.rational(exponent)
    low, high = factor * bounds.lower_bound(_BITS), factor * bounds.upper_bound(_BITS)
    return Factor(root=root, low=low, high=high)


def factor_without_root(epsilon: Epsilon, functions: Functions) -> Factor:
    """e^eps between two numbers of the space: itself, or what is next to it where it is a root, or holds other powers
    of e. Raises NoExponential where a root is taken of what depends on the parameter."""
    found = factor_of(epsilon, functions)
    if found.root == 1:
        return found
    depending, low, high = Epsilon(), Epsilon.rational(epsilon.constant), Epsilon.rational(epsilon.constant)
    for coefficient, argument in epsilon.logarithms:
        if unit_of(argument) is None:
            depending += Epsilon.ln(argument) * coefficient
            continue
        near = enclosure(argument, _BITS)
        ends = (near.low, near.high) if coefficient > 0 else (near.high, near.low)
        low, high = (bound + Epsilon.ln(end) * coefficient for bound, end in zip((low, high), ends))
    power = depending.algebraic()
    if power is None or power[0] > 1:
        raise NoExponential(
            f"with a delta, e^({epsilon}) is a root of what depends on a parameter, which is not enclosed; claim a "
            "larger epsilon, a number plus a multiple of the parameter"
        )
    return Factor(root=1, low=power[1] * low.lower_bound(_BITS), high=power[1] * high.upper_bound(_BITS))
