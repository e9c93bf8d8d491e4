"""The facts under a verdict: who, what was seen, with which probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pfl.analysis.polynomial.real_roots import Root
from pfl.base.enclosure import Enclosure
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Evidence, ExactRoot, NamedValue, Quantity, Ratio
from pfl.ir.chain_questions import ResultDistribution
from pfl.ir.claims import Cases, Indistinguishability, Question, underlying
from pfl.report.numbers import decimal, short_text, with_decimal
from pfl.report.quantity_text import arguments_text, contradicted_text, ends_of, extremes_text
from pfl.report.statement import above_exponential, exponential, largest_ratio, ratio_as_epsilon, smallest_epsilon
from pfl.verify.algebraic import approximation
from pfl.verify.verdict import (
    Apart,
    ClaimResult,
    Computed,
    Contradicted,
    Disproved,
    ParameterValue,
    Proved,
    Refuted,
    Unknown,
    Witness,
)

GAP = " " * 13
"""Between two facts of one line, which a narrow terminal gets on two lines."""
LONGEST_PLAIN = 24
"""Characters up to which an exact probability stands without its decimal."""
WIDEST_LEFT = 32
"""Characters up to which the left sides of two lines are aligned."""
SHOWN_WORDS = 4
SHORTEST_RUN = 4
"""Repetitions from which on a letter is written once, with their number."""


def details(result: ClaimResult, notes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a key and a text, in the order in which people read them, `notes` last; a text may be empty."""
    verdict = result.verdict
    match verdict:
        case Refuted():
            yield from _witness_lines(verdict.witness, result.claim.question)
            yield from _excess_lines(verdict)
            yield "replayed exactly", ""
        case Disproved(problem=problem, facts=facts):
            if result.as_expected:
                yield "problem", problem
            yield from facts
        case Contradicted():
            yield from _contradiction_lines(verdict, result.claim.question)
            yield from _values_lines(verdict.values, result.claim.question)
        case Proved(evidence=Evidence(kind="vacuous")):
            yield "warning", "nothing was compared, so the claim would hold for any epsilon"
        case Proved(values=values, evidence=evidence):
            if not isinstance(underlying(result.claim.question), ResultDistribution):
                yield from _values_lines(values, result.claim.question)
            yield from _apart_lines(verdict.apart, result.claim.question)
            yield from evidence.facts
        case Computed():
            yield from _values_lines(verdict.values, result.claim.question)
            yield from _apart_lines(verdict.apart, result.claim.question)
            if verdict.witness is not None:
                yield from _witness_lines(verdict.witness, result.claim.question)
                yield "ratio", with_decimal(verdict.witness.ratio)
        case Unknown():
            if verdict.bound is not None and (known := largest_ratio(verdict.bound)):
                yield "known", known
        case _:
            pass
    for condition in _conditions(result):
        yield "asked where", condition
    for note in notes:
        yield "note", note


def _values_lines(values: Sequence[NamedValue], question: Question) -> Iterator[tuple[str, str]]:
    if [named.name for named in values] == ["largest", "smallest"] and values[0].value == values[1].value:
        return  # it is the same everywhere, so no case stands out
    if ends_of(values) is not None:
        return  # said already
    for named in values:
        where = arguments_text(named.arguments)
        text = _computed_text(question, named.value)
        yield named.name or "value", f"{text}{GAP}for {where}" if where else text


def _computed_text(question: Question, value: Quantity) -> str:
    """One of several computed values; a ratio as the epsilon that it needs."""
    asked = underlying(question)
    is_ratio = isinstance(asked, Indistinguishability) and asked.goal == "epsilon"
    if is_ratio and not isinstance(value, RationalFunction | Enclosure):
        return ratio_as_epsilon(value)
    return with_decimal(value)


def _apart_lines(apart: Sequence[Apart], question: Question) -> Iterator[tuple[str, str]]:
    """What the numbers are at the values of the parameters where they are not what the formulas say."""
    for each in apart:
        if each.differs:
            yield f"at {each.where}", _numbers_text(each.verdict, question)
        for key, text in _apart_lines(each.verdict.apart, question):
            yield f"at {each.where}, {key.removeprefix('at ')}", text


def _numbers_text(verdict: Proved | Computed, question: Question) -> str:
    """`1/2 = 0.5`, or the values by their names."""
    named = [f"{key} {text}" for key, text in _values_lines(verdict.values, question)]
    own = [] if verdict.value is None or extremes_text(verdict.values) else [with_decimal(verdict.value)]
    return "; ".join((*own, *named))


def _contradiction_lines(verdict: Contradicted, question: Question) -> Iterator[tuple[str, str]]:
    if verdict.witness is not None:
        yield from _witness_lines(verdict.witness, question)
        return
    if verdict.arguments:
        yield "for", arguments_text(verdict.arguments)
    if verdict.parameters:
        yield "at", _parameters_text(verdict.parameters)
    yield "value", contradicted_text(verdict)


def _parameters_text(parameters: Sequence[tuple[str, ParameterValue]]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in parameters)


def _witness_lines(witness: Witness, question: Question) -> Iterator[tuple[str, str]]:
    if witness.prior:
        yield "prior", witness.prior
    if witness.bindings:
        yield "for", arguments_text(witness.bindings)
    if witness.parameters:
        yield "at", _parameters_text(witness.parameters)
    left, right = (_at(number, witness.root) for number in (witness.probability_left, witness.probability_right))
    width = min(max(len(witness.left), len(left)), WIDEST_LEFT)
    yield witness.heading, f"{witness.left:<{width}}  against  {witness.right}"
    yield _seen(question), words_text(witness.words)
    yield "probability", f"{left:<{width}}  against  {right}"


def _seen(question: Question) -> str:
    match underlying(question):
        case ResultDistribution():
            return "result"
        case Indistinguishability(unit="observation"):
            return "observed"
        case Indistinguishability(unit="input"):
            return "run"
        case _:
            return "seen"


def _value(value: ParameterValue) -> str:
    return f"{value.polynomial} near {value.value:.6g}" if isinstance(value, ExactRoot) else short_text(value)


def _at(number: Number | Ratio, root: Root | None) -> str:
    """The number, with its decimal if it is long, or depends on an irrational parameter value."""
    if root is not None and isinstance(number, RationalFunction):
        return f"{short_text(number)} = {decimal(approximation(number, root))}"
    text = short_text(number)
    return text if len(text) <= LONGEST_PLAIN else with_decimal(number)


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
        if witness.root is None:
            compared = above_exponential(witness.ratio, verdict.epsilon)
        else:
            compared = f"{_at(witness.ratio, witness.root)}  >  {exponential(verdict.epsilon)}"
        yield "ratio", f"{compared}{GAP}{known}" if known else compared
        return
    left, right = (_at(number, witness.root) for number in (witness.probability_left, witness.probability_right))
    yield "excess", f"{left}  >  e^({short_text(verdict.epsilon)}) * {right} + {short_text(verdict.delta)}"


def _conditions(result: ClaimResult) -> list[str]:
    """The secrets that are not asked about where their probability is 0, each once, in the order of comparisons."""
    question = result.claim.question
    asked = [case.question for case in question.cases] if isinstance(question, Cases) else [underlying(question)]
    comparisons = (c for single in asked if isinstance(single, Indistinguishability) for c in single.comparisons)
    assumed = [condition.text for comparison in comparisons for condition in comparison.nonzero]
    return list(dict.fromkeys(assumed))
