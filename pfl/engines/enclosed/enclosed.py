"""Comparisons of probabilities that are enclosed: decided where the enclosures are apart, with precision raised until
they are, or it is enough. Source: docs/theory/gaussian.md."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.exact_text import fraction_text
from pfl.engines.answer import Bound, Computed, Disproved, Evidence, Proved, Unknown
from pfl.engines.enclosed.judging import Judging, Pair, Word
from pfl.engines.enclosed.texts import difference_text, enclosure_text, pair_facts, ratio_text, words_text
from pfl.model.claims import Question
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.options import Options

PRECISIONS = (64, 128, 256, 512, 1024)
"""Bits that are tried one after the other."""

ENCLOSED = "every probability lies between two rational numbers that were computed; none is known exactly"
UNCERTIFIED = "probabilities of Gaussian noise are enclosed, and no certificate says how"

NAME = "enclosed"
_NARROW = Fraction(1, 10**9)
"""How wide an interval is that is reported, relative to its upper end, unless precision is at its limit."""


def answer(question: Question, options: Options, budget: Budget) -> Proved | Disproved | Unknown | Computed:
    """What enclosures say of the question. Raises LimitReached."""
    del options
    assert isinstance(question, EnclosedCompare)
    match question.goal:
        case "check" if question.delta == 0:
            return _checked(question, budget)
        case "check":
            return _checked_with_delta(question, budget)
        case "epsilon":
            return _smallest_epsilon(question, budget)
        case "delta":
            return _smallest_delta(question, budget)


def _proved(bound: Bound | None, judging: Judging) -> Proved:
    facts = (("enclosed", f"{ENCLOSED}, with {judging.bits} bits"),)
    evidence = Evidence(kind="exhaustive", detail=ENCLOSED, facts=facts, uncertified=UNCERTIFIED)
    return Proved(engine=NAME, evidence=evidence, bound=bound)


def _checked(question: EnclosedCompare, budget: Budget) -> Proved | Disproved | Unknown:
    """Whether P(w) <= e^eps Q(w) for every word of every pair: proved if the upper end of P is at most that times the
    lower end of Q, refuted if the lower end exceeds that times the upper one."""
    pairs = Pair.all(question)
    judging = Judging(question, PRECISIONS[0], budget)
    for bits in PRECISIONS:
        judging = Judging(question, bits, budget)
        left: list[Pair] = []
        exceeding: list[tuple[Pair, Word]] = []
        for pair in pairs:
            verdict = judging.worst(pair)
            if verdict is not None and verdict.exceeds:
                exceeding.append((pair, verdict))
            elif verdict is not None:
                left.append(pair)
        if exceeding:
            pair, word = max(exceeding, key=lambda found: found[1].least_ratio)
            return _refuted(question, pair, word)
        if not left:
            return _proved(judging.bound(Pair.all(question)), judging)
        pairs = left
    verdict = judging.worst(pairs[0])
    assert verdict is not None
    shown = words_text(pairs[0], [verdict.word])
    gap = difference_text(verdict.gap)
    reason = (
        f"for {pairs[0].text} and `{shown}`, e^epsilon times the one probability less the other is {gap} with "
        f"{judging.bits} bits, and may be 0; try another epsilon, or a delta"
    )
    return Unknown(engine=NAME, reason=reason, bound=judging.bound(pairs))


def _refuted(question: EnclosedCompare, pair: Pair, word: Word) -> Disproved:
    return Disproved(
        engine=NAME,
        problem=f"{_claimed(question, pair)} does not hold",
        facts=(
            *pair_facts(pair),
            ("seen", words_text(pair, [word.word])),
            ("probability", f"{enclosure_text(word.above)}  against  {enclosure_text(word.below)}"),
            ("ratio", ratio_text(word)),
            ("enclosed", ENCLOSED),
        ),
    )


def _checked_with_delta(question: EnclosedCompare, budget: Budget) -> Proved | Disproved | Unknown:
    """Whether the excesses of all words, P(w) - e^eps Q(w) where that is above 0, add up to delta at most."""
    pairs = Pair.all(question)
    judging = Judging(question, PRECISIONS[0], budget)
    for bits in PRECISIONS:
        judging = Judging(question, bits, budget)
        left: list[Pair] = []
        delta = judging.delta
        for pair in pairs:
            excess = judging.excess(pair)
            if excess.low > delta.high:
                return Disproved(
                    engine=NAME,
                    problem=f"{_claimed(question, pair)} does not hold",
                    facts=(
                        *pair_facts(pair),
                        ("seen", words_text(pair, judging.exceeding(pair))),
                        ("excess", f"{enclosure_text(excess)}  >  {enclosure_text(delta)}"),
                        ("enclosed", ENCLOSED),
                    ),
                )
            if not excess.high <= delta.low:
                left.append(pair)
        if not left:
            return _proved(None, judging)
        pairs = left
    gap = judging.delta + judging.excess(pairs[0]).scaled(Fraction(-1))
    reason = (
        f"for {pairs[0].text}, delta less the excess of all words is {difference_text(gap)} with {judging.bits} bits, "
        "and may be 0; try a larger delta"
    )
    return Unknown(engine=NAME, reason=reason)


def _claimed(question: EnclosedCompare, pair: Pair) -> str:
    assert pair.table.epsilon is not None
    epsilon = pair.table.epsilon
    text = str(epsilon) if epsilon.logarithms else f"epsilon {epsilon}"
    delta = question.delta
    if delta == 0:
        return text
    return f"{text} with delta {fraction_text(delta) if isinstance(delta, Fraction) else delta}"


def _smallest_delta(question: EnclosedCompare, budget: Budget) -> Computed:
    def found(judging: Judging) -> tuple[Computed, bool]:
        excesses = [judging.excess(pair) for pair in Pair.all(question)]
        low = max((excess.low for excess in excesses), default=Fraction(0))
        high = max((excess.high for excess in excesses), default=Fraction(0))
        value = low if low == high else Enclosure(low, high)
        return Computed(engine=NAME, value=value), high - low <= high * _NARROW

    return _narrowed(question, budget, found)


def _smallest_epsilon(question: EnclosedCompare, budget: Budget) -> Computed:
    def found(judging: Judging) -> tuple[Computed, bool]:
        pairs = Pair.all(question)
        bound = judging.bound(pairs) if question.delta == 0 else judging.bound_with_delta(pairs)
        lower, upper = bound.lower, bound.upper
        is_narrow = isinstance(lower, Fraction) and isinstance(upper, Fraction) and upper - lower <= 2 * upper * _NARROW
        return Computed(engine=NAME, bound=bound), bound.ratio is not None or is_narrow

    return _narrowed(question, budget, found)


def _narrowed(question: EnclosedCompare, budget: Budget, found: Callable[[Judging], tuple[Computed, bool]]) -> Computed:
    """What is found with the least precision that makes it narrow, or with the last that there is room and time for."""
    computed: Computed | None = None
    for bits in PRECISIONS:
        try:
            computed, is_narrow = found(Judging(question, bits, budget))
        except LimitReached:
            if computed is None:
                raise
            break
        if is_narrow:
            break
    assert computed is not None
    return computed
