"""Answers claims by SMT queries: one for each comparison, direction and length that must be shown.

Every assignment is turned back into a word and replayed exactly before anything is said to fail. Source:
docs/theory/smt-encoding.md.

From a solver's assignment to a violation that has been replayed exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from pfl.analysis.parametric.threshold import is_exceeded_at, power
from pfl.analysis.polynomial.points import Point, find_point, mended
from pfl.base.budget import Budget
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import value_at
from pfl.base.struct import struct
from pfl.engines.answer import Answer, Bound, Computed, Evidence, Fails, NamedValue, Proved, Unknown, Violation
from pfl.engines.parametric.side_conditions import Nlsat, reject_improper
from pfl.engines.ratio.bounded_obligation import BoundedObligation, Threshold, obligations, threshold
from pfl.engines.smt import encode_linear, encode_pufferfish_check
from pfl.engines.smt.query import Encode, Query
from pfl.engines.smt.solver_outcome import NoAnswer, Outcome, Satisfiable, Solver, Unsatisfiable
from pfl.model.compare import Compare
from pfl.options import Encoding, Options

_BITS = 256
"""Precision of e^eps in the search for parameter values, where it is not algebraic."""


def violation_at(
    obligation: BoundedObligation, word: Sequence[int], near: Mapping[str, Fraction], budget: Budget
) -> Violation | None:
    """The violation at a word, with exact parameter values of which `near` are a guess; None if the word shows none.

    With constants the masses of the word decide. With parameters, values near the guess are looked for at which the
    word's ratio exceeds e^eps: rational where there are such, else algebraic.
    """
    left, right = masses(obligation, word)
    if not obligation.space.parameters:
        return obligation.violation(word) if _is_exceeded(obligation, left, right, {}) else None
    point = _violating_point(obligation, left, right, near, budget)
    return None if point is None else obligation.violation(word, at=point)


def masses(obligation: BoundedObligation, word: Sequence[int]) -> tuple[Number, Number]:
    """(mass(left, word), mass(right, word)), multiplied out, as functions of the parameters."""
    system = obligation.system
    return system.mass(obligation.left, word), system.mass(obligation.right, word)


def cut_to_length(obligation: BoundedObligation, violation: Violation, lengths: Sequence[int]) -> Violation:
    """The violation's first prefix, among those of the given lengths, that is a violation too."""
    values = {name: value for name, value in violation.parameters.items() if isinstance(value, Fraction)}
    (word,) = violation.words
    if len(values) < len(violation.parameters):
        return violation
    for length in sorted(length for length in lengths if length < len(word)):
        if _is_exceeded(obligation, *masses(obligation, word[:length]), values):
            return obligation.violation(word[:length], at=values)
    return violation


def _is_exceeded(obligation: BoundedObligation, left: Number, right: Number, values: Mapping[str, Fraction]) -> bool:
    epsilon = obligation.epsilon
    assert epsilon is not None
    return is_exceeded_at(epsilon, value_at(left, values), value_at(right, values), values)


def _violating_point(
    obligation: BoundedObligation, left: Number, right: Number, near: Mapping[str, Fraction], budget: Budget
) -> Point | None:
    epsilon = obligation.epsilon
    assert epsilon is not None
    bound = power(epsilon, _BITS)
    space = obligation.space.restricted(bound.exceeded(left, right))
    guess = {p.name: near.get(p.name, (p.low + p.high) / 2) for p in space.parameters}
    point = mended(space, guess, budget) or find_point(space, budget, Nlsat())
    if not isinstance(point, dict):
        return None
    values = {name: value for name, value in point.items() if isinstance(value, Fraction)}
    if len(values) < len(point):
        # The condition on an algebraic point was decided exactly; it is the claim's own if the bound is exact.
        return point if bound.exact else None
    return point if _is_exceeded(obligation, left, right, values) else None


NAME = "smt"
ENCODINGS: dict[Encoding, Encode] = {
    "linear": encode_linear.encode,
    "pufferfish-check": encode_pufferfish_check.encode,
}
_FIRST_BITS = 24
_MOST_BITS = 1 << 13
"""Precision at which e^eps is given up as too near a ratio."""


@struct(kw_only=False)
class Open:
    """A query that was not decided: why, and what to try."""

    reason: str


@struct
class _Asking:
    """How queries are written and who answers them."""

    solver_name: str
    solver: Solver
    encode: Encode
    budget: Budget

    def ask(self, obligation: BoundedObligation, bound: Threshold) -> tuple[Query, Outcome]:
        query = self.encode(obligation, bound, self.budget)
        return query, self.solver(query.script, self.budget.remaining())

    def open(self, obligation: BoundedObligation, outcome: NoAnswer) -> Open:
        return Open(
            f"{self.solver_name} did not decide the query of length {obligation.length}: {outcome.reason}; "
            f"{outcome.advice}"
        )

    def no_counterexample(self, obligation: BoundedObligation) -> Open:
        return Open(
            f"{self.solver_name} claims a counterexample of length {obligation.length} that does not replay; "
            "try another --solver, or --engine exact"
        )


def answer(question: Compare, options: Options, budget: Budget) -> Answer:
    """Whether the solver finds every query unsatisfiable; for `compute epsilon` the largest ratio, by asking for larger
    ones until there is none.

    Raises InputRejected where the solver cannot be run, or the claim means nothing at some parameter values, and
    LimitReached by the budget.
    """
    reason = beyond_queries(question)
    if reason is not None:
        return Unknown(engine=NAME, reason=f"{reason}; try --engine exact")
    asking = _Asking(
        solver_name=Path(options.solver).name if options.solver else "z3",
        solver=_solver(options),
        encode=ENCODINGS[options.encoding],
        budget=budget,
    )
    todo = list(obligations(question))
    if any(obligation.space.parameters for obligation in todo):
        if question.goal == "epsilon":
            return Unknown(engine=NAME, reason="a largest ratio under free parameters is no query; try --engine exact")
        doubt = reject_improper(question, Nlsat(), budget)
        if doubt is not None:
            return Unknown(engine=NAME, reason=f"{doubt}; narrow a `param`, or fix one with --set")
    return _largest_ratios(question, asking) if question.goal == "epsilon" else _check(question, todo, asking)


