"""Answers `find`: values of some parameters for which a claim holds at all values of the others.

Counterexamples lead the search: each word, with values of the other parameters, at which a candidate fails becomes a
condition on the names; when these conditions cannot be met, neither can the claim. Source: docs/theory/synthesis.md.

`find ... minimise e` and `maximise e`: the best values, and a proved bound of what is possible.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pfl.analysis.polynomial.cells import find_value
from pfl.analysis.polynomial.elimination import reduce
from pfl.analysis.polynomial.points import restricted_to
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.polynomial.supremum import Supremum, supremum
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.base.struct import struct
from pfl.engines.answer import Answer, Evidence, Finds, NoneFound, Unknown
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.engines.synthesis.certified import none_certificate
from pfl.engines.synthesis.conditions import Conditions, Doubt, Values, values_text
from pfl.model.claims import Search
from pfl.model.parameters import Condition, names_of
from pfl.options import Options

_FIRST_STEP = Fraction(1)
_LAST_STEP = Fraction(1, 2**16)
"""How much better a candidate shall be than the best one, relative to its size."""
_NEAR = Fraction(1, 1000)
"""How far from an optimum that no rational value attains the answer stays, relative to its size."""
_LONG = 10**6
"""A bound of a larger denominator is told as a shorter one."""
_SIMPLE = 2**8
"""A multiple of a smaller denominator is tried where it is the bound itself."""


@struct
class Best:
    """Values for which the claim holds, their objective, and a bound that no values pass; exact where they agree."""

    values: Values
    objective: Fraction
    bound: Fraction


def optimise(conditions: Conditions, most: int) -> Best | Doubt | None:
    """The best values for the objective; None if no values satisfy the claim; a doubt after `most` candidates."""
    question = conditions.question
    assert question.objective is not None
    outside = names_of([question.objective]) - set(question.names)
    if outside:
        return Doubt(f"the objective depends on {', '.join(sorted(outside))}, which is not among the names to be found")
    gain = question.objective if question.direction == "maximise" else -question.objective
    climb = _Climb(conditions=conditions, gain=gain, left=most)
    found = climb.narrow() if len(question.names) == 1 else climb.run()
    if isinstance(found, Best) and question.direction != "maximise":
        return Best(values=found.values, objective=-found.objective, bound=-found.bound)
    return found


@struct(frozen=False)
class _Climb:
    """Maximises `gain`; every candidate is judged before it counts.

    An optimum that is not attained is most often a simple number: the simplest one between the best gain and the bound
    is tried as a bound.
    """

    conditions: Conditions
    gain: Number
    left: int

    def run(self) -> Best | Doubt | None:
        best = self._next()
        if not isinstance(best, dict):
            return best
        bound: Fraction | None = None
        step = _FIRST_STEP
        while step >= _LAST_STEP:
            best = self._along_axes(best)
            value = self._gain_at(best)
            if bound is not None and value < bound:
                guess = simplest_between(value, bound)
                bound = guess if self._is_highest(guess) else bound
                if bound - value <= _NEAR * max(abs(value), Fraction(1)):
                    attained = self._next(Condition(polynomial=bound - self.gain, relation="<=", text="the bound"))
                    best = attained if isinstance(attained, dict) else best
                    return Best(values=best, objective=self._gain_at(best), bound=bound)
            wanted = value + step * max(abs(value), Fraction(1))
            better = self._next(Condition(polynomial=wanted - self.gain, relation="<=", text="a better objective"))
            if isinstance(better, dict):
                best = better
                continue
            if better is None:
                bound = wanted if bound is None else min(bound, wanted)
            better = self._next(Condition(polynomial=value - self.gain, relation="<", text="a better objective"))
            if better is None:
                return Best(values=best, objective=value, bound=value)
            best = better if isinstance(better, dict) else best
            step /= 4
        if bound is None:
            return Doubt(f"no bound of the objective was proved; {values_text(best)} satisfy the claim")
        return Best(values=best, objective=self._gain_at(best), bound=bound)

    def narrow(self) -> Best | Doubt | None:
        """As `run`, of one name. What a counterexample teaches may exclude next to nothing, and a claim may grow with
        the denominator of the value, so simple numbers between the best and the bound are tried."""
        best = self._next()
        if not isinstance(best, dict):
            return best
        undecided: Fraction | None = None
        last: Fraction | None = None
        while (highest := self._highest()) is not None and highest.high != "inf":
            value, bound = self._gain_at(best), highest.high
            if bound <= value:
                return Best(values=best, objective=value, bound=value)
            until = bound if undecided is None else min(undecided, bound)
            if until - value <= _NEAR * (abs(until) or 1) or not self.left:
                return self._attained(best, bound)
            self.left -= 1
            taught_little = last is not None and last - bound < _NEAR * abs(bound)
            attaining = None if undecided is not None or taught_little else self._attaining(highest, best)
            last = bound if attaining is not None else last
            tried = attaining or self._between(value, until)
            outcome = self.conditions.judge(tried) if isinstance(tried, dict) else tried
            if outcome == "holds" and isinstance(tried, dict):
                best = tried
            elif isinstance(outcome, Doubt) and isinstance(tried, dict):
                undecided = self._gain_at(tried)
            elif outcome != "refuted":
                return self._attained(best, bound)
        return self.run()

    def _highest(self) -> Supremum | None:
        """The supremum of the gain under the conditions, which are about one name; None where it is not that of one."""
        line = reduce(self.conditions.space()).space
        return supremum(self.gain, Fraction(1), line) if len(line.names) == 1 else None

    def _attaining(self, highest: Supremum, best: Values) -> Values | None:
        """The values that attain the supremum, or come near to one that is not attained; None where judging them takes
        long."""
        (name,), claim = self.conditions.question.names, self.conditions.question.claim
        if claim.exponents is None or not claim.delta:
            return self._best_on_line(name, best)
        point = highest.point if highest.attained else None
        return {name: point} if isinstance(point, Fraction) and point.denominator < _SIMPLE else None

    def _attained(self, best: Values, bound: Fraction) -> Best:
        """The best, or what holds and attains the bound, or the simplest gain between the two."""
        highest = self._highest()
        simple = Condition(polynomial=simplest_between(self._gain_at(best), bound) - self.gain, relation="<=", text="")
        for tried in (None if highest is None else self._attaining(highest, best), self.conditions.candidate(simple)):
            is_better = isinstance(tried, dict) and self._gain_at(tried) > self._gain_at(best)
            if isinstance(tried, dict) and is_better and self.conditions.judge(tried) == "holds":
                best = tried
                break
        value = self._gain_at(best)
        if value < bound and bound.denominator > _LONG:  # a larger bound is one, too
            bound = simplest_between(bound, bound + (bound - value) / 4)
        return Best(values=best, objective=value, bound=bound)

    def _between(self, value: Fraction, until: Fraction) -> Values | Doubt | None:
        """Values that are well better than the best, and not next to what bounds them if there are others."""
        quarter = (until - value) / 4
        window = [
            Condition(polynomial=value + quarter - self.gain, relation="<=", text="a better objective"),
            Condition(polynomial=self.gain - until + quarter, relation="<=", text="not next to what bounds it"),
        ]
        below = Condition(polynomial=self.gain - until, relation="<", text="less than what bounds it")
        return self.conditions.candidate(*window) or self.conditions.candidate(window[0], below)

    def _next(self, *further: Condition) -> Values | Doubt | None:
        """Values for which the claim holds and the conditions; None if there are none."""
        while self.left:
            self.left -= 1
            candidate = self.conditions.candidate(*further)
            if not isinstance(candidate, dict):
                return candidate
            outcome = self.conditions.judge(candidate)
            if isinstance(outcome, Doubt):
                return outcome
            if outcome == "holds":
                return candidate
        return Doubt("too many candidates were refuted one by one; give narrower intervals, or a smaller length")

    def _along_axes(self, best: Values) -> Values:
        """The best values reached by changing one name after the other as far as the conditions allow."""
        for name in best:
            while self.left:
                self.left -= 1
                moved = self._best_on_line(name, best)
                if moved is None or self._gain_at(moved) <= self._gain_at(best):
                    break
                outcome = self.conditions.judge(moved)
                if outcome == "holds":
                    best = moved
                if outcome != "refuted":
                    break
        return best

    def _best_on_line(self, name: str, best: Values) -> Values | None:
        """The values with one name changed so that the gain is largest under the conditions, or nearly so."""
        held = {other: value for other, value in best.items() if other != name}
        line = reduce(restricted_to(self.conditions.space(), held)).space
        if line.names != (name,):
            return None
        gain = self.gain.evaluate(held) if isinstance(self.gain, RationalFunction) else self.gain
        highest = supremum(gain, Fraction(1), line)
        if highest is None or highest.low == "inf":
            return None
        if highest.attained and isinstance(highest.point, Fraction):
            return {**best, name: highest.point}
        near = highest.low - _NEAR * max(abs(highest.low), Fraction(1))
        value = find_value(line.restricted(Condition(polynomial=near - gain, relation="<=", text="a good objective")))
        return {**best, name: value} if isinstance(value, Fraction) else None

    def _is_highest(self, gain: Fraction) -> bool:
        """Whether the conditions show that no values have a larger gain."""
        better = Condition(polynomial=gain - self.gain, relation="<", text="a better objective")
        return self.conditions.candidate(better) is None

    def _gain_at(self, values: Values) -> Fraction:
        return value_at(self.gain, values)


NAME = "synthesis"
MOST_CANDIDATES = 400
MOST_UNDER_MIXED = 40
"""Candidates where assumptions speak of names and others: a counterexample then may exclude few of them."""


def answer(question: Search, options: Options, budget: Budget) -> Answer:
    """Rational values, simple ones first; with an objective the best ones, exactly where an optimum is attained.

    Raises what judging a candidate raises (`pfl.engines.parametric`), and LimitReached.
    """
    conditions = Conditions.of(question, options, Nlsat(), budget)
    most = MOST_UNDER_MIXED if conditions.mixed_assumptions else MOST_CANDIDATES
    if question.objective is not None:
        best = optimise(conditions, most)
        if isinstance(best, Best):
            return Finds(engine=NAME, values=best.values, objective=best.objective, best_possible=best.bound)
        return _nothing_found(conditions) if best is None else Unknown(engine=NAME, reason=best.reason)
    for _ in range(most):
        candidate = conditions.candidate()
        if candidate is None:
            return _nothing_found(conditions)
        if isinstance(candidate, Doubt):
            return Unknown(engine=NAME, reason=candidate.reason)
        outcome = conditions.judge(candidate)
        if isinstance(outcome, Doubt):
            return Unknown(engine=NAME, reason=outcome.reason)
        if outcome == "holds":
            return Finds(engine=NAME, values=candidate)
    reason = f"{most} candidates were refuted one by one; give narrower intervals, or a smaller length"
    return Unknown(engine=NAME, reason=reason)


def _nothing_found(conditions: Conditions) -> NoneFound:
    names = ", ".join(conditions.question.names)
    count = len(conditions.learnt)
    detail = f"no values of {names} satisfy the conditions of {count} counterexample{'s' * (count != 1)}"
    facts: tuple[tuple[str, str], ...] = ()
    if conditions.question.claim.exponents is not None:
        last = {each.condition.text.rpartition(" ")[0]: each.condition.text for each in conditions.learnt}
        facts = tuple(("needed", text) for text in last.values())  # what was learnt first is less
    kind: Literal["solver", "exhaustive"] = "solver" if conditions.solver.proofs else "exhaustive"
    shown = none_certificate(conditions)
    if isinstance(shown, str):
        return NoneFound(engine=NAME, evidence=Evidence(kind=kind, detail=detail, facts=facts, uncertified=shown))
    return NoneFound(engine=NAME, evidence=Evidence(kind=kind, detail=detail, certificates=(shown,)))
