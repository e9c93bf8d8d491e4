"""The facts under a verdict: who, what was seen, with which probabilities.

One line a diagnostic and a claim, for editors and for `grep`.

Words of a witness as people read them: letters between commas, repetitions and large sets shortened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from pfl.analysis.polynomial.algebraic import ExactRoot, ParameterValue, approximation
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.closed_form import is_closed
from pfl.base.diagnostics import Diagnostic
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Quantity, Ratio
from pfl.engines.witness import Witness
from pfl.model.claims import Claim, Origin
from pfl.report.numbers import (
    DIGITS,
    MOST_PLACES,
    any_decimal,
    beside,
    decimal,
    epsilon_decimal,
    multiples_between,
    short_text,
    told,
    with_decimal,
)
from pfl.report.record import Judgement, Record, record_of, scope_text
from pfl.report.statement import (
    above_exponential,
    arguments_text,
    ends_of,
    exponential,
    largest_ratio,
    ratio_as_epsilon,
    required_text,
    smallest_epsilon,
)
from pfl.report.styled import visible
from pfl.verify.verdict import Findings

SHOWN_WORDS = 8
"""Words of a set that are shown."""
_FEWEST = 3
"""Repetitions from which on a letter is written once, where that is shorter."""


def word_text(word: Sequence[str]) -> str:
    """`bot (4 times), top`: no `x`, which would read as a product beside letters that are numbers."""
    parts: list[str] = []
    for letter, run in groupby(word):
        count = len(list(run))
        once, each = f"{letter} ({count} times)", ", ".join([letter] * count)
        parts.append(once if count >= _FEWEST and len(once) < len(each) else each)
    return ", ".join(parts) or "nothing"


def head_of(witness: Witness) -> str:
    """What stands before several words: `any of 12 words`; of one word nothing.

    Where inputs are chosen on the way, the words hold them, and are what one way of choosing them may lead to.
    """
    count, out_of = len(witness.words), witness.out_of
    if count == 1 and out_of is None:
        return ""
    head = f"any of {count:,} word{'' if count == 1 else 's'}"
    if out_of is not None:
        head += f" (out of {'infinitely many' if out_of == 'inf' else f'{out_of:,}'})"
    return f"{head} under one strategy" if any(witness.inputs) else head


def shown_words(witness: Witness) -> list[str]:
    """The words, of many the first few and how many more there are."""
    count = len(witness.words)
    shown = count if count <= SHOWN_WORDS + 1 else SHOWN_WORDS
    texts = [word_text(word) for word in witness.words[:shown]]
    return texts if shown == count else [*texts, f"and {count - shown:,} more"]


LONGEST_PLAIN = 24
"""Characters up to which an exact probability stands without its decimal."""
ORDINARY_ENGINES = frozenset(
    {"exact", "parametric", "chain", "likelihood", "synthesis", "relation", "refinement", "unwinding"}
    | {"exponential", "enclosed"}
)
"""Those that `--engine auto` asks, which a report for people does not name."""


@struct(kw_only=False)
class Fact:
    """A key with a text, which may be empty, and further texts that stand beside it where there is room.

    `against` is the other side of a comparison. If `is_list`, the text is a heading, or empty, of the further ones.
    """

    key: str
    text: str = ""
    further: tuple[str, ...] = ()
    against: str | None = None
    is_list: bool = False

    @property
    def line(self) -> str:
        """The fact on one line, without its key."""
        if self.is_list:
            return ": ".join(part for part in (self.text, "; ".join(self.further)) if part)
        text = self.text if self.against is None else f"{self.text} against {self.against}"
        return "; ".join(part for part in (text, *self.further) if part)


def details(record: Record, notes: Sequence[str]) -> Iterator[Fact]:
    """The facts in the order in which people read them, `notes` last."""
    yield from judged(record.judgement)
    for note in notes:
        yield Fact("note", note)


def judged(judgement: Judgement) -> Iterator[Fact]:
    """The facts of one verdict."""
    if judgement.is_vacuous and judgement.verdict == "proved":
        yield Fact("warning", "nothing was compared, so the claim would hold for any epsilon")
    if judgement.reason and judgement.verdict == "refuted" and judgement.reason not in judgement.statement:
        yield Fact("problem", judgement.reason)
    yield from _values(judgement)
    yield from _apart(judgement, "at ")
    if judgement.witness is not None:
        yield from _witness(judgement, judgement.witness)
    elif judgement.verdict == "refuted" and judgement.value is not None:
        yield from _contradiction(judgement)
    if judgement.bound is not None and judgement.verdict in ("unknown", "found"):
        known = largest_ratio(judgement.bound)
        yield from [Fact("known" if judgement.verdict == "unknown" else "proved there", known)] if known else []
    for key, text in judgement.facts:
        yield Fact(key, text)
    yield from _evidence(judgement)
    for condition in judgement.conditions:
        yield Fact("asked where", condition)


def _apart(judgement: Judgement, prefix: str) -> Iterator[Fact]:
    """What the numbers are at the values of the parameters where they are not what the formulas say."""
    for each in judgement.apart:
        if each.differs:
            yield Fact(f"{prefix}{each.where}", each.judgement.statement)
            for fact in _values(each.judgement):
                yield replace(fact, key=f"  {fact.key}")
        yield from _apart(each.judgement, f"{prefix}{each.where}, ")


def _values(judgement: Judgement) -> Iterator[Fact]:
    values = judgement.values
    if judgement.verdict == "found" or ends_of(values) is not None:
        return  # said already
    if [named.name for named in values] == ["largest", "smallest"] and values[0].value == values[1].value:
        return  # it is the same everywhere, so no case stands out
    if judgement.seen == "result" and judgement.verdict != "computed":
        return  # they are what is specified
    for named in values:
        where = arguments_text(named.arguments)
        if isinstance(named.value, Enclosure) and judgement.multiplied:
            text = multiples_between(named.value.low, named.value.high, judgement.multiplied)
        elif judgement.gives_ratios and not isinstance(named.value, RationalFunction | Enclosure):
            text = ratio_as_epsilon(named.value)
        else:
            text = with_decimal(named.value)
        yield Fact(named.name or "value", text, (f"for {where}",) if where else ())


def _contradiction(judgement: Judgement) -> Iterator[Fact]:
    if judgement.arguments:
        yield Fact("for", arguments_text(judgement.arguments))
    if judgement.parameters:
        yield Fact("at", _parameters_text(judgement.parameters))
    assert judgement.value is not None
    assert judgement.required is not None
    yield Fact(
        "value", f"{beside(judgement.value, judgement.required.number)} is not {required_text(judgement.required)}"
    )


def _parameters_text(parameters: Sequence[tuple[str, ParameterValue]]) -> str:
    said = (told(name, value) for name, value in parameters)
    return ", ".join(f"{name} = {_value(value)}" for name, value in said)


def _value(value: ParameterValue | Epsilon) -> str:
    if isinstance(value, Epsilon):
        found = epsilon_decimal(value)
        return short_text(value) + (f" = {found}" if found and value.logarithms else "")
    return f"{value.polynomial} near {value.value:.6g}" if isinstance(value, ExactRoot) else short_text(value)


def _witness(judgement: Judgement, witness: Witness) -> Iterator[Fact]:
    if witness.prior:
        yield Fact("prior", witness.prior)
    if witness.bindings:
        yield Fact("for", arguments_text(witness.bindings))
    if witness.parameters:
        yield Fact("at", _parameters_text(witness.parameters))
    yield Fact(witness.heading, witness.left, against=witness.right)
    head, words = head_of(witness), shown_words(witness)
    yield Fact(judgement.seen, head, tuple(words), is_list=True) if head else Fact(judgement.seen, words[0])
    left, right = (_at(number, witness.root) for number in (witness.probability_left, witness.probability_right))
    yield Fact("probability", left, against=right)
    if judgement.seen == "result":
        return  # two probabilities that should be equal
    yield _excess(judgement, witness, left, right)
    if judgement.verdict == "refuted":
        yield Fact("replayed exactly")


def _excess(judgement: Judgement, witness: Witness, left: str, right: str) -> Fact:
    """By how much the left side is too likely, or how much that asks for."""
    delta, epsilon, bound = judgement.delta, judgement.epsilon, judgement.bound
    if judgement.verdict != "refuted" and judgement.gives_ratios and delta:
        ratio = None if bound is None else bound.ratio or bound.lower
        text = f"({left} - {short_text(delta)}) / {_factor(right)}"
        return Fact("ratio", text if ratio is None else f"{text} = {with_decimal(ratio)}")
    if delta == 0:
        if judgement.verdict != "refuted":
            return Fact("ratio", with_decimal(witness.ratio))
        assert epsilon is not None
        if witness.root is None:
            compared = above_exponential(witness.ratio, epsilon)
        else:
            compared = f"{_at(witness.ratio, witness.root)}  >  {exponential(epsilon)}"
        known = "" if bound is None else _known(bound.lower == witness.ratio, smallest_epsilon(bound))
        return Fact("ratio", compared, (known,) if known else ())
    claimed = epsilon if judgement.verdict == "refuted" else witness.epsilon
    assert claimed is not None
    amount, places = _amount(judgement.excess, delta, witness.root)
    text = _difference(witness, claimed) + (f" = {amount}" if amount else "")
    if delta is None:
        return Fact("excess", text)
    excess = judgement.excess
    if excess is None:
        least = _at(delta, witness.root)
    else:
        least = with_decimal(delta, places) if isinstance(excess, Enclosure) else beside(delta, excess)
    return Fact("excess", f"{text}  >  {least}")


def _difference(witness: Witness, epsilon: Epsilon) -> str:
    """`1/2 - 2 * 1/8`, or `left - e^(1/2) * right` where the probabilities, which stand above, are long."""
    exact = epsilon.exact_exponential()
    power = "" if exact is None else short_text(exact)
    if not power or len(power) > LONGEST_PLAIN:
        power = f"e^({short_text(epsilon)})"
    left, right = (short_text(number) for number in (witness.probability_left, witness.probability_right))
    if max(len(left), len(right)) > LONGEST_PLAIN:
        left, right = "left", "right"
    return f"{left} - {right}" if exact == 1 else f"{left} - {power} * {right}"


def _known(is_said: bool, known: str) -> str:
    """What is known of the smallest epsilon, unless it is no more than that of the witness."""
    return "" if is_said and known.startswith("smallest epsilon at least") else known


def _factor(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _amount(excess: Quantity | None, delta: Number | None, root: Root | None) -> tuple[str, int]:
    """The excess, with as many decimals as tell it from the delta, and how many these are."""
    match excess:
        case None | "inf":
            return "", DIGITS
        case Enclosure(low=low, high=high):
            for places in range(DIGITS, MOST_PLACES):
                text = decimal(low, places)
                if text == decimal(high, places) and (delta is None or text != _decimal_of(delta, places)):
                    return text, places
            return with_decimal(excess), DIGITS
        case RationalFunction() if is_closed(excess):
            return with_decimal(excess) if delta is None else beside(excess, delta), DIGITS
        case RationalFunction():
            return "" if root is None else _at(excess, root), DIGITS
        case _:
            return with_decimal(excess) if delta is None else beside(excess, delta), DIGITS


def _decimal_of(number: Number, places: int) -> str:
    """Of a number that depends on no parameter; else nothing."""
    return any_decimal(number, places) if isinstance(number, Fraction) or is_closed(number) else ""


def _at(number: Number | Ratio, root: Root | None) -> str:
    """The number, with its decimal if it is long, or depends on an irrational parameter value."""
    if root is not None and isinstance(number, RationalFunction):
        return f"{short_text(number)} = {decimal(approximation(number, root))}"
    if is_closed(number):
        return with_decimal(number)
    text = short_text(number)
    return text if len(text) <= LONGEST_PLAIN else with_decimal(number)


def _evidence(judgement: Judgement) -> Iterator[Fact]:
    """What is unusual about how it was found: other engines than are asked by themselves, and what they rest on."""
    engines = dict.fromkeys(engine for engine in (judgement.engine, judgement.evidence_by) if engine)
    named = [engine for engine in engines if engine not in ORDINARY_ENGINES and engine != "none"]
    if named:
        yield Fact("decided by", ", ".join(named))
    evidence = judgement.evidence
    if evidence is not None and evidence.kind == "solver":
        yield Fact("solver", evidence.detail) if evidence.detail else Fact("solver")
    if evidence is not None and evidence.kind in ("certificate", "unwinding") and not judgement.is_checked:
        yield Fact("not checked", "its certificates were not checked independently")
    if judgement.is_internal:
        yield Fact("a fault of pflc itself")


def render_concise(findings: Findings) -> str:
    """`file:line:column: error[CODE]: message` and `file:line:column: refuted name: ...`, each ended by a newline."""
    lines = [diagnostic_line(diagnostic) for diagnostic in findings.diagnostics]
    lines += [claim_line(record_of(result)) for result in findings.results]
    return "".join(f"{visible(line)}\n" for line in lines)


def render_unjudged(claims: Sequence[Claim]) -> str:
    """`file:line:column: interrupted name: not judged`, each ended by a newline."""
    return "".join(f"{visible(f'{_place(claim.origin)}: interrupted {claim.name}: not judged')}\n" for claim in claims)


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """The diagnostic on one line: the headline stands alone."""
    primary = diagnostic.primary
    place = str(primary.span) if primary is not None else diagnostic.file
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    return head if place is None else f"{place}: {head}"


def claim_line(record: Record) -> str:
    """The claim on one line: the verdict, then whatever else there is to say, between bars."""
    judgement = record.judgement
    scope = scope_text(record.lengths, record.unit)
    head = f"{judgement.verdict} {record.name}: {judgement.statement}" + (f" ({scope})" if scope else "")
    return f"{_place(record.origin)}: {' | '.join((head, *_further(record)))}"


def _place(origin: Origin) -> str:
    return f"{origin.file}:{origin.line}:{origin.column}"


def _further(record: Record) -> Iterator[str]:
    yield " ".join(part for part in (record.verb, record.kind, record.subject, record.relation) if part)
    for fact in details(record, (*record.notes, *record.remarks)):
        yield f"{fact.key}: {fact.line}" if fact.line else fact.key
    judgement = record.judgement
    yield f"engine: {judgement.engine}"
    if judgement.evidence is not None:
        by = "" if judgement.evidence_by == judgement.engine else f" by {judgement.evidence_by}"
        checked = ", checked" if judgement.is_checked else ""
        detail = f": {judgement.evidence.detail}" if judgement.evidence.detail else ""
        yield f"evidence: {judgement.evidence.kind}{by}{checked}{detail}"
