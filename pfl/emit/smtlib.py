"""Claims as files of SMT-LIB: one query a file, with comments that say what is asked and what the answers mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Literal, assert_never

from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.struct import struct
from pfl.emit.product_names import file_stem
from pfl.engines.answer import Computed, Unknown, Violation
from pfl.engines.errors import no_query
from pfl.engines.ratio.bounded_obligation import BoundedObligation, Threshold, obligations, threshold
from pfl.engines.smt.query import Query
from pfl.engines.smt.smt import ENCODINGS, beyond_queries
from pfl.engines.smt.smtlib import script_text
from pfl.model.claims import Claim, Question, Search
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.measure import Measure
from pfl.options import Encoding, Options
from pfl.verify.conclude import verdict_on

_BITS = 40
"""Precision of the rational that stands for an irrational e^eps in a file."""
_JUST_BELOW = (1 - Fraction(1, 2**20), 1 - Fraction(1, 2**21))
"""Between which parts of a computed ratio the c is that must not do."""
_DESCRIPTIONS: dict[Encoding, str] = {
    "linear": "linear: x = left - c right carried along the word; the question is whether it ends above 0",
    "pufferfish-check": "PufferfishCheck: alpha (left) and beta (right) carried along the word, as in the algorithm",
}


@struct
class _Asked:
    """One query of a claim; `case` is the number of its case, from 1, None where the claim has only one.

    Where the epsilon was computed, `computed` is the largest ratio, and the query is about it or, if `is_below`, about
    a number just below it.
    """

    case: int | None
    arguments: tuple[tuple[str, str], ...]
    question: Compare
    obligation: BoundedObligation
    bound: Threshold
    computed: Fraction | None = None
    is_below: bool = False

    @property
    def expected(self) -> Literal["sat", "unsat"] | None:
        """What a solver must answer, where that is known."""
        if self.computed is None:
            return None
        return "sat" if self.is_below else "unsat"


def emit_queries(
    claim: Claim, encoding: Encoding = "linear", budget: Budget | None = None, options: Options | None = None
) -> list[tuple[str, str]]:
    """(file name, text) of the queries of a claim: one for each comparison, direction and length.

    A check holds iff every query is unsatisfiable. An epsilon that is asked for is computed, within the budget, by the
    engine of the options: it is the smallest one, up to a millionth of e^epsilon, iff the query whose name ends in
    `below`, of which an epsilon of 0 has none, is satisfiable and all others are not. Names are the same on every run,
    and different for different claims. No queries for a claim about nothing. Raises InputRejected where queries do not
    express the claim, and LimitReached where computing spends the budget.
    """
    budget = budget or Budget()
    queries = list(_queries(claim, options or Options(), budget))
    files = []
    for number, asked in enumerate(queries, start=1):
        query = ENCODINGS[encoding](asked.obligation, asked.bound, budget)
        position = f"query {number} of {len(queries)}; the claim holds iff every one of them is unsatisfiable"
        if asked.computed is not None:
            position = f"query {number} of {len(queries)}; every one must be answered as its status says"
        header = (*_header(claim, asked, query, encoding), position, *_table(query))
        script = replace(query.script, header=header, status=asked.expected)
        files.append((_file_name(claim, asked), script_text(script)))
    return files


def _file_name(claim: Claim, asked: _Asked) -> str:
    """`pufferfish-Survey-2-right-over-left-5.smt2`: the claim, the number of the comparison, direction and length."""
    case = [] if asked.case is None else [f"case-{asked.case}"]
    obligation = asked.obligation
    direction = "right-over-left" if obligation.direction.is_reversed else "left-over-right"
    parts = [file_stem(claim), *case, str(obligation.direction.number + 1), direction, str(obligation.length)]
    if asked.computed is not None:
        parts.append("below" if asked.is_below else "value")
    return f"{'-'.join(parts)}.smt2"


def _queries(claim: Claim, options: Options, budget: Budget) -> Iterator[_Asked]:
    if claim.limit is not None:
        raise no_query(claim, claim.limit.reason)
    for number, case in enumerate(claim.cases, start=1):
        expressed = _expressible(claim, case.question)
        if expressed.goal == "epsilon":
            asked = _about_computed(claim, expressed, options, budget)
        else:
            asked = _about_claimed(expressed)
        for query in asked:
            yield replace(query, case=number if claim.ranges else None, arguments=case.arguments)


def _about_claimed(question: Compare) -> Iterator[_Asked]:
    for obligation in obligations(question, all_lengths=True):
        epsilon = obligation.epsilon
        assert epsilon is not None
        bound = threshold(epsilon, _BITS, symbolic=bool(obligation.space.parameters))
        yield _Asked(case=None, arguments=(), question=question, obligation=obligation, bound=bound)


def _about_computed(claim: Claim, question: Compare, options: Options, budget: Budget) -> Iterator[_Asked]:
    """That no word has a ratio above the largest, and that one has a ratio above a number just below it."""
    found = list(obligations(question, all_lengths=True))
    if any(obligation.space.parameters for obligation in found):
        raise no_query(claim, "the smallest epsilon that it asks for depends on parameters")
    if not found:
        return
    ratio, best = _largest_ratio(claim, question, options, budget)
    above = _Asked(
        case=None,
        arguments=(),
        question=question,
        obligation=found[0],
        bound=Threshold(c=ratio, exact=True),
        computed=ratio,
    )
    for obligation in found:
        yield replace(above, obligation=obligation)
    if ratio > 1:  # no epsilon is below 0
        of_best = [obligation for obligation in found if _is_of(best, obligation)]
        if not of_best:
            raise no_query(claim, "no observation sequence is known that has its largest ratio")
        below = Threshold(c=simplest_between(*(ratio * part for part in _JUST_BELOW)), exact=True)
        yield replace(above, obligation=of_best[0], bound=below, is_below=True)


def _largest_ratio(
    claim: Claim, question: Compare, options: Options, budget: Budget
) -> tuple[Fraction, Violation | None]:
    """The largest ratio, and a word that has it, replayed exactly."""
    verdict = verdict_on(question, options, budget)
    if isinstance(verdict, Unknown):
        raise no_query(claim, f"the smallest epsilon that it asks for was not computed: {verdict.reason}")
    bound = verdict.bound if isinstance(verdict, Computed) else None
    if bound is not None and bound.ratio in ("inf", "unbounded"):
        raise no_query(claim, "it asks for the smallest epsilon, and no epsilon holds")
    if bound is None or not isinstance(bound.ratio, Fraction):
        raise no_query(claim, "the smallest epsilon that it asks for is known to lie in an interval only")
    return bound.ratio, bound.best


def _is_of(best: Violation | None, obligation: BoundedObligation) -> bool:
    """Whether the word is one of those that the obligation is about."""
    direction = obligation.direction
    return (
        best is not None
        and (best.comparison, best.reversed) == (direction.number, direction.is_reversed)
        and len(best.words[0]) == obligation.length
    )


def _expressible(claim: Claim, question: Question) -> Compare:
    match question:
        case Compare(family=family, implements=implements) if family is not None or implements is not None:
            raise no_query(claim, "it is about an automaton as a whole, which is decided without a solver")
        case Compare():
            reason = beyond_queries(question)
            if reason is not None:
                raise no_query(claim, reason)
            return question
        case Search():
            raise no_query(claim, "it looks for values for which all observation sequences satisfy a claim")
        case EnclosedCompare():
            raise no_query(claim, "its probabilities hold integrals of Gaussian noise, which are enclosed")
        case Measure():
            raise no_query(claim, "it is about the probability of one thing, and compares no two sides")
        case _:
            assert_never(question)


def _header(claim: Claim, asked: _Asked, query: Query, encoding: Encoding) -> Iterator[str]:
    obligation, direction = asked.obligation, asked.obligation.direction
    table = direction.comparison.table
    # Where systems count for themselves what a length is about, words have letters besides.
    unit = asked.question.unit if asked.question.stated is None else "letter"
    units = unit if obligation.length == 1 else f"{unit}s"
    # A label is one word; the name of a claim without one repeats what is said here, and its number.
    label, number = ("", claim.name.partition("#")[2]) if " " in claim.name else (f"{claim.name}: ", "")
    yield f"claim       {label}{claim.verb} {claim.kind} {claim.subject}{number and f' (#{number})'}"
    for name, value in (*asked.arguments, *table.bindings):
        yield f"for         {name} = {value}"
    if table.prior:
        yield f"prior       {table.prior}"
    yield f"{table.heading:<11} {direction.above.label}  against  {direction.below.label}"
    yield f"question    is some word of {obligation.length} {units} more than c times as likely given the first?"
    for parameter in obligation.space.parameters:
        yield f"parameter   {parameter}"
    for alternatives in obligation.space.assumptions:
        yield f"assumed     {' or '.join(condition.text for condition in alternatives)}"
    values = f"the values name its {units}" + (" and the parameters" if query.parameters else "")
    if asked.computed is None:
        yield from _about_claim(obligation.epsilon, asked.bound, values)
    else:
        yield from _about_number(asked, asked.computed, values)
    yield f"encoding    {_DESCRIPTIONS[encoding]}"
    if query.parameters:
        yield "scale       equations hold up to a positive factor: vectors and moves are times a common denominator"


def _about_claim(epsilon: Epsilon | None, bound: Threshold, values: str) -> Iterator[str]:
    yield from _about_c(epsilon, bound)
    if bound.exact:
        yield f"sat         yes, and the claim is refuted; {values}"
    else:
        yield f"sat         yes; {values}; the claim is refuted if the ratio is above e^eps too"
    because = "" if bound.exact else ", for c <= e^eps"
    yield f"unsat       no: at this length and in this direction the claim holds{because}"


def _about_number(asked: _Asked, ratio: Fraction, values: str) -> Iterator[str]:
    smallest = "0" if ratio == 1 else f"ln({fraction_text(ratio)})"
    if asked.is_below:
        yield f"c           {asked.bound.c}, about a millionth below the largest ratio, {fraction_text(ratio)}"
        yield f"sat         yes: an epsilon of ln(c) does not do; {values}"
        yield f"unsat       no, and the epsilon that was computed, {smallest}, is too large"
    else:
        yield f"c           {asked.bound.c}, the largest ratio: the epsilon that was computed is {smallest}"
        yield f"sat         yes, and that epsilon is too small; {values}"
        yield "unsat       no: at this length and in this direction that epsilon holds"


def _about_c(epsilon: Epsilon | None, bound: Threshold) -> Iterator[str]:
    assert epsilon is not None
    if bound.conditions:
        yield f"c           the variable c: e^eps{'' if bound.exact else ', or a little less'}, eps = {epsilon}"
    elif bound.exact:
        yield f"c           {bound.c} = e^eps, eps = {epsilon}"
    elif epsilon.parameters:
        yield f"c           {bound.c}, a little less than e^eps, eps = {epsilon}"
    else:
        yield f"c           {bound.c}, a rational just below e^eps, eps = {epsilon}"


def _table(query: Query) -> Iterator[str]:
    """What the symbols stand for, after a line that divides it from what is said before."""
    if query.script.header:
        yield ""
        yield from query.script.header
