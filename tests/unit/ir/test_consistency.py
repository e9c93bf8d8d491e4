"""What a claim holds twice says the same both times, and bounds and inputs are what they may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.epsilon import Epsilon
from pfl.driver import compile_text
from pfl.model.claims import Claim, Comparison, Indistinguishability, Likelihood
from pfl.model.interactive_questions import Implementation
from pfl.model.labelled_system import LabelledSystem, Matrix
from pfl.model.validation import Malformed, Validation, system_faults

ONE, HALF, ZERO = Fraction(1), Fraction(1, 2), Fraction(0)

AUTOMATON = """
automaton last {
    data d: 0..1;  query ask: { go };
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 2/3, 1: 1/3 } else { 0: 1/4, 1: 3/4 }; x = 0; }
}
automaton bell {
    states on, low_next, high_next;  start on;
    data zero, one;  output low, high;
    on  -- zero --> { low_next: 2/3, high_next: 1/3 };
    on  -- one  --> { low_next: 1/3, high_next: 2/3 };
    low_next  -- low  --> on;
    high_next -- high --> on;
}
check one:   noninterference last { epsilon ln(8/3); }
check other: noninterference bell { adjacent replace; epsilon ln(2); length 2; }
check same:  implements last of last;
"""
RESTS = """
hmm Rests {
    states s, t;  init s: 1/2, t: 1/2;
    s -> s: 1/3, t: 2/3;  t -> s: 1;
    s emits silent: 1/4, a: 3/4;  t emits a: 1/2, b: 1/2;
}
compute behind: likelihood Rests { observations a, b; posterior; }
"""


def claim_of(text: str, name: str) -> Claim:
    return next(claim for claim in compile_text(text).claims if claim.name == name)


def fault_of(claim: Claim) -> str:
    try:
        Validation().require(claim)
    except Malformed as malformed:
        return str(malformed).split(": ", 1)[1]
    return ""


def with_comparison(claim: Claim, change: Callable[[Comparison], Comparison]) -> Claim:
    question: Any = claim.question
    assert isinstance(question, Indistinguishability)
    return replace(claim, question=replace(question, comparisons=tuple(map(change, question.comparisons))))


def with_system(claim: Claim, change: Callable[[LabelledSystem], LabelledSystem]) -> Claim:
    return with_comparison(claim, lambda comparison: replace(comparison, system=change(comparison.system)))


def emptied(matrix: Matrix) -> Matrix:
    return ((),) * len(matrix)


@pytest.mark.parametrize("name", ["one", "other"])
def test_the_system_of_two_runs_is_that_of_these_runs(name: str) -> None:
    claim = claim_of(AUTOMATON, name)
    assert fault_of(claim) == ""
    no_moves = with_system(claim, lambda system: replace(system, matrices=tuple(map(emptied, system.matrices))))
    assert fault_of(no_moves).endswith("are not those of the two runs")
    letters = with_system(claim, lambda system: replace(system, letters=system.letters[::-1]))
    assert fault_of(letters) == "the letters are not those of the two runs"
    sides = with_comparison(claim, lambda c: replace(c, left=c.right, right=c.left))
    assert "is not that of the runs" in fault_of(sides)


def test_every_row_of_two_runs_is_looked_at() -> None:
    for name in ("one", "other"):
        claim = claim_of(AUTOMATON, name)
        question: Any = claim.question
        system = question.comparisons[0].system
        for letter, matrix in enumerate(system.matrices):
            for state, row in enumerate(matrix):
                other = () if row else ((0, ONE),)
                rows = (*matrix[:state], other, *matrix[state + 1 :])
                matrices = (*system.matrices[:letter], rows, *system.matrices[letter + 1 :])
                changed = with_system(claim, lambda system, m=matrices: replace(system, matrices=m))  # type: ignore[misc]
                assert fault_of(changed).endswith("are not those of the two runs")


def test_inputs_that_are_counted_are_counted_in_every_copy() -> None:
    claim = claim_of(AUTOMATON, "other")
    question: Any = claim.question
    assert question.comparisons[0].limited
    assert "are said to have" in fault_of(with_comparison(claim, lambda c: replace(c, limited=False)))


def test_letters_come_about_as_hidden_moves_say() -> None:
    claim = claim_of(RESTS, "behind")
    question: Any = claim.question
    assert isinstance(question, Likelihood)
    assert question.hidden is not None
    assert fault_of(claim) == ""
    hidden, hmm = question.hidden, question.hidden.hmm

    def fault(**changes: Any) -> str:
        return fault_of(replace(claim, question=replace(question, hidden=replace(hidden, **changes))))

    assert "otherwise than the hidden moves say" in fault(
        hmm=replace(hmm, emission=(((0, HALF),), hmm.emission[1]), silent=(HALF, ZERO))
    )
    assert "hidden moves say" in fault(hmm=replace(hmm, transition=(hmm.transition[0][::-1], ((1, ONE),))))
    assert "does not sum to 1" in fault(hmm=replace(hmm, silent=(ZERO, ZERO)))
    assert "the start has another weight" in fault(start=(ONE, ZERO))
    assert "not all told of" in fault(start=(ONE,))
    assert "which the system does not have" in fault(before=(hidden.before[0], None))
    assert "no state" in fault(shown_by=(None,) * len(hidden.shown_by))


def test_a_start_is_a_distribution() -> None:
    likely, same = claim_of(RESTS, "behind"), claim_of(AUTOMATON, "same")
    question: Any = likely.question
    half = tuple(weight / 2 for weight in question.start)
    assert fault_of(replace(likely, question=replace(question, start=half))) == "the start has mass 1/2"
    asked: Any = same.question
    assert isinstance(asked, Implementation)
    system = asked.abstract
    halved = replace(system, start=tuple(weight / 2 for weight in system.start))
    assert fault_of(replace(same, question=replace(asked, abstract=halved))) == "the start has mass 1/2"


@pytest.mark.parametrize(
    ("epsilon", "fault"),
    [
        (Epsilon(ZERO, ((ONE, ZERO),)), "epsilon is the logarithm of a number that is not positive"),
        (Epsilon.rational(-ONE), "epsilon is negative"),
        (Epsilon.ln(Fraction(8, 3)) + Epsilon.rational(-HALF), ""),
    ],
)
def test_an_epsilon_is_a_real_number_that_is_not_negative(epsilon: Epsilon, fault: str) -> None:
    claim = claim_of(AUTOMATON, "one")
    assert fault_of(with_comparison(claim, lambda comparison: replace(comparison, epsilon=epsilon))) == fault


def test_the_same_question_at_a_shorter_length_is_looked_at_too() -> None:
    text = """
    mechanism f() emits 0..1 { for i in 1..2 { receive x: 0..1; emit { x: 2/3, 1 - x: 1/3 }; receive y: 0..1; } }
    adjacency differ(a: 0..1, b: 0..1) = a != b;
    compute e: epsilon f() { received differ; length 1..2; }
    """
    claim = claim_of(text, "e")
    question: Any = claim.question
    (shorter,) = question.shorter
    assert fault_of(claim) == ""

    def fault(change: Callable[[Comparison], Comparison]) -> str:
        changed = with_comparison(replace(claim, question=shorter), change).question
        return fault_of(replace(claim, question=replace(question, shorter=(changed,))))

    assert "its weight is 1/2" in fault(lambda c: replace(c, left=replace(c.left, weight=HALF)))
    (first, *others) = shorter.comparisons[0].system.matrices
    halved = tuple(tuple((column, weight / 2) for column, weight in row) for row in first)
    lossy = replace(shorter.comparisons[0].system, matrices=(halved, *others))
    assert "the weights of" in fault(lambda c: replace(c, system=lossy))


@pytest.mark.parametrize("delta", [-HALF, Fraction(2)])
def test_a_delta_is_a_probability(delta: Fraction) -> None:
    claim = claim_of(AUTOMATON, "one")
    question: Any = claim.question
    assert fault_of(replace(claim, question=replace(question, delta=delta))) == f"delta is {delta}"


@pytest.mark.parametrize(
    ("inputs", "fault"),
    [
        ((0, 1), "the weights of `s` for input 0 sum to 1/2"),
        ((0, 0), ""),
        ((-1, -1), ""),
        ((-1, 0), "the weights of `s` without an input sum to 1/2"),
    ],
)
def test_no_mass_is_lost_where_inputs_are_chosen(inputs: tuple[int, int], fault: str) -> None:
    half: Matrix = (((0, HALF),),)
    system = LabelledSystem(states=("s",), letters=("a", "b"), matrices=(half, half), stochastic=False, inputs=inputs)
    assert next(system_faults(system), "") == fault
    whole = replace(system, matrices=((((0, ONE),),),) * 2, inputs=(-1, 0))
    assert "whether it is given an input or not" in next(system_faults(whole))


def test_what_is_specified_is_a_distribution() -> None:
    text = "mechanism f() -> 0..1 { return { 0: 1/3, 1: 2/3 }; } check d: distribution f() equals { 0: 1/3, 1: 2/3 };"
    claim = claim_of(text, "d")
    question: Any = claim.question
    (case,) = question.cases
    wrong = replace(case.question, specified=(ONE, ONE, ZERO))
    assert fault_of(replace(claim, question=replace(question, cases=(replace(case, question=wrong),)))).endswith("to 2")
