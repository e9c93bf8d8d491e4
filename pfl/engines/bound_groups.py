"""Bounds of several groups of comparisons, one for each value of a claim's `for` variables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pfl.engines.answer import Bound, NamedValue


def rank(bound: Bound) -> tuple[int, Fraction]:
    """Bounds by their ratio, or the least that it can be."""
    match bound.ratio:
        case "inf":
            return 2, Fraction(0)
        case "unbounded":
            return 1, Fraction(0)
        case _:
            return 0, bound.lower if isinstance(bound.lower, Fraction) else Fraction(0)


def bindings_text(bindings: tuple[tuple[str, str], ...]) -> str:
    """`a = 0, b = 2`; empty without variables."""
    return ", ".join(f"{name} = {value}" for name, value in bindings)


def extremes(by_group: Mapping[str, Bound]) -> list[NamedValue]:
    """The largest and the smallest ratio with the values of the `for` variables, where these have several."""
    if len(by_group) < 2:
        return []
    found = []
    for end, name in (
        ("largest", max(by_group, key=lambda name: rank(by_group[name]))),
        ("smallest", min(by_group, key=lambda name: rank(by_group[name]))),
    ):
        ratio = by_group[name].ratio
        if ratio is not None and ratio != "unbounded":
            found.append(NamedValue(name=f"{end} at {name}", value=ratio))
    return found
