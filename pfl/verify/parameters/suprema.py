"""The larger of two suprema over different parts of a space of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base.enclosure import Enclosure
from pfl.engines.answer import Bound, Computed, NamedValue, Ratio, Unknown
from pfl.verify.parameters.ordering import limits
from pfl.verify.parameters.part import Part, located, where
from pfl.verify.verdict import Verdict

_ORDER = {"unbounded": 1, "inf": 2}


def highest(generic: Verdict | None, parts: Sequence[Part]) -> Verdict:
    """The supremum over everything: over what lies in no part (None where that is empty), and over each part.

    One that a part attains is attained. Undecided if it is anywhere; what was reached is then a lower bound.
    """
    verdicts = [*([] if generic is None else [generic]), *(located(part) for part in parts)]
    undecided = [where(part, part.verdict) for part in parts if isinstance(part.verdict, Unknown)]
    if isinstance(generic, Unknown):
        undecided.insert(0, generic)
    reached: Computed | None = None
    for verdict in verdicts:
        if isinstance(verdict, Computed):
            reached = verdict if reached is None else _higher(reached, verdict)
    if undecided:
        bound = None if reached is None or reached.bound is None else replace(reached.bound, ratio=None, upper=None)
        return replace(undecided[0], bound=bound if undecided[0].bound is None else undecided[0].bound)
    return verdicts[0] if reached is None else replace(reached, exceptional=())


def _higher(first: Computed, second: Computed) -> Computed:
    values = _by_name(first.values, second.values)
    if first.value is None or second.value is None:
        assert first.bound is not None
        assert second.bound is not None
        bound = higher_bound(first.bound, second.bound)
        return replace(second if bound.best is second.bound.best else first, bound=bound, values=values)
    (low, high), (other_low, other_high) = limits(first.value), limits(second.value)
    if low >= other_high and (_is_attained(first) or low > other_high):
        return replace(first, values=values)
    if other_low >= high and (_is_attained(second) or other_low > high):
        return replace(second, values=values)
    if low == high == other_low == other_high:
        return replace(first, values=values)
    lowest, top = max(low, other_low), max(high, other_high)
    assert isinstance(lowest, Fraction)
    assert isinstance(top, Fraction)
    return replace(first if low >= other_low else second, value=Enclosure(lowest, top), values=values)


def _is_attained(computed: Computed) -> bool:
    return computed.bound is None or computed.bound.attained


def _by_name(first: Sequence[NamedValue], second: Sequence[NamedValue]) -> tuple[NamedValue, ...]:
    """Of values with one name the larger one."""
    found: dict[object, NamedValue] = {}
    for named in (*first, *second):
        key = named.name, named.arguments
        known = found.get(key)
        if known is None or limits(known.value)[0] < limits(named.value)[0]:
            found[key] = named
    return tuple(found.values())


def higher_bound(first: Bound, second: Bound) -> Bound:
    """What is known of the larger of two largest ratios."""
    if first.ratio is not None and second.ratio is not None:
        ranks = _rank(first.ratio), _rank(second.ratio)
        return second if ranks[0] < ranks[1] or (ranks[0] == ranks[1] and not first.attained) else first
    lower, other = _rank(_lower(first)), _rank(_lower(second))
    reached = second if lower < other else first
    uppers = [bound.upper if bound.ratio is None else bound.ratio for bound in (first, second)]
    upper = None if None in uppers else max((each for each in uppers if each is not None), key=_rank)
    known = _lower(reached)
    return replace(reached, ratio=upper if upper == known else None, lower=known, upper=upper)


def _lower(bound: Bound) -> Ratio | None:
    return bound.lower if bound.ratio is None else bound.ratio


def _rank(ratio: Ratio | None) -> tuple[int, Fraction]:
    if isinstance(ratio, str):
        return _ORDER[ratio], Fraction(0)
    return 0, Fraction(0) if ratio is None else ratio
