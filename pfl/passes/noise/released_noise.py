"""Fresh samples that are shown as they are: as letters for the parts of the line that tell all that a ratio can.

Source: docs/theory/noise-exploration.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from pfl.analysis.noise.exponential_sum import Weight
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, Label, LimitReached
from pfl.base.struct import struct
from pfl.model.line_units import LineUnit, line_text
from pfl.model.noise import Noise
from pfl.model.values import SymbolValue, Value

MOST_WHOLE = 1_000
"""Integers that are shown one by one."""

Part: TypeAlias = tuple[Value, Fraction | None, Fraction | None]
"""How a part of the line is called, and its ends, None for infinite ones; both belong to it."""


@struct(eq=False)
class Parts:
    """The parts of the line that samples of some noise are told apart by."""

    parts: tuple[Part, ...]

    @staticmethod
    def of(noises: Iterable[Noise], letters: Iterable[int], program: str) -> Parts:
        """The parts between all means; of integers the values from the least to the largest mean one by one, and to the
        `letters` that are shown beside samples, since a number that is drawn and one that is not look alike.

        Raises InputRejected where the noise is of several kinds or scales.
        """
        known = list(dict.fromkeys(noises))
        if not known:
            return Parts(parts=())
        kinds = {(noise.kind, noise.rate, noise.base) for noise in known}
        if len(kinds) > 1:
            raise InputRejected([_several_scales(known, program)])
        means = sorted({noise.mean for noise in known})
        if not known[0].is_integral:
            units = {noise.unit for noise in known if noise.mean}
            return Parts(parts=_of_reals(means, next(iter(units), None)))
        ends = sorted({*map(int, means), *letters})
        if ends[-1] - ends[0] > MOST_WHOLE:
            raise LimitReached(f"`{program}` shows integers from {ends[0]} to {ends[-1]}, and each of them is a letter")
        return Parts(parts=_of_integers(ends))

    def weights(self, function: SampleFunction) -> tuple[tuple[Value, Weight], ...]:
        """The probability of each part."""
        return tuple((name, function.restricted(low, high).total()) for name, low, high in self.parts)


def _of_reals(means: Sequence[Fraction], unit: LineUnit | None) -> tuple[Part, ...]:
    """Of means that are multiples of a unit, None for 1."""
    ends = [None, *means, None]
    texts = [None if end is None else "0" if not end else line_text(end, unit) for end in ends]
    names = [_between(low, high) for low, high in pairwise(texts)]
    return tuple((SymbolValue(name), low, high) for name, (low, high) in zip(names, pairwise(ends)))


def _between(low: str | None, high: str | None) -> str:
    if low is None:
        return "any number" if high is None else f"at most {high}"
    return f"above {low}" if high is None else f"from {low} to {high}"


def _of_integers(means: Sequence[int]) -> tuple[Part, ...]:
    low, high = means[0], means[-1]
    single: list[Part] = [(value, Fraction(value), Fraction(value)) for value in range(low, high + 1)]
    below: Part = (SymbolValue(f"below {low}"), None, Fraction(low - 1))
    above: Part = (SymbolValue(f"above {high}"), Fraction(high + 1), None)
    return (below, *single, above)


def require_unmixed(
    starts: Iterable[int],
    steps: Callable[[int], Iterable[tuple[int, int]]],
    releases: Mapping[int, Mapping[tuple[int, ...], Noise]],
    parts: Collection[int],
    program: str,
    budget: Budget,
) -> None:
    """Raise InputRejected where what is seen before does not say from which real noise a shown sample comes.

    `steps(state)` are pairs (label, target), 0 being silent; `releases[state]` are the noises of samples that are
    shown after a word from a state on; `parts` are the labels of samples. A mixture of densities has its largest
    ratio anywhere, not just in the parts.
    """
    pending = [_silently(frozenset([start]), steps) for start in starts]
    seen = set(pending)
    while pending:
        budget.check("some of what is seen before samples are shown was found")
        states = pending.pop()
        noises: dict[tuple[int, ...], Noise] = {}
        releasing = [releases[state] for state in states if state in releases]
        if releasing and len(states) > len(releasing):
            others = (state for state in states if state not in releases)
            if any(label in parts for state in others for label, _ in steps(state)):
                raise InputRejected([mixed(next(iter(releasing[0].values())), program)])
        for told in releasing:
            for word, noise in told.items():
                if noises.setdefault(word, noise) != noise:
                    raise InputRejected([mixed(noise, program)])
        onward: dict[int, set[int]] = {}
        for state in states:
            for label, target in steps(state):
                if label:
                    onward.setdefault(label, set()).add(target)
        for targets in onward.values():
            following = _silently(frozenset(targets), steps)
            if following not in seen:
                seen.add(following)
                pending.append(following)


def _silently(states: frozenset[int], steps: Callable[[int], Iterable[tuple[int, int]]]) -> frozenset[int]:
    found = set(states)
    waiting = list(states)
    while waiting:
        for label, target in steps(waiting.pop()):
            if not label and target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(found)


def _several_scales(noises: Sequence[Noise], program: str) -> Diagnostic:
    named = " and ".join(f"`{noise}`" for noise in noises[:3])
    return Diagnostic(
        code=codes.SAMPLE_MISUSED,
        message=f"`{program}` shows samples of noise of different scales, such as {named}",
        labels=() if noises[0].place is None else (Label(noises[0].place),),
        help="show what comparisons of the samples give, for instance the bin in which each lies",
    )


def mixed(noise: Noise, program: str) -> Diagnostic:
    return Diagnostic(
        code=codes.SAMPLE_MISUSED,
        message=f"`{program}` shows a sample, and what is hidden says from which noise it comes",
        labels=() if noise.place is None else (Label(noise.place, "its mean depends on what nobody sees"),),
        help="show what comparisons of the sample give, for instance the bin in which it lies",
    )
