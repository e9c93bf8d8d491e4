"""Observations of weight 0: those that a table lists have likelihood 0, any other is a slip."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.driver import check_text
from pfl.engines.answer import Computed

TABLE = """
hmm Weather(w: real) {
    states s, t;  init s: 1/2, t: 1/2;  s -> t;  t -> s;
    s emits 1: 1 - w, 2: w, 3: 0;
    t emits 1: 1/2, 4: 1/2;
}
"""


def likelihood(word: str, w: str = "0") -> object:
    (result,) = check_text(f"{TABLE} compute likelihood Weather({w}) {{ observations {word}; }}").results
    assert isinstance(result.verdict, Computed)
    return result.verdict.value


@pytest.mark.parametrize("word", ["3", "1, 3", "3, _, 1", "2", "2, 3"])
def test_a_letter_that_is_listed_with_weight_0_has_likelihood_0(word: str) -> None:
    assert likelihood(word) == 0


def test_other_letters_keep_their_likelihoods() -> None:
    assert likelihood("1, _, 4") == Fraction(1, 8)
    assert likelihood("2", w="1/3") == Fraction(1, 6)


def test_a_letter_that_is_listed_nowhere_is_a_fault() -> None:
    findings = check_text(f"{TABLE} compute likelihood Weather(0) {{ observations 5; }}")
    (fault,) = findings.diagnostics
    assert str(fault.code) == "PFL0550"
    assert fault.help == "the observations are `1`, `4`, `2`, `3`"
