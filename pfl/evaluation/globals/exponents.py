"""The space of a parameter and its exponential that numbers are functions of."""

from __future__ import annotations

from collections.abc import Iterable

from pfl.base.exponential import ONE, Exponential
from pfl.base.struct import struct
from pfl.evaluation.linkage import GlobalValues
from pfl.model.parameters import ExponentialSpace


@struct
class Held:
    """What some numbers mention: the parameters, or `ONE`, whose exponentials they hold, or that have no upper end;
    other parameters; and what exponents are multiples of."""

    bases: tuple[str, ...]
    others: tuple[str, ...]
    unit: int


def held(names: Iterable[str], values: GlobalValues) -> Held:
    """What numbers that mention some names hold."""
    mentioned = frozenset(names)
    exponentials = [each for each in map(Exponential.of, mentioned) if each is not None]
    bases = {each.base for each in exponentials} | (mentioned & values.endless.keys())
    others = {name for name in mentioned if Exponential.of(name) is None} - bases
    unit = max((each.unit for each in exponentials), default=1)
    return Held(bases=tuple(sorted(bases)), others=tuple(sorted(others)), unit=unit)


def exponential_space(base: str, values: GlobalValues, unit: int) -> ExponentialSpace:
    """The values of a parameter that is not fixed, or of `ONE`."""
    if base == ONE:
        return ExponentialSpace.of_constants(unit)
    if base in values.endless:
        half_line = values.endless[base]
        return ExponentialSpace(
            base=base, low=half_line.low, high=None, low_open=half_line.low_open, high_open=True, unit=unit
        )
    parameter = next(each for each in values.space.parameters if each.name == base)
    return ExponentialSpace(
        base=base,
        low=parameter.low,
        high=parameter.high,
        low_open=parameter.low_open,
        high_open=parameter.high_open,
        unit=unit,
    )
