"""Mechanisms that draw noise without bounds, from text to numbers: what is merged, what is not, and what is told."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl import Computed, Options, Proved, Refuted, check_text

EPS = "param eps in (0, inf);\n"


def results(body: str, claim: str = "compute d: distribution noisy;") -> dict[str, str]:
    """The results of a mechanism and their probabilities."""
    (result,) = check_text(f"{EPS}{body}\n{claim}", Options(debug=True)).results
    assert isinstance(result.verdict, Computed), result.verdict
    return {each.name: str(each.value) for each in result.verdict.values}


@pytest.mark.parametrize("change", ["c ~ bernoulli(1/2)", "z ~ laplace(0, 1/eps); let c = z > 0"])
def test_a_sample_and_its_copies_are_told_apart_where_neither_is_compared_with_others(change: str) -> None:
    """After the change nothing is asked of the sample itself: `y > x` is known."""
    body = f"let x ~ laplace(1, 1/eps); var y = x; let {change}; if c {{ y = x + 1; }} let d ~ bernoulli(1/3);"
    assert results(f"mechanism noisy() -> bool {{ {body} return y > x and d; }}") == {"false": "5/6", "true": "1/6"}


def test_comparisons_that_follow_from_others_are_not_decided_again() -> None:
    body = """mechanism noisy() -> bool {
        let x ~ laplace(0, 1/eps);
        let y ~ laplace(0, 1/eps);
        if x < y { if y < 2 { assert x < 3; assert not (x - 1 > y); } } else { assert y <= x + 1; }
        if x == 1 { assert false; }
        return x > 0;
    }"""
    assert results(body) == {"false": "1/2", "true": "1/2"}


def test_faults_of_probability_zero_are_none_and_others_are() -> None:
    never = "let x ~ exponential(1/eps); assert x >= 0; let y ~ laplace(0, 1/eps); if y == 0 { assert false; }"
    assert results(f"mechanism noisy() -> bool {{ {never} return true; }}") == {"true": "1"}
    text = f"{EPS}mechanism noisy() -> bool {{ let x ~ exponential(1/eps); assert x <= 1000; return true; }}"
    (diagnostic,) = check_text(text + "\ncompute d: distribution noisy;", Options(debug=True)).diagnostics
    assert str(diagnostic.code) == "PFL0441"


def test_loops_may_draw_anew() -> None:
    body = """mechanism noisy() -> bool {
        var x ~ laplace(1, 1/eps);
        while x < 0 { x ~ laplace(1, 1/eps); }
        return x > 1;
    }"""
    assert results(body)["true"] == "1/(2 - exp(-eps))"


@pytest.mark.parametrize(
    "use",
    ["return [true, false][x];", "return x + x > 1;", "return x mod 2 == 0;", "let b ~ bernoulli(x); return b;"],
)
def test_a_misuse_has_a_place(use: str) -> None:
    text = f"{EPS}mechanism noisy() -> bool {{ let x ~ geometric(exp(-eps)); {use} }}\ncompute d: distribution noisy;"
    (diagnostic,) = check_text(text, Options(debug=True)).diagnostics
    assert str(diagnostic.code) == "PFL0482"
    assert diagnostic.labels


DELTA = f"""{EPS}
mechanism noisy(q: 0..1) -> bool {{ let x ~ laplace(q, 1/eps); return x > 0; }}
adjacency other(a: 0..1, b: 0..1) = a != b;
check holds: privacy noisy {{ adjacent other; epsilon 1/3; delta 2/25; }}
compute smallest: delta noisy {{ adjacent other; epsilon 1/3; }}
compute half: delta noisy {{ adjacent other; epsilon eps/3; }}
"""


def test_deltas_at_one_value_take_any_rational_epsilon() -> None:
    """They are 1/2 - e^(1/3) e^(-1/2)/2, and the same with 1/6."""
    findings = check_text(DELTA, Options(debug=True, settings={"eps": Fraction(1, 2)}))
    holds, smallest, half = (result.verdict for result in findings.results)
    assert isinstance(holds, Proved)
    assert isinstance(smallest, Computed)
    assert isinstance(half, Computed)
    assert _holds(smallest.value, 0.07675914)
    assert _holds(half.value, 0.14173434)


def _holds(value: object, number: float) -> bool:
    low, high = (getattr(value, end, value) for end in ("low", "high"))
    return float(low) - 1e-7 <= number <= float(high) + 1e-7


def test_what_lists_its_values_may_be_drawn_anywhere() -> None:
    """Mechanisms that return what comparisons give, in a prior and in a hidden Markov model."""
    text = f"""{EPS}
    mechanism high(m: 0..1) -> bool {{ let z ~ laplace(m, 1/eps); return z > 1; }}
    hmm Walk {{ state x: bool; init x ~ high(1); step x ~ high(if x then 1 else 0); emit x; }}
    mechanism noisy(m: bool) -> bool {{ return high(if m then 1 else 0); }}
    prior drawn for noisy {{ j ~ high(1); start m = j; }}
    compute walk: likelihood Walk {{ observations false, true; }}
    compute told: epsilon noisy {{ prior drawn; secrets j vs not j; }}
    """
    walk, told = (result.verdict for result in check_text(text, Options(debug=True)).results)
    assert isinstance(walk, Computed)
    assert isinstance(told, Computed)
    assert (str(walk.value), str(told.value)) == ("exp(-eps)/4", "eps")


@pytest.mark.parametrize(("delta", "holds"), [("9/20", True), ("1/4", False), ("exp(-2)", False)])
def test_a_delta_may_stand_beside_an_epsilon_with_a_constant(delta: str, holds: bool) -> None:
    """The excess 1 - e^(-eps/2)/2 - e^(1/10)/2 grows to 0.447..; e^(1/10) is enclosed."""
    text = f"""{EPS}
    mechanism noisy(q: 0..1) -> bool {{ let x ~ laplace(q, 1/eps); return x > 1/2; }}
    adjacency other(a: 0..1, b: 0..1) = a != b;
    check told: privacy noisy {{ adjacent other; epsilon eps/2 + 1/10; delta {delta}; }}
    """
    (result,) = check_text(text, Options(debug=True)).results
    assert isinstance(result.verdict, Proved if holds else Refuted)
