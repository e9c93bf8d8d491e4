"""The smallest epsilon with an additive delta."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.driver import check_text
from pfl.engines.answer import Computed, Unknown

RESPONSE = """
mechanism m(x: bool) -> bool { return bernoulli(if x then 1/4 else 3/4); }
adjacency other(a: bool, b: bool) = a != b;
"""
LEAK = """
mechanism m(x: bool) -> bool { return if x then { true: 1 } else { true: 9/10, false: 1/10 }; }
adjacency other(a: bool, b: bool) = a != b;
"""
CHAIN = """
hmm H {
    state x: 0..1;
    init x ~ uniform(0..1);
    step x ~ { x: 2/3, 1 - x: 1/3 };
    emit { x: 3/5, 1 - x: 2/5 };
}
"""
SECRETS = "secrets x@0 == 0 vs x@0 == 1;"


def ratio(model: str) -> object:
    (result,) = check_text(model).results
    assert isinstance(result.verdict, Computed)
    assert result.verdict.bound is not None
    return result.verdict.bound.ratio


@pytest.mark.parametrize(
    ("model", "delta", "expected"),
    [
        (RESPONSE, "1/10", Fraction(13, 5)),
        (RESPONSE, "49/100", Fraction(26, 25)),
        (RESPONSE, "1/2", Fraction(1)),
        (RESPONSE, "1", Fraction(1)),
        (LEAK, "1/10", Fraction(1)),
        (LEAK, "1/20", "inf"),
    ],
)
def test_known_ratios(model: str, delta: str, expected: object) -> None:
    assert ratio(f"{model} compute epsilon m {{ adjacent other; delta {delta}; }}") == expected


@pytest.mark.parametrize("delta", ["1/1000", "1/100", "1/20"])
@pytest.mark.parametrize("length", ["1", "4", "any"])
def test_the_delta_at_the_ratio_that_is_found_is_the_one_given(delta: str, length: str) -> None:
    found = ratio(f"{CHAIN} compute epsilon H {{ {SECRETS} length {length}; delta {delta}; }}")
    assert isinstance(found, Fraction)
    (result,) = check_text(f"{CHAIN} compute delta H {{ {SECRETS} length {length}; epsilon ln({found}); }}").results
    assert isinstance(result.verdict, Computed)
    assert result.verdict.value == Fraction(delta)
    below = found * Fraction(999, 1000)
    claims = f"""
        check pufferfish H {{ {SECRETS} length {length}; epsilon ln({found}); delta {delta}; }}
        check pufferfish H {{ {SECRETS} length {length}; epsilon ln({below}); delta {delta}; }}
    """
    assert [r.verdict.word for r in check_text(CHAIN + claims).results] == ["proved", "refuted"]


def test_several_lengths_have_a_value_each() -> None:
    (result,) = check_text(f"{CHAIN} compute epsilon H {{ {SECRETS} length 1..3; delta 1/100; }}").results
    assert isinstance(result.verdict, Computed)
    assert [(named.name, named.value) for named in result.verdict.values] == [
        ("length 1", Fraction(59, 40)),
        ("length 2", Fraction(93, 56)),
        ("length 3", Fraction(699, 416)),
    ]


def test_under_parameters_it_is_undecided() -> None:
    model = """
        param p in (1/4, 1/3);
        mechanism m(x: bool) -> bool { return bernoulli(if x then p else 1 - p); }
        adjacency other(a: bool, b: bool) = a != b;
        compute epsilon m { adjacent other; delta 1/10; }
    """
    (result,) = check_text(model).results
    assert isinstance(result.verdict, Unknown)
    assert not result.verdict.is_internal
    assert "--set" in result.verdict.reason