def beyond_queries(question: Compare) -> str | None:
    """Why no set of queries decides the question; None if one does."""
    if question.exponents is not None:
        return "its numbers hold exponentials, of which no solver speaks exactly"
    if question.lengths == "any" and question.claimed_lengths != "any":
        return "an SMT query is about words of one length, and here words with that many inputs have different ones"
    if question.lengths == "any":
        return "an SMT query is about one length, and the claim is about every length"
    if question.goal == "delta" or question.delta:
        return "an SMT query is about one observation sequence at a time, and delta adds up several"
    return None


def _solver(options: Options) -> Solver:
    if options.solver is None:
        from pfl.engines.smt import z3

        return z3.solve
    from pfl.engines.smt import external_solver

    return partial(external_solver.solve, external_solver.find_program(options.solver))


def _check(question: Compare, todo: list[BoundedObligation], asking: _Asking) -> Answer:
    undecided: Open | None = None
    for number, obligation in enumerate(todo, start=1):
        asking.budget.progress(f"query {number} of {len(todo)}, length {obligation.length}")
        match _decide(obligation, asking):
            case Violation() as violation:
                assert question.lengths != "any"
                violation = cut_to_length(obligation, violation, question.lengths)
                return Fails(engine=NAME, violation=violation, bound=_bound_of(obligation, violation))
            case Open() as still_open:
                undecided = undecided or still_open
                if asking.budget.remaining() == 0:
                    break
    if undecided is not None:
        return Unknown(engine=NAME, reason=undecided.reason)
    return Proved(
        engine=NAME,
        evidence=Evidence(kind="solver", detail=f"{asking.solver_name} finds {counted(len(todo))} unsatisfiable"),
    )


def _decide(obligation: BoundedObligation, asking: _Asking) -> Violation | Open | None:
    """A violation that replays; None where there is none; or why the query stays open.

    Where e^eps is irrational the query is about a rational c below it: a word whose ratio lies between is no violation,
    and the next query is about a c nearer to e^eps. With constants words are finitely many, so this ends.
    """
    epsilon = obligation.epsilon
    assert epsilon is not None
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        asking.budget.check(f"a query of length {obligation.length}")
        bound = threshold(epsilon, bits, symbolic=bool(obligation.space.parameters))
        query, outcome = asking.ask(obligation, bound)
        match outcome:
            case Unsatisfiable():
                return None
            case NoAnswer():
                return asking.open(obligation, outcome)
            case Satisfiable(model):
                word = query.word(model)
                if word is None:
                    return asking.no_counterexample(obligation)
                violation = violation_at(obligation, word, query.parameter_values(model), asking.budget)
                if violation is not None:
                    return violation
                if bound.exact:
                    return asking.no_counterexample(obligation)
                bits *= 2
    return Open(f"the largest ratio of length {obligation.length} is too near e^epsilon to tell; try another epsilon")


def counted(queries: int) -> str:
    """`1 query`, `6 queries`."""
    return f"{queries} {'query' if queries == 1 else 'queries'}"


def _bound_of(obligation: BoundedObligation, violation: Violation) -> Bound | None:
    """The ratio of a violation without parameters bounds the largest one from below."""
    left, right = masses(obligation, violation.words[0])
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return None
    return Bound(ratio=None, lower=left / right if right else "inf", upper=None, best=violation)


def _largest_ratios(question: Compare, asking: _Asking) -> Answer:
    """The largest ratio at every length asked for; the bound is that of the longest."""
    assert question.lengths != "any"
    values = []
    bound = Bound(ratio=None, lower=None, upper=None)
    for length in sorted(question.lengths):
        bound, still_open = _largest_ratio(replace(question, lengths=(length,)), asking)
        if still_open is not None:
            return Unknown(engine=NAME, reason=still_open.reason, bound=bound)
        if isinstance(bound.ratio, Fraction) or bound.ratio == "inf":
            values.append(NamedValue(name=f"length {length}", value=bound.ratio))
    return Computed(engine=NAME, bound=bound, values=tuple(values) if len(question.lengths) > 1 else ())


def _largest_ratio(question: Compare, asking: _Asking) -> tuple[Bound, Open | None]:
    """Dinkelbach's iteration: ask for a ratio above the best one known until there is none; or what stays open."""
    best, witness = Fraction(0), None
    for obligation in obligations(question):
        while True:
            asking.budget.check(f"words of ratio {fraction_text(best)} were found")
            query, outcome = asking.ask(obligation, Threshold(c=best, exact=True))
            if isinstance(outcome, Unsatisfiable):
                break
            known = Bound(ratio=None, lower=best if witness else None, upper=None, best=witness)
            if isinstance(outcome, NoAnswer):
                return known, asking.open(obligation, outcome)
            word = query.word(outcome.model)
            left, right = masses(obligation, word or ())
            assert isinstance(left, Fraction)
            assert isinstance(right, Fraction)
            if word is None or left <= best * right:
                return known, asking.no_counterexample(obligation)
            witness = obligation.violation(word)
            if not right:
                return Bound(ratio="inf", lower="inf", upper="inf", best=witness), None
            best = left / right
    return Bound(ratio=best, lower=best, upper=best, best=witness), None
