"""Results with one odd value each, for the test that every format shows every field."""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction
from typing import Any

import report_samples as samples

from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Apart, Bound, Computed, Disproved, Evidence, NamedValue, NoneFound, Proved, Unknown
from pfl.model.claims import Case, Origin, Question, Search
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure, Reach, Requirement, Results
from pfl.model.parameters import Condition, Parameter
from pfl.verify.verdict import ClaimResult, Contradicted, Found, Refuted, Verdict

ODD = Fraction(7141, 7151)
"""A number that no other fact has."""
UNUSUAL = "unusual7141"
"""A text that no other fact has."""
CONDITION = Condition(polynomial=Fraction(1), relation="!=", text=UNUSUAL)


def asked(verdict: Verdict, question: Question, **changes: Any) -> ClaimResult:
    return in_cases(verdict, Case(question=question), **changes)


def in_cases(verdict: Verdict, *cases: Case, **changes: Any) -> ClaimResult:
    claim = replace(samples.claim("claimed", samples.question(0, 2)), cases=cases, **changes)
    return ClaimResult(claim=claim, verdict=verdict)


def compared(verdict: Verdict, **changes: Any) -> ClaimResult:
    return asked(verdict, samples.question(0, 2), **changes)


def with_question(verdict: Verdict, **changes: Any) -> ClaimResult:
    return asked(verdict, replace(samples.question(0, 2), **changes))


CHAIN = MarkovChain(offsets=array("q", [0, 0]), targets=array("q"), weights=array("q"), weight_table=())
NUMBER = Measure(system=CHAIN, start=((0, Fraction(1)),), quantity=Reach(goal=frozenset({0})))
AT_LEAST = Requirement(relation="at least", number=Fraction(1, 2))


def about_number(verdict: Verdict, required: Requirement | None = AT_LEAST, within: int | None = None) -> ClaimResult:
    question = replace(NUMBER, quantity=Reach(goal=frozenset({0}), within=within))
    return in_cases(verdict, Case(question=question, required=required))


def about_results(verdict: Verdict) -> ClaimResult:
    results = Results(outcomes=(("x", 0),), specified=(Fraction(1), Fraction(0)))
    return asked(verdict, replace(NUMBER, quantity=results))


def of_cases(verdict: Verdict) -> ClaimResult:
    cases = tuple(Case(arguments=(("n", n),), question=NUMBER, required=AT_LEAST) for n in "12")
    return in_cases(verdict, *cases)


BASE = samples.refuted_by_surprise().verdict
assert isinstance(BASE, Refuted)
WITNESS = BASE.witness
REFUTED = replace(BASE, bound=Bound(ratio=Fraction(4), lower=Fraction(4), upper=Fraction(4)))
EXHAUSTIVE = Evidence(kind="exhaustive")
PROVED = Proved(engine="exact", evidence=EXHAUSTIVE, checked=True)
DELTA = Computed(engine="exact", value=Fraction(7, 12), witness=WITNESS)
CONTRADICTED = Contradicted(engine="exact", value=Fraction(1, 3), required=AT_LEAST)
UNKNOWN = Unknown(engine="exact", reason="no time is left")
FOUND = Found(engine="synthesis", values=(("w", Fraction(1, 2)),), proof=PROVED)
NONE = NoneFound(engine="synthesis", evidence=EXHAUSTIVE, checked=False)
DISPROVED = Disproved(engine="refinement", problem="they differ", facts=())
ROOT_TEXT = f"{UNUSUAL}^2 - 2"


def witnessed(**changes: Any) -> ClaimResult:
    return compared(replace(REFUTED, witness=replace(WITNESS, **changes)))


def bounded(**changes: Any) -> ClaimResult:
    bound = Bound(**{"ratio": None, "lower": None, "upper": None, **changes})
    return compared(replace(PROVED, bound=bound))


def find(verdict: Verdict, **changes: Any) -> ClaimResult:
    synthesis = Search(names=("w",), claim=samples.question(0, 1), **changes)
    return asked(verdict, synthesis, verb="find", expected="found")


def placed(**changes: Any) -> ClaimResult:
    origin = Origin(file="m.pfl", line=1, column=1, end_line=2, end_column=2)
    return compared(REFUTED, origin=replace(origin, **changes))


def delta_at(epsilon: Epsilon | None, **changes: Any) -> ClaimResult:
    """A computed delta."""
    verdict = replace(DELTA, witness=replace(WITNESS, epsilon=epsilon, **changes))
    return asked(verdict, replace(samples.question(0, 2), goal="delta", delta=None), verb="compute", expected=None)


def named(**changes: Any) -> ClaimResult:
    value = NamedValue(**{"name": "length 1", "value": Fraction(2), **changes})
    return replace(samples.computed_values(), verdict=Computed(engine="exact", value=Fraction(1), values=(value,)))


TWO = Computed(engine="chain", value=Fraction(2))
APART = Apart(name="p", value=Fraction(1, 2), verdict=replace(TWO, value=ODD), differs=True)


def about_apart(apart: Apart) -> ClaimResult:
    """A number that is another one at a value of a parameter."""
    return about_number(replace(TWO, value=Fraction(3), apart=(apart,)), None)


SOLVER = replace(PROVED, evidence=Evidence(kind="solver", detail=UNUSUAL), checked=False)
P = Parameter(name=UNUSUAL, low=Fraction(0), high=ODD, low_open=True, high_open=False)
