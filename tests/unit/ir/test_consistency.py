"""What a claim holds twice says the same both times, and bounds and inputs are what they may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.epsilon import Epsilon
from pfl.driver import compile_text
from pfl.model.claims import Case, Claim, Question
from pfl.model.compare import Compare, Table
from pfl.model.labelled_system import LabelledSystem, Matrix
from pfl.model.measure import Measure, Observed
from pfl.model.two_systems import TwoSystems
from pfl.model.validation.validation import Malformed, Validation, claim_faults, system_faults

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


def asking(claim: Claim, question: Question) -> Claim:
    return replace(claim, cases=(Case(question=question),))


def with_table(claim: Claim, change: Callable[[Table], Table]) -> Claim:
    question: Any = claim.question
    assert isinstance(question, Compare)
    return asking(claim, replace(question, tables=tuple(map(change, question.tables))))


def with_system(claim: Claim, change: Callable[[LabelledSystem], LabelledSystem]) -> Claim:
    return with_table(claim, lambda table: replace(table, compared=change(table.system)))


def emptied(matrix: Matrix) -> Matrix:
    return ((),) * len(matrix)


def test_the_starts_of_two_runs_are_those_of_these_runs() -> None:
    for name in ("one", "other"):
        claim = claim_of(AUTOMATON, name)
        assert fault_of(claim) == ""
        swapped = with_table(claim, lambda table: replace(table, pairs=((1, 0),)))
        assert "is not that of the runs" in fault_of(swapped)


def test_what_counts_the_inputs_of_two_runs_is_made_of_these_runs() -> None:
    claim = claim_of(AUTOMATON, "other")
    question: Any = claim.question
    assert question.tables[0].counts is not None
    no_moves = with_system(claim, lambda system: replace(system, matrices=tuple(map(emptied, system.matrices))))
    assert fault_of(no_moves).endswith("are not those of the two runs")
    letters = with_system(claim, lambda system: replace(system, letters=system.letters[::-1]))
    assert fault_of(letters) == "the letters are not those of the two runs"

    def longer(table: Table) -> Table:
        system = table.system
        rows = tuple((*matrix, ()) for matrix in system.matrices)
        sides = tuple(replace(side, vector=(*side.vector, ZERO)) for side in table.sides)
        return replace(table, compared=replace(system, states=(*system.states, "more"), matrices=rows), sides=sides)

    assert fault_of(with_table(claim, longer)) == "two runs of 4 states are said to have 37"


def test_every_row_of_every_copy_of_two_runs_is_looked_at() -> None:
    claim = claim_of(AUTOMATON, "other")
    question: Any = claim.question
    system = question.tables[0].system
    for letter, matrix in enumerate(system.matrices):
        for state, row in enumerate(matrix):
            other = () if row else ((0, ONE),)
            rows = (*matrix[:state], other, *matrix[state + 1 :])
            matrices = (*system.matrices[:letter], rows, *system.matrices[letter + 1 :])
            changed = with_system(claim, lambda system, m=matrices: replace(system, matrices=m))  # type: ignore[misc]
            assert next(claim_faults(changed)).endswith("are not those of the two runs")


def test_letters_come_about_as_hidden_moves_say() -> None:
    claim = claim_of(RESTS, "behind")
    question: Any = claim.question
    quantity = question.quantity
    assert isinstance(quantity, Observed)
    assert quantity.hidden is not None
    assert fault_of(claim) == ""
    hidden, hmm = quantity.hidden, quantity.hidden.hmm

    def fault(**changes: Any) -> str:
        changed = replace(quantity, hidden=replace(hidden, **changes))
        return fault_of(asking(claim, replace(question, quantity=changed)))

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
    assert isinstance(question, Measure)
    half = tuple((state, weight / 2) for state, weight in question.start)
    assert fault_of(asking(likely, replace(question, start=half))) == "the start has mass 1/2"

    def halved(table: Table) -> Table:
        both = table.compared
        assert isinstance(both, TwoSystems)
        start = tuple(weight / 2 for weight in both.abstract.start)
        return replace(table, compared=replace(both, abstract=replace(both.abstract, start=start)))

    assert fault_of(with_table(same, halved)) == "the start has mass 1/2"


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
    assert fault_of(with_table(claim, lambda table: replace(table, epsilon=epsilon))) == fault


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

    def fault(change: Callable[[Table], Table]) -> str:
        changed = with_table(asking(claim, shorter), change).question
        return fault_of(asking(claim, replace(question, shorter=(changed,))))

    def lighter(table: Table) -> Table:
        return replace(table, sides=tuple(replace(side, weight=HALF) for side in table.sides))

    assert "its weight is 1/2" in fault(lighter)
    (first, *others) = shorter.tables[0].system.matrices
    halved = tuple(tuple((column, weight / 2) for column, weight in row) for row in first)
    lossy = replace(shorter.tables[0].system, matrices=(halved, *others))
    assert "the weights of" in fault(lambda table: replace(table, compared=lossy))


@pytest.mark.parametrize("delta", [-HALF, Fraction(2)])
def test_a_delta_is_a_probability(delta: Fraction) -> None:
    claim = claim_of(AUTOMATON, "one")
    question: Any = claim.question
    assert fault_of(asking(claim, replace(question, delta=delta))) == f"delta is {delta}"


@pytest.mark.parametrize(
    ("inputs", "fault"),
    [
        ((0, 1), "the weights of `s` for input 0 sum to 1/2, not to 1"),
        ((0, 0), ""),
        ((-1, -1), ""),
        ((-1, 0), "the weights of `s` without an input sum to 1/2, not to 1"),
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
    wrong = replace(question, quantity=replace(question.quantity, specified=(ONE, ONE, ZERO)))
    assert fault_of(asking(claim, wrong)).endswith("to 2")
