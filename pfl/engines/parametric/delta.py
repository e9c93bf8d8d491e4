"""Claims with an additive delta under parameters: the supremum of the excess over words and parameter values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import compress, product
from typing import TypeAlias

from pfl.analysis.parametric.prefixes import Word
from pfl.analysis.parametric.supremum import Candidate, largest_ratio
from pfl.analysis.polynomial.box import Box, Chart
from pfl.analysis.polynomial.cells import satisfying_cells, sign_of
from pfl.analysis.polynomial.points import Point
from pfl.analysis.polynomial.real_roots import lower_end, upper_end
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import value_at
from pfl.base.struct import struct
from pfl.engines.answer import (
    MOST_SHOWN_WORDS,
    Answer,
    Attains,
    Bound,
    Computed,
    Evidence,
    Fails,
    NamedValue,
    Proved,
    Unknown,
    Violation,
)
from pfl.engines.obligation import Bindings, by_bindings, each_of
from pfl.engines.parametric.epsilon import rounded_down, rounded_up
from pfl.engines.parametric.obligations import Task
from pfl.model.compare import Compare
from pfl.model.labelled_system import Vector
from pfl.model.parameters import Condition, Parameter, ParameterSpace

NAME = "parametric"
MOST_WORDS = 20_000
MOST_CHANGING = 8
"""Words whose excess may change its sign, in several parameters: every subset of them is looked at."""
_BITS = (64, 256, 1024)
_PRECISION = Fraction(1, 10**9)
_NOT_EXACT = Unknown(engine=NAME, reason="the largest excess was not found exactly enough; fix a parameter with --set")

Excess: TypeAlias = tuple[Word, Number]
"""A word and Pr(word, left) Pr(right) - c Pr(word, right) Pr(left)."""


@struct
class Largest:
    """The supremum of (excess of the words) - delta, and where it is; it is that of `above` / `below`."""

    task: Task
    words: tuple[Word, ...]
    excesses: tuple[Number, ...]
    above: Number
    below: Number
    candidate: Candidate


def answer(question: Compare, tasks: Sequence[Task], budget: Budget) -> Answer:
    """Whether the excess is at most delta everywhere, or its supremum.

    delta(p) = sum over words w of max(0, Pr(w | left) - e^eps Pr(w | right)), the largest sum over a set of words. It
    is a rational function as long as no word changes the sign of its excess. Raises LimitReached.
    Source: docs/theory/parameters.md.
    """
    if any(not task.obligation.system.stochastic for task in tasks):
        reason = "a delta under parameters is decided only where no adversary chooses inputs and no mass is lost"
        return Unknown(engine=NAME, reason=f"{reason}; fix the parameters with --set")
    if any(_exact(task) is None and _claimed(task).parameters for task in tasks):
        reason = "a delta is not decided where e^epsilon is an irrational function of parameters"
        return Unknown(engine=NAME, reason=f"{reason}; fix them with --set")
    lengths = each_of(question.lengths)
    if question.delta is None:
        return _compute(tasks, lengths, budget)
    for below, above in _enclosures(tasks, lengths[-1], question.delta, budget):
        decided = _checked(below, above, budget)
        if decided is not None:
            return decided
    return _NOT_EXACT


def _compute(tasks: Sequence[Task], lengths: Sequence[int | None], budget: Budget) -> Answer:
    """The supremum; with several lengths also by length, with `for` variables the extremes by value."""
    groups = by_bindings(tasks)
    values: list[NamedValue] = []
    by_group: dict[Bindings, _Supremum] = {}
    for length in lengths:
        for bindings, group in groups.items():
            found = _supremum(group, length, budget)
            if found is None:
                return _NOT_EXACT
            by_group[bindings] = found
        if len(lengths) > 1:
            values += _renamed(f"length {length}", max(by_group.values(), key=_size))
    if len(by_group) > 1:
        largest, smallest = (pick(by_group, key=lambda bindings: _size(by_group[bindings])) for pick in (max, min))
        values += _renamed("largest", by_group[largest], largest)
        values += _renamed("smallest", by_group[smallest], smallest)
    best, violation = max(by_group.values(), key=_size)
    computed = replace(best, values=(*best.values, *values))
    return computed if violation is None else Attains(computed=computed, violation=violation)


_Supremum: TypeAlias = tuple[Computed, Violation | None]
"""What is computed, and words that come near it."""


def _size(found: _Supremum) -> Fraction:
    """The number, or its lower end."""
    value = found[0].value
    number = value.low if isinstance(value, Enclosure) else value
    assert isinstance(number, Fraction)
    return number


def _renamed(name: str, found: _Supremum, arguments: Bindings = ()) -> list[NamedValue]:
    value = found[0].value
    assert value is not None
    return [NamedValue(name=name, value=value, arguments=arguments)]


def _supremum(tasks: Sequence[Task], depth: int | None, budget: Budget) -> _Supremum | None:
    """The largest excess of all tasks, exact or between near ends; None if it is not found exactly enough."""
    enclosures = _enclosures(tasks, depth, Fraction(0), budget)
    return next((value for ends in enclosures if (value := _computed(*ends, budget)) is not None), None)


def _enclosures(
    tasks: Sequence[Task], depth: int | None, delta: Number, budget: Budget
) -> Iterator[tuple[Largest | None, Largest | None]]:
    """The largest excess over delta from below and from above, with growing precision of e^eps."""
    are_exact = all(_exact(task) is not None for task in tasks)
    for bits in _BITS:
        below = _largest(tasks, [_exact(t) or _claimed(t).upper_bound(bits) for t in tasks], depth, delta, budget)
        if are_exact:
            yield below, below
            return
        lower = [_exact(t) or _claimed(t).lower_bound(bits) for t in tasks]
        yield below, _largest(tasks, lower, depth, delta, budget)


def _computed(below: Largest | None, above: Largest | None, budget: Budget) -> _Supremum | None:
    """The value between a lower and an upper bound, if they are near enough, with words that come near it."""
    lower = Fraction(0) if below is None else below.candidate.low
    upper = Fraction(0) if above is None else above.candidate.high
    if lower == "inf" or upper == "inf" or upper - lower > _PRECISION:
        return None
    bound = None
    if below is not None:
        bound = Bound(
            ratio=None, lower=None, upper=None, attained=below.candidate.attained, limit_at=below.candidate.limit
        )
    best = None if below is None or not lower else _near(below, budget)
    if lower == upper:
        return Computed(engine=NAME, value=lower, bound=bound), best
    low, high = rounded_down(lower), rounded_up(upper)
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    ends = (NamedValue(name="at least", value=low), NamedValue(name="at most", value=high))
    return Computed(engine=NAME, value=Enclosure(low, high), values=ends, bound=bound), best


def _near(largest: Largest, budget: Budget) -> Violation | None:
    """The words at the values that attain the supremum, or at simple ones that come within a hundredth of it.

    None where no rational values are found in time, which a report does without.
    """
    candidate, setting = largest.candidate, largest.task.setting
    assert isinstance(candidate.low, Fraction)
    if candidate.attained and all(isinstance(value, Fraction) for value in candidate.point.values()):
        found = setting.completed(candidate.point)
    else:
        near = candidate.low * Fraction(99, 100)
        reached = Condition(polynomial=near * largest.below - largest.above, relation="<", text="near the supremum")
        weighted = Condition(polynomial=-largest.below, relation="<", text="both sides have positive probability")
        try:
            found = setting.find(budget, reached, weighted)
        except LimitReached:
            return None
    if not isinstance(found, dict):
        return None
    values = {name: value for name, value in found.items() if isinstance(value, Fraction)}
    return _shown(largest, found, _by_excess(largest, values) if len(values) == len(found) else largest.words)


def _by_excess(largest: Largest, values: Mapping[str, Fraction]) -> tuple[Word, ...]:
    """The words with a positive excess at the values, the larger ones first."""
    sized = [(value_at(excess, values), word) for word, excess in zip(largest.words, largest.excesses)]
    return tuple(word for size, word in sorted(sized, key=lambda each: (-each[0], each[1])) if size > 0)


def _shown(largest: Largest, values: Point, words: tuple[Word, ...]) -> Violation:
    """The words, or the first of many, at values of the parameters."""
    out_of = len(words) if len(words) > MOST_SHOWN_WORDS else None
    return largest.task.violation(*words[:MOST_SHOWN_WORDS], at=values, out_of=out_of)


def _checked(below: Largest | None, above: Largest | None, budget: Budget) -> Proved | Fails | None:
    """The verdict if the excess over delta is at most 0 by its upper bound, or positive somewhere by its lower one."""
    if above is None or (above.candidate.high != "inf" and above.candidate.high <= 0):
        return Proved(
            engine=NAME,
            evidence=Evidence(
                kind="exhaustive",
                detail="the excess of every set of words, for all parameter values",
                uncertified="there are no certificates for a delta with free parameters",
            ),
        )
    if below is None:
        return None
    positive = Condition(polynomial=-below.above, relation="<", text="the excess is larger than delta")
    weighted = Condition(polynomial=-below.below, relation="<", text="both sides have positive probability")
    found = below.task.setting.find(budget, positive, weighted)
    if not isinstance(found, dict):
        return None
    return Fails(engine=NAME, violation=below.task.violation(*below.words, at=found))


def _exact(task: Task) -> Number | None:
    return _claimed(task).exact_exponential()


def _claimed(task: Task) -> Epsilon:
    if task.epsilon is None:
        raise ValueError("a delta needs an epsilon")
    return task.epsilon


def _largest(
    tasks: Sequence[Task], bounds: Sequence[Number], depth: int | None, delta: Number, budget: Budget
) -> Largest | None:
    """The largest supremum over tasks and sets of words, e^eps replaced by a bound; None if nothing has an excess."""
    best: Largest | None = None
    for task, bound in zip(tasks, bounds):
        setting = task.setting
        weight = setting.number(task.obligation.system.total(task.obligation.left))
        always, changing = _excesses(task, bound, depth, budget)
        surely = sum((excess for _, excess in always), Fraction(0)) - setting.number(delta) * weight
        for chosen, box in _positive_sets(task, changing):
            words = [*always, *chosen]
            above = sum((excess for _, excess in chosen), surely)
            if best is not None and isinstance(best.candidate.low, Fraction):
                gain = above - best.candidate.low * weight
                if setting.chart(box).signs(gain) == {-1}:
                    continue
            candidate = largest_ratio(above, weight, setting, Fraction(0), budget)
            if candidate is not None and (best is None or candidate.is_better(best.candidate)):
                best = Largest(
                    task=task,
                    words=tuple(word for word, _ in words),
                    excesses=tuple(excess for _, excess in words),
                    above=above,
                    below=weight,
                    candidate=candidate,
                )
    return best


def _excesses(task: Task, bound: Number, depth: int | None, budget: Budget) -> tuple[list[Excess], list[Excess]]:
    """Words whose excess is positive everywhere, and those where this depends on the parameters; none begins another.

    A word ends early where all its futures have an excess of one sign, or where the run has ended: one letter is left,
    and it changes nothing.
    """
    obligation, setting = task.obligation, task.setting
    chart = setting.chart(setting.space.parameters)
    start = tuple(setting.number(left - bound * right) for left, right in zip(obligation.left, obligation.right))
    always: list[Excess] = []
    changing: list[Excess] = []
    pending: list[tuple[Word, Vector]] = [((), start)]
    while pending:
        word, vector = pending.pop()
        budget.check(f"{len(always) + len(changing)} words")
        signs = {sign for entry in vector if entry for sign in chart.signs(entry)}
        if 1 not in signs:
            continue
        children = _children(task, word, vector)
        is_over = len(children) == 1 and children[0][1] == vector
        if word and (-1 not in signs or is_over or len(word) == depth):
            _sort_in((word, setting.number(obligation.system.total(vector))), chart, always, changing)
        elif len(word) != depth:
            pending.extend(children)
        if len(pending) + len(always) + len(changing) > MOST_WORDS:
            raise LimitReached(f"more than {MOST_WORDS} words have an excess to be added up; try a smaller length")
    return always, changing


def _children(task: Task, word: Word, vector: Vector) -> list[tuple[Word, Vector]]:
    system = task.obligation.system
    following = (((*word, letter), system.step(vector, letter)) for letter in range(len(system.letters)))
    return [(longer, tuple(map(task.setting.number, after))) for longer, after in following if any(after)]


def _sort_in(excess: Excess, chart: Chart, always: list[Excess], changing: list[Excess]) -> None:
    signs = chart.signs(excess[1])
    if 1 in signs:
        (changing if -1 in signs else always).append(excess)


def _positive_sets(task: Task, changing: Sequence[Excess]) -> Iterator[tuple[tuple[Excess, ...], Box]]:
    """Sets of words with boxes that cover the space, each with the words whose excess is positive on the box, or with
    any set: a wrong one has a smaller sum than the right one."""
    space = task.setting.space
    if len(space.parameters) == 1 and changing:
        yield from _sets_on_cells(space, changing)
        return
    if len(changing) > MOST_CHANGING:
        raise LimitReached(
            f"{len(changing)} words have an excess that may change its sign; fix all parameters but one with --set"
        )
    for choice in product((False, True), repeat=len(changing)):
        yield tuple(compress(changing, choice)), space.parameters


def _sets_on_cells(space: ParameterSpace, changing: Sequence[Excess]) -> Iterator[tuple[tuple[Excess, ...], Box]]:
    """On every cell of one parameter the positive words; cells with a large sum first."""
    (parameter,) = space.parameters
    found = []
    for cell in satisfying_cells(space, [excess for _, excess in changing]):
        pattern = [(sign_of(excess, cell.sample) or 0) > 0 for _, excess in changing]
        chosen = tuple(compress(changing, pattern))
        low, high = lower_end(cell.low), upper_end(cell.high)
        box = Parameter(name=parameter.name, low=low, high=high, low_open=False, high_open=False)
        middle = {parameter.name: lower_end(cell.sample)}
        found.append((sum((value_at(excess, middle) for _, excess in chosen), Fraction(0)), chosen, box))
    for _, chosen, box in sorted(found, key=lambda entry: -entry[0]):
        yield chosen, (box,)
