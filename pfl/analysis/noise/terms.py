"""Terms of joint functions of samples: summing a sample out of one, and adding up those that are alike. Source:
docs/theory/noise.md."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.noise.differences import Differences
from pfl.analysis.noise.exponential_sum import Weight, weight_sum
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.analysis.noise.workspace import Noise
from pfl.base.struct import struct

Bound: TypeAlias = tuple[Hashable, Fraction | int]


@struct
class Term:
    """A product of one function a sample, in the order of the samples of its joint, on the solutions of constraints."""

    functions: tuple[SampleFunction, ...]
    differences: Differences


def summed_out(term: Term, names: Sequence[Hashable], name: Hashable, noise: Noise) -> Iterator[tuple[Term, Weight]]:
    """The integral or sum of the term over the sample `name`, as terms of the other samples with weights.

    Let F be its distribution function. Where l + a is the largest of its lower bounds and u + b the smallest of its
    upper ones, the integral is F(u + b) - F(l + a), of integers F(u + b) - F(l + a - 1): one pair of functions for each
    l and u, on the part of the others' values where these are the ones. Ties, which integers have, fall to the first of
    `names`.
    """
    place = names.index(name)
    function = term.functions[place]
    others = (*names[:place], *names[place + 1 :])
    functions = (*term.functions[:place], *term.functions[place + 1 :])
    lower, upper = term.differences.lower(name, names), term.differences.upper(name, names)
    rest = term.differences.without(name)
    one = Fraction(1)

    def term_with(other: Hashable, factor: SampleFunction, differences: Differences) -> Term:
        index = others.index(other)
        product = noise.product(functions[index], factor)
        return Term(functions=(*functions[:index], product, *functions[index + 1 :]), differences=differences)

    if not lower and not upper:
        yield Term(functions=functions, differences=rest), noise.total(function)
    elif not upper:
        for (low, a), differences in _extremes(lower, rest, 1, touching=not function.is_real):
            yield term_with(low, noise.shifted(noise.rest(function), -a), differences), one
    elif not lower:
        for (high, b), differences in _extremes(upper, rest, -1, touching=not function.is_real):
            yield term_with(high, noise.shifted(noise.up_to(function), -b), differences), one
    else:
        for (low, a), differences in _extremes(lower, rest, 1, touching=not function.is_real):
            below = noise.shifted(noise.below(function), -a)
            for (high, b), narrower in _extremes(upper, differences, -1, touching=not function.is_real):
                up_to = noise.shifted(noise.up_to(function), -b)
                yield term_with(high, up_to, narrower), one
                yield term_with(low, below, narrower), -one


def _extremes(
    bounds: Sequence[Bound], differences: Differences, sign: int, *, touching: bool
) -> Iterator[tuple[Bound, Differences]]:
    """Each bound that may be the largest (sign 1) or the smallest (sign -1), with what holds where it is; the parts are
    disjoint, up to ties of real samples."""
    for index, (name, distance) in enumerate(bounds):
        narrowed: Differences | None = differences
        for position, (other, far) in enumerate(bounds):
            if position == index or narrowed is None:
                continue
            gap = sign * (distance - far)
            if touching and position < index:
                gap -= 1
            left, right = (other, name) if sign > 0 else (name, other)
            narrowed = narrowed.bounded(left, right, gap, touching=touching)
        if narrowed is not None:
            yield (name, distance), narrowed


def merged(weighted: Iterable[tuple[Term, Weight]], noise: Noise) -> dict[Term, Weight]:
    """The sum with few terms: those that are alike but for their weight or one function are added up."""
    total: dict[Term, Weight] = {}
    for term, weight in weighted:
        if all(term.functions):
            total[term] = weight_sum(total[term], weight) if term in total else weight
    total = {term: weight for term, weight in total.items() if weight}
    before = len(total) + 1
    while 1 < len(total) < before:
        before = len(total)
        for place in range(len(next(iter(total)).functions)):
            total = _merged_at(total, place, noise)
            if not total:
                break
    return total


def _merged_at(total: dict[Term, Weight], place: int, noise: Noise) -> dict[Term, Weight]:
    """Terms that differ in the function at one place only, and in weights that go into it, as one."""
    groups: dict[tuple[tuple[SampleFunction, ...], Differences, Weight | None], list[tuple[Term, Weight]]] = {}
    for term, weight in total.items():
        outer = None if term.functions[place].accepts(weight) else weight
        rest = (*term.functions[:place], *term.functions[place + 1 :])
        groups.setdefault((rest, term.differences, outer), []).append((term, weight))
    made: dict[Term, Weight] = {}
    for (_, _, outer), group in groups.items():
        noise.check()
        first, weight = group[0]
        if len(group) > 1:
            parts = [
                term.functions[place] if outer is not None else term.functions[place].scaled(each)
                for term, each in group
            ]
            function = parts[0]
            for part in parts[1:]:
                function = function + part
            if not function:
                continue
            functions = (*first.functions[:place], function, *first.functions[place + 1 :])
            first = Term(functions=functions, differences=first.differences)
            weight = Fraction(1) if outer is None else outer
        made[first] = weight_sum(made[first], weight) if first in made else weight
    return {term: weight for term, weight in made.items() if weight}
