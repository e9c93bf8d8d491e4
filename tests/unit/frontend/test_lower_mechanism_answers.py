"""Mechanisms whose smallest epsilon is known, from their text to the largest ratio."""

from __future__ import annotations

from fractions import Fraction

import pytest
from mechanism_models import INFINITE, Models, largest_ratio

from pfl.model.values import FALSE, TRUE

GEOMETRIC = """
dist geometric(x: 0..2) over 0..2 = match x {
    0 => { 0: 2/3, 1: 1/6, 2: 1/6 },
    1 => { 0: 1/3, 1: 1/3, 2: 1/3 },
    _ => { 0: 1/6, 1: 1/6, 2: 2/3 },
};
dist one_sided(x: 0..2) over 0..2 = match x {
    0 => { 0: 1/2, 1: 1/4, 2: 1/4 },
    1 => { 1: 1/2, 2: 1/2 },
    _ => { 2: 1 },
};
type Query = [N] of 0..2;
adjacency up(a: Query, b: Query) = forall i in 0..N-1: b[i] - a[i] in 0..1;
adjacency all_up(a: Query, b: Query) = forall i in 0..N-1: b[i] - a[i] == 1;
adjacency each_by_one(a: Query, b: Query) = forall i in 0..N-1: abs(a[i] - b[i]) <= 1;
adjacency one_by_one(a: Query, b: Query) =
    each_by_one(a, b) and count(i for i in 0..N-1 if a[i] != b[i]) <= 1;
"""


def noisy_max(queries: int, noise: str = "geometric") -> Models:
    return Models(
        f"""
const N = {queries};
{GEOMETRIC}
mechanism index(q: Query) -> 0..N-1 {{
    var best = 0;  var top = -1;
    for i in 0..N-1 {{
        let noisy ~ {noise}(q[i]);
        if noisy > top {{ top = noisy; best = i; }}
    }}
    return best;
}}
mechanism value(q: Query) -> 0..2 {{
    var top = -1;
    for x in q {{ let noisy ~ {noise}(x); top = max([top, noisy]); }}
    return top;
}}
"""
    )


@pytest.mark.parametrize(
    ("queries", "all_up"), [(2, Fraction(4, 3)), (3, Fraction(40, 17)), (4, Fraction(48, 11)), (5, Fraction(544, 65))]
)
def test_index_of_noisy_max(queries: int, all_up: Fraction) -> None:
    models = noisy_max(queries)
    assert largest_ratio(models.compare("index", "all_up"), 1)[0] == all_up
    assert largest_ratio(models.compare("index", "up"), 1)[0] == 2 ** (queries - 1)
    if queries < 5:
        assert largest_ratio(models.compare("index", "one_by_one"), 1)[0] == 2
        assert largest_ratio(models.compare("index", "each_by_one"), 1)[0] == 2**queries


def test_discretised_noisy_max_names_the_worst_pair() -> None:
    models = noisy_max(3)
    assert models.distribution("index", (1, 1, 1)).weight(2) == Fraction(5, 27)
    assert models.distribution("index", (2, 2, 0)).weight(2) == Fraction(5, 216)


@pytest.mark.parametrize("queries", [2, 3, 4])
def test_value_of_noisy_max(queries: int) -> None:
    assert largest_ratio(noisy_max(queries).compare("value", "one_by_one"), 1)[0] == 2


def test_one_sided_noise_has_no_epsilon() -> None:
    models = noisy_max(2, "one_sided")
    assert largest_ratio(models.compare("index", "one_by_one"), 1) == (INFINITE, ["1"])
    assert models.distribution("index", (1, 0)).weight(1) == Fraction(1, 8)
    assert models.distribution("index", (2, 0)).weight(1) == 0


def test_a_wrong_randomised_response() -> None:
    models = Models(
        """
mechanism response(truth: bool) -> bool {
    let keep ~ bernoulli(3/4);
    if keep { return truth; }
    let lie_is_true ~ bernoulli(3/4);
    return if lie_is_true then truth else not truth;
}
adjacency other(a: bool, b: bool) = a != b;
"""
    )
    assert models.distribution("response", TRUE).weight(TRUE) == Fraction(15, 16)
    assert models.distribution("response", FALSE).weight(TRUE) == Fraction(1, 16)
    assert largest_ratio(models.compare("response", "other"), 1)[0] == 15


ABOVE_THRESHOLD = (
    GEOMETRIC
    + """
dist quarter(x: 0..2) over 0..2 = match x {
    0 => { 0: 4/5, 1: 3/20, 2: 1/20 },
    1 => { 0: 1/5, 1: 3/5, 2: 1/5 },
    _ => { 0: 1/20, 1: 3/20, 2: 4/5 },
};
mechanism above(q: Query) emits {bot, top} {
    let threshold ~ quarter(0);
    for x in q {
        let noisy ~ geometric(x);
        if noisy >= threshold { emit top; return; }
        emit bot;
    }
}
mechanism online() emits {bot, top} {
    let threshold ~ quarter(0);
    forever {
        receive x: 0..2;
        let noisy ~ geometric(x);
        if noisy >= threshold { emit top; return; }
        emit bot;
    }
}
adjacency by_one(a: 0..2, b: 0..2) = abs(a - b) <= 1;
"""
)


@pytest.mark.parametrize("queries", [1, 2, 3])
def test_above_threshold(queries: int) -> None:
    models = Models(f"const N = {queries};\n{ABOVE_THRESHOLD}")
    compared = models.compare("above", "each_by_one")
    assert largest_ratio(compared, queries)[0] == 2**queries
    assert largest_ratio(models.compare("above", "one_by_one"), queries)[0] == 2
    assert models.system("above").whole_run == (queries,)


@pytest.mark.parametrize("queries", [1, 2, 3])
def test_above_threshold_online_is_the_same(queries: int) -> None:
    models = Models(f"const N = {queries};\n{ABOVE_THRESHOLD}")
    assert largest_ratio(models.compare("online", received="by_one"), queries)[0] == 2**queries
    assert largest_ratio(models.compare("online", received="by_one", limit=1), queries)[0] == 2
    assert largest_ratio(models.compare("online"), queries)[0] == 1


def test_above_threshold_at_five_queries_on_the_worst_pair() -> None:
    """Results 1,1,1,1,1 against 2,2,2,2,0: bot four times, then top, with 11/2430 against 11/77760."""
    models = Models(f"const N = 5;\n{ABOVE_THRESHOLD}")
    built = models.system("above")
    letters = [built.system.letters.index(text) for text in ("bot", "bot", "bot", "bot", "top")]
    masses = [
        built.system.mass(built.vector(built.left[built.inputs.index((inputs,))]), letters)
        for inputs in ((1, 1, 1, 1, 1), (2, 2, 2, 2, 0))
    ]
    assert masses == [Fraction(11, 2430), Fraction(11, 77760)]
