"""Bounds of several groups of comparisons, one for each value of a claim's `for` variables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from pfl.engines.answer import Bound, NamedValue

Bindings: TypeAlias = tuple[tuple[str, str], ...]
"""The values of the `for` variables, by name."""


def rank(bound: Bound) -> tuple[int, Fraction]:
    """Bounds by their ratio, or the least that it can be."""
    match bound.ratio:
        case "inf":
            return 2, Fraction(0)
        case "unbounded":
            return 1, Fraction(0)
        case _:
            return 0, bound.lower if isinstance(bound.lower, Fraction) else Fraction(0)


def extremes(by_group: Mapping[Bindings, Bound]) -> list[NamedValue]:
    """`largest` and `smallest`, the ratios with the values of the `for` variables, where these have several."""
    if len(by_group) < 2:
        return []
    found = []
    for end, bindings in (
        ("largest", max(by_group, key=lambda bindings: rank(by_group[bindings]))),
        ("smallest", min(by_group, key=lambda bindings: rank(by_group[bindings]))),
    ):
        ratio = by_group[bindings].ratio
        if ratio is not None and ratio != "unbounded":
            found.append(NamedValue(name=end, value=ratio, arguments=bindings))
    return found
