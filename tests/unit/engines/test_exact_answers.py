"""What the exact engine answers: bounds, values, evidence, and how it gives up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Answer, Computed, Fails, NamedValue, Proved, Unknown
from pfl.engines.ratio import exact
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Matrix
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted

FLIP, WRONG = Fraction(3, 20), Fraction(1, 4)


def commute() -> LabelledSystem:
    """A two-state chain that flips with 3/20 and is reported wrongly with 1/4."""

    def letter(shown: tuple[Fraction, Fraction]) -> Matrix:
        first, second = shown
        return (
            ((0, first * (1 - FLIP)), (1, first * FLIP)),
            ((0, second * FLIP), (1, second * (1 - FLIP))),
        )

    matrices = (letter((1 - WRONG, WRONG)), letter((WRONG, 1 - WRONG)))
    return LabelledSystem(states=("well", "sick"), letters=("quiet", "cough"), matrices=matrices)


def coins() -> LabelledSystem:
    """A fair coin and a bent one, tossed for ever: the ratio has no bound."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    matrices = ((((0, half),), ((1, 2 * third),)), (((0, half),), ((1, third),)))
    return LabelledSystem(states=("fair", "bent"), letters=("heads", "tails"), matrices=matrices)


def ask(goal: Any, system: LabelledSystem, epsilon: Epsilon | None, lengths: Any, **more: Any) -> Answer:
    return exact.answer(question(goal, system, epsilon, lengths, **more), Options(), Budget())


def question(
    goal: Any,
    system: LabelledSystem,
    epsilon: Epsilon | None,
    lengths: Any,
    *,
    delta: Fraction | None = Fraction(0),
    one_way: bool = False,
) -> Compare:
    sides = [Side(label=name, vector=system.vector([(state, Fraction(1))])) for state, name in enumerate(system.states)]
    comparison = Table.of_pair(system, [sides[0], sides[1]], epsilon=epsilon, one_way=one_way)
    return Compare(goal=goal, tables=(comparison,), lengths=lengths, delta=delta)


def test_smallest_epsilon_by_length() -> None:
    answer = ask("epsilon", commute(), None, (1, 2, 3, 4))
    assert isinstance(answer, Computed)
    assert answer.values == (
        NamedValue(name="length 1", value=Fraction(3)),
        NamedValue(name="length 2", value=Fraction(81, 13)),
        NamedValue(name="length 3", value=Fraction(531, 58)),
        NamedValue(name="length 4", value=Fraction(27603, 2579)),
    )
    assert answer.bound is not None
    assert answer.bound.ratio == Fraction(27603, 2579)


def test_smallest_epsilon_at_every_length_is_an_interval() -> None:
    answer = ask("epsilon", commute(), None, "any")
    assert isinstance(answer, Computed)
    assert answer.bound is not None
    assert answer.bound.ratio is None
    assert isinstance(answer.bound.lower, Fraction)
    assert isinstance(answer.bound.upper, Fraction)
    assert answer.bound.lower < answer.bound.upper < answer.bound.lower + Fraction(1, 10**8)


def test_no_epsilon_at_every_length() -> None:
    answer = ask("epsilon", coins(), None, "any")
    assert isinstance(answer, Computed)
    assert answer.bound is not None
    assert answer.bound.ratio == "unbounded"
    assert answer.bound.upper == "unbounded"
    assert isinstance(answer.bound.lower, Fraction)


def test_a_large_bound_is_refuted_by_a_long_word() -> None:
    asked = question("check", coins(), Epsilon.ln(Fraction(10**40)), "any")
    answer = exact.answer(asked, Options(), Budget())
    assert isinstance(answer, Fails)
    assert isinstance(refute(asked, "exact", answer.violation), Refuted)


def test_checks_beside_the_largest_ratio() -> None:
    largest = Fraction(27603, 2579)
    for epsilon, holds in (
        (Epsilon.ln(largest), True),
        (Epsilon.ln(largest - Fraction(1, 10**9)), False),
        (Epsilon.rational(Fraction(5, 2)), True),
        (Epsilon.rational(Fraction(2)), False),
        (Epsilon.ln(largest**2) / 2, True),
    ):
        asked = question("check", commute(), epsilon, (4,))
        answer = exact.answer(asked, Options(), Budget())
        assert isinstance(answer, Proved) == holds
        assert isinstance(answer, Proved | Fails)
        assert answer.bound is not None
        assert answer.bound.ratio == largest
        if isinstance(answer, Proved):
            assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []


def test_a_check_at_every_length_has_a_certificate() -> None:
    asked = question("check", commute(), Epsilon.ln(Fraction(58, 5)), "any")
    answer = exact.answer(asked, Options(), Budget())
    assert isinstance(answer, Proved)
    assert answer.evidence.kind == "certificate"
    assert len(answer.evidence.certificates) == 2
    assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []


def test_a_long_check_is_proved_and_checked() -> None:
    asked = question("check", commute(), Epsilon.ln(Fraction(12)), (60,))
    answer = exact.answer(asked, Options(), Budget())
    assert isinstance(answer, Proved)
    assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []


def test_delta_at_an_epsilon() -> None:
    # One toss: fair against bent exceeds at tails by 1/2 - 1/3 c, bent against fair at heads by 2/3 - 1/2 c.
    answer = ask("delta", coins(), Epsilon(), (1,), delta=None)
    assert isinstance(answer, Computed)
    assert answer.value == Fraction(1, 6)
    answer = ask("delta", coins(), Epsilon.ln(Fraction(5, 4)), (1,), delta=None, one_way=True)
    assert isinstance(answer, Computed)
    assert answer.value == Fraction(1, 2) - Fraction(5, 12)


def test_delta_at_an_irrational_bound_is_an_interval() -> None:
    answer = ask("delta", coins(), Epsilon.rational(Fraction(1, 10)), (1,), delta=None, one_way=True)
    assert isinstance(answer, Computed)
    low, high = answer.values
    assert (low.name, high.name) == ("at least", "at most")
    assert isinstance(low.value, Fraction)
    assert isinstance(high.value, Fraction)
    assert low.value < high.value < low.value + Fraction(1, 10**15)
    assert answer.value == Enclosure(low.value, high.value)


def test_checks_with_a_delta() -> None:
    enough = ask("check", coins(), Epsilon(), (1,), delta=Fraction(1, 6))
    assert isinstance(enough, Proved)
    asked = question("check", coins(), Epsilon(), (1,), delta=Fraction(1, 7))
    too_small = exact.answer(asked, Options(), Budget())
    assert isinstance(too_small, Fails)
    assert isinstance(refute(asked, "exact", too_small.violation), Refuted)


def test_a_spent_budget_leaves_it_undecided() -> None:
    for goal, delta in (("check", Fraction(0)), ("epsilon", Fraction(0)), ("delta", None)):
        asked = question(goal, commute(), Epsilon.ln(Fraction(12)), (40,), delta=delta)
        answer = exact.answer(asked, Options(), Budget(deadline=0.0))
        assert isinstance(answer, Unknown)
        assert "--timeout" in answer.reason
