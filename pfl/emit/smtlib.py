"""Claims as files of SMT-LIB: one query a file, with comments that say what is asked and what the answers mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.struct import struct
from pfl.emit.product_names import file_stem
from pfl.engines.errors import no_query
from pfl.engines.ratio.bounded_obligation import BoundedObligation, Threshold, obligations, threshold
from pfl.engines.smt.query import Query
from pfl.engines.smt.smt import ENCODINGS, beyond_queries
from pfl.engines.smt.smtlib import script_text
from pfl.model.claims import Claim, Question, Search
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.measure import Measure
from pfl.options import Encoding

_BITS = 40
"""Precision of the rational that stands for an irrational e^eps in a file."""
_DESCRIPTIONS: dict[Encoding, str] = {
    "linear": "linear: x = left - c right carried along the word; the question is whether it ends above 0",
    "pufferfish-check": "PufferfishCheck: alpha (left) and beta (right) carried along the word, as in the algorithm",
}


@struct
class _Asked:
    """One query of a claim; `case` is the number of its case, from 1, None where the claim has only one."""

    case: int | None
    arguments: tuple[tuple[str, str], ...]
    question: Compare
    obligation: BoundedObligation


def emit_queries(claim: Claim, encoding: Encoding = "linear", budget: Budget | None = None) -> list[tuple[str, str]]:
    """(file name, text) of the queries of a claim: one for each comparison, direction and length.

    The claim holds iff every query is unsatisfiable. Names are the same on every run, and different for different
    claims. No queries for a claim about nothing. Raises InputRejected where queries do not express the claim.
    """
    queries = list(_queries(claim))
    files = []
    for number, asked in enumerate(queries, start=1):
        obligation = asked.obligation
        epsilon = obligation.epsilon
        assert epsilon is not None
        bound = threshold(epsilon, _BITS, symbolic=bool(obligation.space.parameters))
        query = ENCODINGS[encoding](obligation, bound, budget or Budget())
        header = _header(claim, asked, bound, query, encoding)
        position = f"query {number} of {len(queries)}; the claim holds iff every one of them is unsatisfiable"
        script = replace(query.script, header=(*header, position, *_table(query)))
        files.append((_file_name(claim, asked), script_text(script)))
    return files


def _file_name(claim: Claim, asked: _Asked) -> str:
    """`pufferfish-Survey-2-right-over-left-5.smt2`: the claim, the number of the comparison, direction and length."""
    case = [] if asked.case is None else [f"case-{asked.case}"]
    obligation = asked.obligation
    direction = "right-over-left" if obligation.direction.is_reversed else "left-over-right"
    return "-".join(
        (file_stem(claim), *case, str(obligation.direction.number + 1), direction, f"{obligation.length}.smt2")
    )


def _queries(claim: Claim) -> Iterator[_Asked]:
    if claim.limit is not None:
        raise no_query(claim, claim.limit.reason)
    for number, case in enumerate(claim.cases, start=1):
        expressed = _expressible(claim, case.question)
        for obligation in obligations(expressed, all_lengths=True):
            yield _Asked(
                case=number if claim.ranges else None,
                arguments=case.arguments,
                question=expressed,
                obligation=obligation,
            )


def _expressible(claim: Claim, question: Question) -> Compare:
    match question:
        case Compare(family=family, implements=implements) if family is not None or implements is not None:
            raise no_query(claim, "it is about an automaton as a whole, which is decided without a solver")
        case Compare():
            if question.goal == "epsilon":
                raise no_query(claim, "it asks for the smallest epsilon, and a query is about a given one")
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


def _header(claim: Claim, asked: _Asked, bound: Threshold, query: Query, encoding: Encoding) -> Iterator[str]:
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
    yield from _about_c(obligation.epsilon, bound)
    found = f"the values name its {units}" + (" and the parameters" if query.parameters else "")
    if bound.exact:
        yield f"sat         yes, and the claim is refuted; {found}"
    else:
        yield f"sat         yes; {found}; the claim is refuted if the ratio is above e^eps too"
    because = "" if bound.exact else ", for c <= e^eps"
    yield f"unsat       no: at this length and in this direction the claim holds{because}"
    yield f"encoding    {_DESCRIPTIONS[encoding]}"
    if query.parameters:
        yield "scale       equations hold up to a positive factor: vectors and moves are times a common denominator"


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
