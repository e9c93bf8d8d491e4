"""The facts under a verdict: who, what was seen, with which probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from pfl.analysis.polynomial.real_roots import Root
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import ExactRoot, Ratio
from pfl.ir.claims import Comparison, Indistinguishability, Question, Synthesis
from pfl.report.numbers import decimal, short_text, with_decimal
from pfl.report.statement import exponential, largest_ratio, ratio_as_epsilon, smallest_epsilon
from pfl.verify.algebraic import approximation
from pfl.verify.verdict import ClaimResult, Computed, ParameterValue, Refuted, Unknown, Witness

GAP = " " * 13
"""Between two facts of one line, which a narrow terminal gets on two lines."""
SHOWN_WORDS = 4
SHORTEST_RUN = 4
"""Repetitions from which on a letter is written once, with their number."""


def details(result: ClaimResult) -> Iterator[tuple[str, str]]:
    """Pairs of a key and a text, in the order in which people read them; a key may be empty."""
    verdict = result.verdict
    match verdict:
        case Refuted():
            yield from _witness_lines(verdict.witness, result.claim.question)
            yield from _excess_lines(verdict)
            yield "replayed exactly", ""
        case Computed():
            for named in verdict.values:
                yield named.name, _computed_text(result.claim.question, named.value)
            if verdict.witness is not None:
                yield from _witness_lines(verdict.witness, result.claim.question)
                yield "ratio", with_decimal(verdict.witness.ratio)
        case Unknown():
            if verdict.bound is not None and (known := largest_ratio(verdict.bound)):
                yield "known", known
        case _:
            pass
    for condition in _conditions(result.claim.question):
        yield "provided", condition
    for note in result.claim.notes:
        yield "note", note


def _computed_text(question: Question, value: Number | Literal["inf"]) -> str:
    """One of several computed values; a ratio as the epsilon that it needs."""
    is_ratio = isinstance(question, Indistinguishability) and question.goal == "epsilon"
    return ratio_as_epsilon(value) if is_ratio and not isinstance(value, RationalFunction) else with_decimal(value)


def _witness_lines(witness: Witness, question: Question) -> Iterator[tuple[str, str]]:
    if witness.prior:
        yield "prior", witness.prior
    if witness.bindings:
        yield "for", ", ".join(f"{name} = {value}" for name, value in witness.bindings)
    if witness.parameters:
        yield "at", ", ".join(f"{name} = {_value(value)}" for name, value in witness.parameters)
    left, right = (_at(number, witness.root) for number in (witness.probability_left, witness.probability_right))
    width = max(len(witness.left), len(left))
    yield witness.heading, f"{witness.left:<{width}}  against  {witness.right}"
    unit = question.unit if isinstance(question, Indistinguishability) else "observation"
    yield "observed" if unit == "observation" else "seen", words_text(witness.words)
    yield "probability", f"{left:<{width}}  against  {right}"


def _value(value: ParameterValue) -> str:
    return f"{value.polynomial} near {value.value:.6g}" if isinstance(value, ExactRoot) else short_text(value)


def _at(number: Number | Ratio, root: Root | None) -> str:
    """The number, with its decimal at an irrational parameter value if it depends on one."""
    if root is None or not isinstance(number, RationalFunction):
        return short_text(number)
    return f"{short_text(number)} = {decimal(approximation(number, root))}"


def words_text(words: Sequence[Sequence[str]]) -> str:
    """One word, or the first few of a set."""
    texts = [_word_text(word) for word in words[:SHOWN_WORDS]]
    if len(words) == 1:
        return texts[0]
    more = len(words) - len(texts)
    return f"any of {len(words)} words: {'; '.join(texts)}" + (f"; and {more} more" if more else "")


def _word_text(word: Sequence[str]) -> str:
    """Letters between commas; a letter that is repeated often once, with its number: `bot x 4, top`."""
    parts: list[str] = []
    for letter, run in groupby(word):
        count = len(list(run))
        parts += [f"{letter} x {count}"] if count >= SHORTEST_RUN else [letter] * count
    return ", ".join(parts) or "nothing"


def _excess_lines(verdict: Refuted) -> Iterator[tuple[str, str]]:
    witness = verdict.witness
    known = smallest_epsilon(verdict.bound) if verdict.bound is not None and not verdict.delta else ""
    if not verdict.delta:
        compared = f"{_at(witness.ratio, witness.root)}  >  {exponential(verdict.epsilon)}"
        yield "ratio", f"{compared}{GAP}{known}" if known else compared
        return
    left, right = (_at(number, witness.root) for number in (witness.probability_left, witness.probability_right))
    yield "excess", f"{left}  >  e^({verdict.epsilon}) * {right} + {short_text(verdict.delta)}"


def _conditions(question: Question) -> list[str]:
    """What is assumed not to vanish, each once, in the order of the comparisons."""
    comparisons: tuple[Comparison, ...] = ()
    match question:
        case Indistinguishability():
            comparisons = question.comparisons
        case Synthesis():
            comparisons = question.claim.comparisons
        case _:
            pass
    return list(dict.fromkeys(condition.text for comparison in comparisons for condition in comparison.nonzero))
