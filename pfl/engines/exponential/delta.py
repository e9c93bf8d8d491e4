"""Claims with an additive delta, and the smallest delta.

The excess of a word is P - e^eps Q, and what must not be above delta is the sum of the excesses that are positive. For
all values of the parameter that is one inequality for each set of the words whose excess has both signs: docs/theory/
exponential-engine.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, TypeAlias

from pfl.analysis.exponential.decide import NegativeAt, NonNegative, Open
from pfl.analysis.exponential.functions import Functions
from pfl.base.closed_form import enclosure, is_closed, sign
from pfl.base.enclosure import Enclosure, decimal_text
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.answer import Answer, Attains, Computed, Fails, Proved, Unknown, Violation
from pfl.engines.exponential.certificate import Sign, Sums
from pfl.engines.exponential.certificate import sign as sign_of
from pfl.engines.exponential.factor import Factor, NoExponential, factor_without_root, number_between
from pfl.engines.exponential.obligations import NAME, Obligations
from pfl.engines.exponential.places import simple_place
from pfl.engines.word_pairs import Task

_MOST_MIXED = 12
"""Words whose excess changes its sign: each set of them is looked at."""
_STEPS = 24
"""Halvings of the interval of a delta over all values of the parameter."""
_BITS = 64
_TOO_MANY = (
    "where inputs are received, the excesses of all of them are added up beside exponentials, though only one of them "
    "is given; claim a larger delta, or none, or write noise with a rational alpha in place of `exp(..)`"
)

Words: TypeAlias = tuple[tuple[int, ...], ...]


@struct(kw_only=False)
class _Exceeded:
    """A value of the parameter at which the excesses of words add up to more."""

    task: Task
    words: Words
    at: dict[str, Fraction]


def check_with_delta(asked: Obligations) -> Answer:
    """Whether, of every comparison, the excesses of all words add up to at most delta. Raises LimitReached."""
    delta = asked.question.delta
    assert delta is not None, "a check claims a delta"
    sums = Sums(asked.functions)
    try:
        low, high = number_between(delta, asked.functions)
        found = _compared(asked, low, _factor_below, sums)
        if isinstance(found, _Exceeded) and not _is_exact(found, asked, delta, is_same=low == high):
            found = _compared(asked, high, _factor_above)
            if found is None:
                return Unknown(engine=NAME, reason=f"the excess comes nearer to {delta} than was looked")
    except NoExponential as problem:
        return Unknown(engine=NAME, reason=str(problem))
    match found:
        case _Exceeded(words=()):
            at = ", ".join(f"{name} = {value}" for name, value in found.at.items())
            return Unknown(engine=NAME, reason=f"delta is negative{f' at {at}' if at else ''}; let it be at least 0")
        case _Exceeded():
            return Fails(engine=NAME, violation=found.task.violation(*found.words, at=found.at))
        case Open(reason=reason):
            return Unknown(engine=NAME, reason=reason)
        case _:
            return Proved(engine=NAME, evidence=sums.evidence("excesses of every set of words that exceed"))


def smallest_delta(asked: Obligations) -> Answer:
    """The largest sum of excesses; over all values of a parameter, an interval that holds it. Raises LimitReached."""
    try:
        if asked.functions.space.base == ONE:
            return _delta_at(asked)
        return _delta_over_all(asked)
    except NoExponential as problem:
        return Unknown(engine=NAME, reason=str(problem))


def _delta_at(asked: Obligations) -> Answer:
    """At most the excesses over what is above e^eps, and at least those over what is below it, where it is between."""
    best: tuple[Number, Task, Words] | None = None
    most: Number = Fraction(0)
    for number, task in enumerate(asked.tasks):
        asked.budget.check(f"the excesses of {number:,} comparisons")
        factor = _bounds(task, asked.functions)
        total, words = _excess_at(task, factor.high)
        if best is None or sign(total - best[0]) > 0:
            best = (total, task, words)
        above = total if factor.low is factor.high else _excess_at(task, factor.low)[0]
        most = above if sign(above - most) > 0 else most
    if not most:
        return Computed(engine=NAME, value=Fraction(0))
    assert best is not None, "there are comparisons"
    total, task, words = best
    if _exclude_each_other(task, words):
        return Unknown(engine=NAME, reason=_TOO_MANY)
    same = total == most
    value = total if same and isinstance(total, Fraction) else Enclosure(_enclosed(total).low, _enclosed(most).high)
    computed = Computed(engine=NAME, value=value)
    return Attains(computed=computed, violation=task.violation(*words)) if words else computed


def _excess_at(task: Task, factor: Number) -> tuple[Number, Words]:
    """The sum of what words exceed a factor by, and these words."""
    total: Number = Fraction(0)
    words = []
    for leaf, (above, below) in enumerate(zip(task.above.numbers, task.below.numbers)):
        excess = above - factor * below
        if sign(excess) > 0:
            total = total + excess
            words.append(task.tree.word(task.tree.leaves[leaf]))
    return total, tuple(words)


def _enclosed(number: Number) -> Enclosure:
    """An interval of short ends around a number that is not negative, narrow beside the number itself."""
    found = enclosure(number, _BITS)
    shift = _BITS + 8 + max(0, found.low.denominator.bit_length() - found.low.numerator.bit_length())
    unit = Fraction(1, 1 << shift)
    return Enclosure(found.low // unit * unit, -(-found.high // unit) * unit)


def _delta_over_all(asked: Obligations) -> Answer:
    """By halving: each delta that is tried is proved, or exceeded somewhere, or else too near to be told apart
    with bounds of e^eps."""
    low, high = Fraction(0), Fraction(1)
    best: _Exceeded | None = None
    tried = low
    for step in range(_STEPS + 1):
        asked.budget.check(
            f"{step} of {_STEPS} halvings, a delta between {decimal_text(low, 6)} and {decimal_text(high, 6)}"
        )
        found = _compared(asked, tried, _factor_below)
        if found is None:
            high = tried
        elif isinstance(found, _Exceeded) and _is_exact(found, asked, tried, is_same=True):
            low, best = tried, found
        elif step:
            break
        elif isinstance(found, Open):
            return Unknown(engine=NAME, reason=found.reason)
        if low == high:
            return Computed(engine=NAME, value=low)
        tried = (low + high) / 2
    computed = Computed(engine=NAME, value=Enclosure(low, high))
    return computed if best is None else Attains(computed=computed, violation=_violation(best))


def _violation(found: _Exceeded) -> Violation:
    return found.task.violation(*found.words, at=found.at)


def _compared(
    asked: Obligations, delta: Number, factor_of_task: Callable[[Task, Functions], Number], sums: Sums | None = None
) -> _Exceeded | Open | None:
    """Where excesses over a factor add up to more than delta; None if nowhere, and what shows that enters the sums."""
    open_case: Open | None = None
    seen: set[frozenset[tuple[Number, int]]] = set()
    for task in asked.tasks:
        factor = factor_of_task(task, asked.functions)
        excesses = [above - factor * below for above, below in zip(task.above.numbers, task.below.numbers)]
        key = frozenset(Counter(excesses).items())
        if key in seen:
            continue
        seen.add(key)
        found = _of_task(task, excesses, delta, asked, sums)
        if isinstance(found, _Exceeded):
            return found
        open_case = open_case or found
    return open_case


def _factor_below(task: Task, functions: Functions) -> Number:
    """At most e^eps, and next to it: excesses over it are at least those that are asked about."""
    return _bounds(task, functions).low


def _factor_above(task: Task, functions: Functions) -> Number:
    """At least e^eps, and next to it."""
    return _bounds(task, functions).high


def _bounds(task: Task, functions: Functions) -> Factor:
    assert task.epsilon is not None, "deltas are asked for at an epsilon"
    return factor_without_root(task.epsilon, functions)


def _of_task(
    task: Task, excesses: Sequence[Number], delta: Number, asked: Obligations, sums: Sums | None
) -> _Exceeded | Open | None:
    functions = asked.functions
    counts = Counter(excess for excess in excesses if excess)
    always: Number = Fraction(0)
    mixed: list[Number] = []
    shown: dict[str, list[Any]] = {"never": [], "always": [], "mixed": [], "sets": []}
    for excess, count in counts.items():
        word = {"word": list(task.tree.word(task.tree.leaves[excesses.index(excess)]))}
        if (proof := _not_negative(-excess, functions)) is not None:
            shown["never"].append({**word, **proof})
        elif (proof := _not_negative(excess, functions)) is not None:
            shown["always"].append({**word, **proof})
            always = always + excess * count
        else:
            shown["mixed"].append(word["word"])
            mixed.append(excess)
    if len(mixed) > _MOST_MIXED:
        return Open(f"the excesses of {len(mixed)} words change their signs; fix the parameter with --set")
    signs: dict[int, Sign] = {}
    for size in range(len(mixed), -1, -1):
        for chosen in combinations(range(len(mixed)), size):
            asked.budget.check("excesses of some sets of words were compared")
            total = sum((mixed[place] * counts[mixed[place]] for place in chosen), always)
            function = functions.difference(delta, total)
            match functions.decide(function):
                case NegativeAt(point=point):
                    at = simple_place(function, point, functions)
                    words = _exceeding(task, excesses, at, functions)
                    return Open(_TOO_MANY) if _exclude_each_other(task, words) else _Exceeded(task, words, at)
                case Open() as found:
                    return found
                case NonNegative(certificate=certificate):
                    signs[sum(1 << place for place in chosen)] = sign_of(function, certificate)
    shown["sets"] = [signs[number] for number in range(len(signs))]
    if sums is not None:
        sums.add(task, shown)
    return None


def _not_negative(number: Number, functions: Functions) -> Sign | None:
    """That a number is negative for no value of the parameter; None where it is for some, or may be."""
    function = functions.of(number).above
    found = functions.decide(function)
    return sign_of(function, found.certificate) if isinstance(found, NonNegative) else None


def _exclude_each_other(task: Task, words: Words) -> bool:
    """Whether some word begins with another one, or after the same letters some go on with different inputs, of which
    an adversary can give one."""
    if any(second[: len(first)] == first for first, second in pairwise(sorted(words))):
        return True
    inputs, channels = task.tree.system.inputs, task.tree.system.channels
    chosen: dict[tuple[tuple[int, ...], int], int] = {}
    for word in words if inputs is not None else ():
        for place, letter in enumerate(word):
            assert inputs is not None
            history = (word[:place], 0 if channels is None else channels[letter])
            if inputs[letter] >= 0 and chosen.setdefault(history, inputs[letter]) != inputs[letter]:
                return True
    return False


def _exceeding(task: Task, excesses: Sequence[Number], at: dict[str, Fraction], functions: Functions) -> Words:
    """The words whose excess is positive there."""
    found = []
    for leaf, excess in enumerate(excesses):
        if at:
            (x,) = at.values()
            value = excess.evaluate(functions.space.images(x)) if not isinstance(excess, Fraction) else excess
        else:
            value = excess
        if sign(value) > 0:
            found.append(task.tree.word(task.tree.leaves[leaf]))
    return tuple(found)


def _is_exact(found: _Exceeded, asked: Obligations, delta: Number, *, is_same: bool) -> bool:
    """Whether the excesses over e^eps add up to more than the delta itself, not just those over what is below it to
    more than the lower end of the delta; `is_same` is whether that end is the delta."""
    factor = _factor_above(found.task, asked.functions)
    if is_same and factor == _factor_below(found.task, asked.functions):
        return True
    total: Number = Fraction(0)
    words = set(found.words)
    for leaf, (above, below) in enumerate(zip(found.task.above.numbers, found.task.below.numbers)):
        if found.task.tree.word(found.task.tree.leaves[leaf]) in words:
            total = total + (above - factor * below)
    images = asked.functions.space.images(*found.at.values()) if found.at else {}
    value = total.evaluate(images) if not isinstance(total, Fraction) else total
    allowed = delta.evaluate(images) if not isinstance(delta, Fraction) and not is_closed(delta) else delta
    return enclosure(value, _BITS).low > enclosure(allowed, _BITS).high
