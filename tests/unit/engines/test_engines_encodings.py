"""The two encodings: shape, size, logic, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from smt_samples import BOTH, COMMUTE, JOHN, NONE, NOT_JOHN, SURVEY, P, check

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.engines.ratio.bounded_obligation import Threshold, obligations, threshold
from pfl.engines.smt import encode_linear, encode_pufferfish_check, z3
from pfl.engines.smt.encode_pufferfish_check import emission_form
from pfl.engines.smt.model_values import Expression, read_expressions
from pfl.engines.smt.query import Encode, Query
from pfl.engines.smt.smtlib import script_text
from pfl.engines.smt.solver_outcome import Unsatisfiable
from pfl.model.compare import Compare, Side
from pfl.model.labelled_system import LabelledSystem

F = Fraction
LN2 = Epsilon.ln(F(2))
WELL, SICK = Side(label="well", vector=(F(1), F(0))), Side(label="sick", vector=(F(0), F(1)))
ENCODERS = {"linear": encode_linear.encode, "pufferfish-check": encode_pufferfish_check.encode}


@pytest.fixture(params=ENCODERS)
def encode(request: pytest.FixtureRequest) -> Encode:
    return ENCODERS[request.param]


def query(question: Compare, encode: Encode) -> Query:
    obligation = next(obligations(question))
    epsilon = obligation.epsilon
    assert epsilon is not None
    bound = threshold(epsilon, 24, symbolic=bool(obligation.space.parameters))
    return encode(obligation, bound, Budget())


def text(question: Compare, encode: Encode) -> str:
    return script_text(query(question, encode).script)


def lists(inner: Expression) -> Iterator[list[Expression]]:
    if isinstance(inner, list):
        yield inner
        for entry in inner:
            yield from lists(entry)


def is_literal(inner: Expression) -> bool:
    return inner[0].isdigit() if isinstance(inner, str) else inner[0] in ("-", "/") and all(map(is_literal, inner[1:]))


@pytest.mark.parametrize(
    ("question", "logic"),
    [
        (check(NONE, BOTH, LN2, (3,)), "QF_LRA"),
        (check(WELL, SICK, LN2, (3,), COMMUTE), "QF_LRA"),
        (check(JOHN, NOT_JOHN, LN2, (3,)), "QF_NRA"),
    ],
)
def test_logic_commands_and_division(question: Compare, logic: str, encode: Encode) -> None:
    commands = read_expressions("\n".join(line for line in text(question, encode).splitlines() if line[:1] != ";"))
    heads = Counter(command[0] for command in commands if isinstance(command, list))
    assert commands[1] == ["set-logic", logic]
    assert heads["check-sat"] == heads["set-logic"] == heads["get-value"] == 1
    assert [command[0] for command in commands[-2:]] == ["check-sat", "get-value"]
    for inner in (found for command in commands for found in lists(command)):
        if inner and inner[0] == "/":
            assert len(inner) == 3
            assert all(isinstance(part, str) and part.removesuffix(".0").isdigit() for part in inner[1:])
        if inner and inner[0] == "*" and logic == "QF_LRA":
            assert sum(not is_literal(part) for part in inner[1:]) == 1


def test_text_grows_linearly_with_the_length(encode: Encode) -> None:
    sizes = [len(text(check(WELL, SICK, LN2, (length,), COMMUTE), encode)) for length in (10, 20, 30)]
    assert sizes[2] - sizes[1] < 1.25 * (sizes[1] - sizes[0])


def test_text_is_the_same_every_time(encode: Encode) -> None:
    question = check(JOHN, NOT_JOHN, LN2, (2,))
    assert text(question, encode) == text(question, encode)


def test_names_of_variables() -> None:
    linear = text(check(WELL, SICK, LN2, (2,), COMMUTE), encode_linear.encode)
    literal = text(check(WELL, SICK, LN2, (2,), COMMUTE), encode_pufferfish_check.encode)
    for name in ("w0.quiet () Bool", "w1.cough () Bool", "x1.well () Real", "x2.sick () Real"):
        assert f"(declare-fun {name})" in linear
    for name in ("w0", "w1", "alpha0.well", "alpha1.before.well", "alpha1.well", "beta0.sick", "beta1.sick"):
        assert f"(declare-fun {name} () Real)" in literal


def test_letters_that_cannot_occur_are_no_choice_of_the_linear_text() -> None:
    """Left starts in a state that only shows `zero` and stays."""
    matrices = tuple(
        tuple(
            () if state == 0 and letter else ((state, F(1) if state == 0 else weight),)
            for state, ((_, weight),) in enumerate(matrix)
        )
        for letter, matrix in enumerate(SURVEY.matrices)
    )
    shown = query(check(NONE, BOTH, LN2, (2,), replace(SURVEY, matrices=matrices)), encode_linear.encode).choices
    assert [[letter for letter, _ in choice] for choice in shown] == [[0], [0]]


def test_no_letter_at_all_is_unsatisfiable(encode: Encode) -> None:
    dead = LabelledSystem(states=("s",), letters=("a",), matrices=(((),),), stochastic=False)
    one = Side(label="one", vector=(F(1),))
    question = check(one, one, LN2, (2,), dead)
    obligation = list(obligations(question))[2]
    assert obligation.length == 2
    built = encode(obligation, Threshold(c=F(2), exact=True), Budget())
    assert z3.solve(built.script, 30) == Unsatisfiable()


def test_many_letters_exclude_each_other_without_saying_so_of_every_pair() -> None:
    size = 60
    many = LabelledSystem(
        states=("s", "t"),
        letters=tuple(f"a{letter}" for letter in range(size)),
        matrices=tuple((((0, F(1, size)),), ((1, F(2 * (letter + 1), size * (size + 1))),)) for letter in range(size)),
    )
    built = query(check(SICK, WELL, Epsilon.ln(F(118, 61)), (1,), many), encode_linear.encode)
    assert script_text(built.script).count("(assert (not") < 2 * size
    outcome = z3.solve(built.script, 30)
    assert not isinstance(outcome, Unsatisfiable)
    assert built.word(outcome.model) == (size - 1,)  # type: ignore[union-attr]


def test_emission_form() -> None:
    found = emission_form(COMMUTE)
    assert found is not None
    assert found.observes == ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    assert found.moves == (((0, F(17, 20)), (1, F(3, 20))), ((0, F(3, 20)), (1, F(17, 20))))


def test_a_letter_that_tells_the_next_state_has_no_emission_form() -> None:
    telling = LabelledSystem(
        states=("s", "t"),
        letters=("a", "b"),
        matrices=((((0, F(1, 2)),), ((0, F(1)),)), (((1, F(1, 2)),), ())),
    )
    assert emission_form(telling) is None
    assert emission_form(replace(COMMUTE, stochastic=False)) is None


def test_emission_form_with_parameters_needs_polynomials() -> None:
    def lazy(stay: object) -> LabelledSystem:
        rows = (((0, stay), (1, 1 - stay)), ((0, 1 - stay), (1, stay)))  # type: ignore[operator]
        return LabelledSystem(states=("s", "t"), letters=("a",), matrices=(rows,))  # type: ignore[arg-type]

    assert emission_form(lazy(P)) is not None
    assert emission_form(lazy(P / (1 + P))) is None


def test_a_query_that_is_too_large_is_not_begun(encode: Encode) -> None:
    obligation = next(obligations(check(WELL, SICK, LN2, (10**9,), COMMUTE)))
    with pytest.raises(LimitReached, match="would have 8000000000 coefficients"):
        encode(obligation, Threshold(c=F(2), exact=True), Budget())


def test_writing_a_query_heeds_the_time_limit(encode: Encode) -> None:
    obligation = next(obligations(check(WELL, SICK, LN2, (3,), COMMUTE)))
    with pytest.raises(LimitReached):
        encode(obligation, Threshold(c=F(2), exact=True), Budget(deadline=0.0))
