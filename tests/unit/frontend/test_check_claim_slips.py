"""What a newcomer writes in a claim, and what is said about it: one error each, with what to write instead."""

from __future__ import annotations

import pytest
from checking import message

MODEL = """
mechanism g(x: 0..2) { forever { emit x; } }
mechanism c() -> bool { return true; }
adjacency one(a: 0..2, b: 0..2) = abs(a - b) <= 1;
"""


def test_a_clause_of_another_kind_names_that_kind() -> None:
    _, advice = message(MODEL + "check privacy g { secrets x == 1 vs x == 2; epsilon 0; length 1; }")
    assert advice is not None
    assert advice.startswith("`secrets` is a clause of `check pufferfish`; those of `privacy` are `adjacent`, ")
    _, advice = message(MODEL + "compute probability c { terminates; at least 1/2; }")
    assert advice is not None
    assert advice.startswith("`at least` is a clause of `check probability`; ")
    _, advice = message(MODEL + "check privacy g { adjacent one; eps 0; length 1; }")
    assert advice == "did you mean `epsilon`?"


@pytest.mark.parametrize(
    "clauses",
    [
        "secret x == 1 vs x == 2; prior p; epsilon 0;",
        "secrets x == 1 vs x == 2; priors p; epsilon 0;",
        "secrets x == 1 vs x == 2; prior p; eps 0;",
        "betwen { 0: 1 } and { 1: 1 }; epsilon 0;",
        "forr n in 0..2; between { 0: 1 } and { 1: 1 }; epsilon n;",
    ],
)
def test_a_misspelt_clause_is_one_error_with_a_suggestion(clauses: str) -> None:
    text = f"""
        mechanism m(q: 0..1) -> bool {{ return q == 1; }}
        prior p for m {{ x ~ uniform(0..1); start q = x; }}
        check pufferfish m {{ {clauses} }}
    """
    _, advice = message(text)
    assert advice is not None
    assert advice.startswith("did you mean `")


def test_secrets_are_about_what_a_prior_draws_not_about_inputs() -> None:
    mechanism = "mechanism m(q: bool) -> bool { return q; } "
    assert message(mechanism + "check pufferfish m { secrets q vs not q; epsilon 1; }") == (
        "`check pufferfish` needs the clause `prior`: it draws the inputs of `m`, and what `secrets` names",
        "declare `prior p for m { .. }` and write `prior p;`; "
        "to compare inputs without a prior, give an adjacency: `check privacy m { adjacent R; .. }`",
    )
    prior = "prior p for m { start q ~ bernoulli(1/2); } "
    assert message(mechanism + prior + "check pufferfish m { prior p; secrets q vs not q; epsilon 1; }") == (
        "unknown name `q`",
        "secrets are about what a prior draws: draw `v ~ ..;`, `start q = v;`, and name `v`",
    )


def test_what_is_compared_has_finitely_many_values() -> None:
    mechanism = "mechanism m(x: int) -> bool { return x > 1; } adjacency r(a: 0..2, b: 0..2) = true; "
    assert message(mechanism + "check privacy m { adjacent r; epsilon 1; }") == (
        "`m` is not given `x`",
        "write `m(x)`; if `x` is what is compared, give it finitely many values: `x: 0..10`",
    )
    mechanism = "mechanism m(x: 0..2) -> bool { return x > 1; } "
    said, _ = message(mechanism + "adjacency r(a: int, b: int) = true; check privacy m { adjacent r; epsilon 1; }")
    assert said == "adjacency `r` relates no inputs: claims give all its parameters a value"
    assert message(mechanism + "check privacy m { adjacent abs(x - 1) <= 1; epsilon 1; }")[1] == (
        "declare the relation: `adjacency R(a: T, b: T) = ..;`, and write `adjacent R;`"
    )


def test_expected_what() -> None:
    text = "hmm H { state x: bool = true; } compute expected H { until x; }"
    assert message(text)[1] == "did you mean `expected steps` or `expected cost`?"


def test_every_length_is_called_any() -> None:
    _, advice = message(MODEL + "check privacy g { adjacent one; epsilon 0; length all; }")
    assert advice == "write a whole number, or `length any;` for every length"


def test_an_adjacency_without_halves_is_reported_where_it_is_declared_alone() -> None:
    text = "mechanism m(q: bool) -> bool { return q; } adjacency r(a: bool) = a; "
    wanted = "adjacency `r` has 1 input, not as many left as right ones"
    assert message(text + "check privacy m { adjacent r; epsilon 1; }")[0] == wanted


def test_a_kind_that_is_also_a_clause_is_told_with_its_verb() -> None:
    said, _ = message(MODEL + "compute epsilon g { adjacent one; epsilon 1; length 1; }")
    assert said == "`compute epsilon` of a mechanism has no clause `epsilon`"


def test_a_secret_is_a_condition() -> None:
    hmm = "hmm H { state x: 0..1; init x ~ uniform(0..1); emit x; } "
    assert message(hmm + "check pufferfish H { secrets x vs x == 1; epsilon 1; length 1; }") == (
        "a secret must be a bool, not an int",
        "compare it with a value: `x == ..`",
    )


def test_a_clause_that_a_kind_can_do_without_is_told_why() -> None:
    system = "automaton A { states a, b; start a; query q; output x; a -- q --> b; b -- x --> a; }"
    headline, advice = message(system + "check implements A of A { length 3; }")
    assert headline == "`implements` of an automaton has no clause `length`"
    assert advice == (
        "`length` is a clause of `check noninterference`; leave it out here: behaviour is compared for any number of "
        "inputs"
    )
