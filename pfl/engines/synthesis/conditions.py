"""Conditions on the names of a `find` that every solution must meet, and candidates that meet them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.interleavings import seen_mass
from pfl.analysis.parametric.obligation import Obligation
from pfl.analysis.parametric.prefixes import Word
from pfl.analysis.parametric.threshold import Power, power
from pfl.analysis.polynomial.box import holds_at
from pfl.analysis.polynomial.points import Point, find_point, restricted_to
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import MORE_THAN_SEEN, Fails, Proved, Unknown, Violation
from pfl.engines.obligation import multiplied_out
from pfl.engines.parametric import parametric
from pfl.engines.parametric.side_conditions import Fault, Nlsat, faults
from pfl.engines.ratio import exact
from pfl.model.claims import Search, mentioned_parameters
from pfl.model.compare import Compare, Comparison, Direction
from pfl.model.parameters import Condition, ParameterSpace, names_of
from pfl.options import Options
from pfl.passes.substitute import ImpossibleValues, substitute

Values: TypeAlias = dict[str, Fraction]

_MARGINS = (Fraction(1, 4), Fraction(1, 32), Fraction(0))
"""Shares of what is allowed that a candidate shall first stay away from; without it many candidates fail narrowly."""
_BITS = (64, 256, 1024, 4096)


_NEVER = Condition(polynomial=Fraction(1), relation="<=", text="the claim fails")


@struct(kw_only=False)
class Doubt:
    """Why the search cannot go on."""

    reason: str


Outcome: TypeAlias = Literal["holds", "refuted"] | Doubt


@struct
class Requirement:
    """A condition `polynomial <= 0` on the names, learnt from a candidate that failed, and how much it allows: with
    `polynomial + margin * allowed <= 0` a candidate stays away from the border.

    It was learnt at values of the other parameters. Where assumptions are about both, it binds only those names that
    go together with these values: else all of `unless` hold, each of which are alternatives. `learnt_from` are the
    words that were too likely, and the values, where it was learnt from such.
    """

    condition: Condition
    allowed: Number
    unless: tuple[tuple[Condition, ...], ...] = ((),)
    learnt_from: tuple[Violation, Values] | None = None

    def clauses(self, margin: Fraction = Fraction(0)) -> Iterator[tuple[Condition, ...]]:
        """Alternatives, of each of which one must hold."""
        kept = replace(self.condition, polynomial=self.condition.polynomial + margin * self.allowed)
        for alternatives in self.unless:
            yield (kept, *alternatives)


@struct(frozen=False)
class Conditions:
    """The necessary conditions known so far; `judge` adds one whenever a candidate fails."""

    question: Search
    own: ParameterSpace
    mixed_faults: tuple[Fault, ...]
    mixed_assumptions: tuple[tuple[Condition, ...], ...]
    solver: Nlsat
    options: Options
    budget: Budget
    learnt: list[Requirement] = field(default_factory=list)

    @staticmethod
    def of(question: Search, options: Options, solver: Nlsat, budget: Budget) -> Conditions:
        """What can be said of the names alone: their intervals and assumptions; secrets have positive probability,
        probabilities are not negative, denominators not 0, where these depend on the names alone."""
        if question.claim.exponents is not None:  # the names stand in nothing but epsilons
            return Conditions(
                question=question,
                own=question.factors,
                mixed_faults=(),
                mixed_assumptions=(),
                solver=solver,
                options=options,
                budget=budget,
            )
        names = frozenset(question.names)
        every = question.claim.parameters
        looked: set[object] = set()
        found = [fault for comparison in question.claim.comparisons for fault in faults(comparison, looked)]
        needed = [
            *(_negated(fault.condition) for fault in found),
            *(condition for comparison in question.claim.comparisons for condition in _weights(comparison)),
        ]
        of_names = [names_of(c.polynomial for c in clause) <= names for clause in every.assumptions]
        own = ParameterSpace(
            parameters=tuple(parameter for parameter in every.parameters if parameter.name in names),
            assumptions=tuple(clause for clause, is_own in zip(every.assumptions, of_names) if is_own),
        )
        return Conditions(
            question=question,
            own=own.restricted(*dict.fromkeys(c for c in needed if names_of([c.polynomial]) <= names)),
            mixed_faults=tuple(fault for fault in found if not names_of([fault.number]) <= names),
            mixed_assumptions=tuple(clause for clause, is_own in zip(every.assumptions, of_names) if not is_own),
            solver=solver,
            options=options,
            budget=budget,
        )

    def space(self, margin: Fraction = Fraction(0)) -> ParameterSpace:
        """The values of the names that meet every condition, by a margin."""
        return _within(self.own, self.learnt, margin)

    def candidate(self, *further: Condition) -> Values | Doubt | None:
        """Values that meet the conditions, well inside if that is possible; None proves that there are none."""
        found: Point | str | None = None
        for margin in _MARGINS if self.learnt else (Fraction(0),):
            found = find_point(self.space(margin).restricted(*further), self.budget, self.solver)
            if isinstance(found, dict) and (values := _rational(found)) is not None:
                return values
        if found is None:
            return None
        if found == "unknown":
            return Doubt(
                f"the conditions of {len(self.learnt)} counterexamples were neither met nor shown to contradict"
            )
        return Doubt("only irrational values meet the conditions, and an answer must be rational")

    def judge(self, values: Values) -> Outcome:
        """Whether the claim holds with the values for all other parameters; if not, a condition is learnt."""
        self.budget.progress(f"{len(self.learnt)} counterexamples")
        for fault in self.mixed_faults:
            outcome = self._judge_fault(fault, values)
            if outcome != "holds":
                return outcome
        try:
            claim = substitute(self.question.claim, values)
        except ImpossibleValues as impossible:
            return Doubt(f"the candidate {values_text(values)} is impossible: {impossible}")
        if claim.exponents is not None:
            return self._judge_factor(claim, values)
        if find_point(claim.parameters, self.budget, self.solver) is None:
            # Either all that go with it are judged apart, by who has left them out, or there are none.
            return "holds" if self._is_allowed(values) else self._learn(_other_than(values), values)
        answer = parametric.answer if mentioned_parameters(claim) else exact.answer
        match answer(claim, self.options, self.budget):
            case Proved():
                return "holds"
            case Fails(violation=violation):
                return self._learn(self._requirement(violation, values), values)
            case Unknown(reason=reason):
                return Doubt(f"for the candidate {values_text(values)}, {reason}")
            case _:
                raise ValueError("a find is about a check")

    def _judge_factor(self, claim: Compare, values: Values) -> Outcome:
        """Whether the claim holds with the value of a factor of the parameter of its exponents, or as it is."""
        from pfl.engines.exponential import exponential  # needed with exponentials only
        from pfl.engines.synthesis.multiples import needed_factor

        try:
            found = exponential.answer(claim, self.options, self.budget)
        except LimitReached as limit:  # a value next to the least that holds may fail at very large values alone
            self.budget.check("some candidates were judged")
            found = Unknown(engine=exponential.NAME, reason=limit.reason)
        match found:
            case Proved():
                return "holds"
            case Fails() if not values:
                return self._learn(Requirement(condition=_NEVER, allowed=Fraction(0)), values)
            case Fails(violation=violation):
                if claim.comparisons[violation.comparison].table.interleaved:
                    return Doubt(f"for the candidate {values_text(values)}, {MORE_THAN_SEEN}")
                ((name, value),) = values.items()
                needed = needed_factor(self.question.claim, name, value, violation, self.options, self.budget)
                return self._learn(Requirement(condition=needed.condition, allowed=needed.allowed), values)
            case Unknown(reason=reason):
                return Doubt(f"for the candidate {values_text(values)}, {reason}" if values else reason)
            case _:
                raise ValueError("a find is about a check")

    def _is_allowed(self, values: Values) -> bool:
        """Whether some values of the other parameters go with those of the names, such as are judged apart included."""
        if self.question.allowed is None:
            return False
        whole = replace(self.question.claim, tables=(), parameters=self.question.allowed)
        try:
            others = substitute(whole, values).parameters
        except ImpossibleValues:
            return False
        return find_point(others, self.budget, self.solver) is not None

    def _judge_fault(self, fault: Fault, values: Values) -> Outcome:
        """Whether a number that depends on names and other parameters is proper for all values of the others."""
        at_values = replace(fault.condition, polynomial=_at(fault.condition.polynomial, values))
        try:
            others = substitute(replace(self.question.claim, tables=()), values).parameters
        except ImpossibleValues as impossible:
            return Doubt(f"the candidate {values_text(values)} is impossible: {impossible}")
        found = find_point(others.restricted(at_values), self.budget, self.solver)
        if found is None:
            return "holds"
        rational = None if found == "unknown" else _rational(found)
        if rational is None:
            return Doubt(
                f"for the candidate {values_text(values)} it could not be shown that {fault.condition.text} nowhere"
            )
        condition = _negated(fault.condition)
        learnt = replace(condition, polynomial=_at(condition.polynomial, rational))
        return self._learn(Requirement(condition=learnt, allowed=Fraction(0), unless=self._unless(rational)), values)

    def _completed(self, point: Mapping[str, object], values: Values) -> Values | None:
        """A counterexample with values of the parameters on which it does not depend; None if they are not rational."""
        known = {name: value for name, value in point.items() if isinstance(value, Fraction)}
        if len(known) < len(point) or not self.mixed_assumptions:
            return known if len(known) == len(point) else None
        space = restricted_to(self.question.claim.parameters, {**known, **values})
        found = find_point(space, self.budget, self.solver)
        rational = _rational(found) if isinstance(found, dict) else None
        return rational and {name: value for name, value in rational.items() if name not in values}

    def _unless(self, others: Values) -> tuple[tuple[Condition, ...], ...]:
        """That names do not go together with such values of the other parameters, as alternatives."""
        found: list[tuple[Condition, ...]] = [()]
        for clause in self.mixed_assumptions:
            given = [replace(c, polynomial=_at(c.polynomial, others)) for c in clause]
            assert names_of(c.polynomial for c in given) <= set(self.own.names), "a counterexample names them all"
            found = [(*known, *_excluded(condition)) for known in found for condition in given]
        return tuple(found)

    def _learn(self, requirement: Requirement | Doubt, values: Values) -> Outcome:
        if isinstance(requirement, Doubt):
            return requirement
        if not self._fails(requirement, values):
            return Doubt(f"the candidate {values_text(values)} fails by less than can be told apart")
        self.learnt.append(requirement)
        return "refuted"

    def _fails(self, requirement: Requirement, values: Values) -> bool:
        """Whether values do not meet a requirement."""
        return not holds_at(_within(ParameterSpace(parameters=self.own.parameters), [requirement]), values)

    def _requirement(self, violation: Violation, values: Values) -> Requirement | Doubt:
        """That the words of a violation keep the bound, the other parameters held where it was found."""
        others = self._completed(dict(violation.parameters), values)
        if others is None:
            return Doubt(f"the candidate {values_text(values)} fails only at irrational values of other parameters")
        comparison = self.question.claim.comparisons[violation.comparison]
        assert comparison.epsilon is not None
        direction = Direction(number=violation.comparison, comparison=comparison, is_reversed=violation.reversed)
        is_interleaved = comparison.table.interleaved
        masses = _total(multiplied_out(direction), violation.words, as_seen=is_interleaved)
        left, right = (_at(mass, others) for mass in masses)
        delta = _at(
            (self.question.claim.delta or Fraction(0)) * direction.above.weight * direction.below.weight, others
        )
        kept = self._kept(comparison.epsilon.evaluate(others), left, right, delta, values)
        if is_interleaved and (isinstance(kept, Doubt) or not self._fails(kept, values)):
            return Doubt(f"for the candidate {values_text(values)}, {MORE_THAN_SEEN}")
        if isinstance(kept, Doubt):
            return kept
        return replace(kept, unless=self._unless(others), learnt_from=(violation, others))

    def _kept(
        self, epsilon: Epsilon, left: Number, right: Number, delta: Number, values: Values
    ) -> Requirement | Doubt:
        """left <= e^eps right + delta; without an exact power e^eps from above, so near that the values fail."""
        names = ParameterSpace(parameters=self.own.parameters)
        for bits in _BITS:
            bound = power(epsilon, bits, upper=True)
            if delta and bound.root > 1:
                if epsilon.parameters:
                    break
                bound = Power(root=1, bound=epsilon.upper_bound(bits), exact=False)
            condition = bound.kept(left - delta, right)
            if bound.exact or not holds_at(names.restricted(condition), values):
                return Requirement(condition=condition, allowed=bound.bound * right**bound.root)
        return Doubt(f"the candidate {values_text(values)} fails by less than can be told apart")


def _total(obligation: Obligation, words: Iterable[Word], *, as_seen: bool) -> tuple[Number, Number]:
    """The masses of a set of words on both sides; those of what is seen of them where they say more."""
    left: Number = Fraction(0)
    right: Number = Fraction(0)
    for word in words:
        more_left, more_right = _seen(obligation, word) if as_seen else obligation.masses(word)
        left, right = left + more_left, right + more_right
    return left, right


def _seen(obligation: Obligation, word: Word) -> tuple[Number, Number]:
    system = obligation.system
    return seen_mass(system, obligation.left, word), seen_mass(system, obligation.right, word)


def _weights(comparison: Comparison) -> Iterator[Condition]:
    """That the claim is about something: secrets of positive probability, and what it provides for."""
    for side in comparison.sides:
        text = f"`{side.label}` has positive probability"
        yield Condition(polynomial=-side.weight, relation="<", text=text)
    yield from comparison.nonzero


def _within(space: ParameterSpace, learnt: Iterable[Requirement], margin: Fraction = Fraction(0)) -> ParameterSpace:
    """The space, cut by requirements."""
    clauses = (clause for requirement in learnt for clause in requirement.clauses(margin))
    return replace(space, assumptions=(*space.assumptions, *clauses))


def _other_than(values: Values) -> Requirement:
    """That some name has another value."""
    first, *rest = (
        Condition(polynomial=RationalFunction.parameter(name) - value, relation="!=", text=f"{name} != {value}")
        for name, value in values.items()
    )
    return Requirement(condition=first, allowed=Fraction(0), unless=(tuple(rest),))


def _excluded(condition: Condition) -> Iterator[Condition]:
    """Alternatives, of which one holds where the condition does not: it does not hold at a pole."""
    yield _negated(condition)
    if isinstance(condition.polynomial, RationalFunction) and not condition.polynomial.is_polynomial:
        below = condition.polynomial.denominator.to_number()
        yield Condition(polynomial=below, relation="==", text=f"not: {condition.text}")


def _negated(condition: Condition) -> Condition:
    """The condition that holds where the given one, of those that faults have, does not."""
    match condition.relation:
        case "<":
            return Condition(polynomial=-condition.polynomial, relation="<=", text=f"not: {condition.text}")
        case "<=":
            return Condition(polynomial=-condition.polynomial, relation="<", text=f"not: {condition.text}")
        case "==":
            return replace(condition, relation="!=", text=f"not: {condition.text}")
        case "!=":
            return replace(condition, relation="==", text=f"not: {condition.text}")


def _at(number: Number, values: Values) -> Number:
    return number.evaluate(values) if isinstance(number, RationalFunction) else number


def _rational(point: Mapping[str, object]) -> Values | None:
    values = {name: value for name, value in point.items() if isinstance(value, Fraction)}
    return values if len(values) == len(point) else None


def values_text(values: Values) -> str:
    """`p = 1/2, q = 1/3`."""
    return ", ".join(f"{name} = {fraction_text(value)}" for name, value in values.items())
