"""Secrets whose moments are bound variables, against the sum over all paths of the chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest

from pfl.base import codes
from pfl.driver import compile_text
from pfl.model.compare import Compare, Comparison

MODEL = """
const K = 1;
hmm H {
    state x: 0..2;  state on: [2] of bool;
    init { x ~ uniform(0..2); on = [x == 0, x == 1]; }
    emit if x == 0 then { a: 1/3, b: 2/3 } else { a: 3/5, b: 2/5 };
    step { x ~ if on[0] then { 0: 1/2, 1: 1/2 } else { (x + k) mod 3: 1/4 + k/2 for k in 0..1 }; on = [x == 0, on[0]]; }
}
prior told for H { who ~ uniform(0..1); start x = 1 + who; start on = [who == 0, false]; }
fn odd(n: int): bool = n mod 2 == 1;
"""

World = int
State = tuple[int, tuple[bool, bool]]
Path = Sequence[State]
HORIZON = 3


def moves(state: State) -> dict[State, Fraction]:
    x, on = state
    if on[0]:
        row = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    else:
        row = {x: Fraction(1, 4), (x + 1) % 3: Fraction(3, 4)}
    return {(target, (target == 0, on[0])): weight for target, weight in row.items()}


def paths() -> list[tuple[World, Path, Fraction]]:
    """Every path from the prior, with the world that was drawn, and its probability."""
    found: list[tuple[World, Path, Fraction]] = [
        (who, ((1 + who, (who == 0, False)),), Fraction(1, 2)) for who in (0, 1)
    ]
    for _ in range(HORIZON):
        found = [
            (who, (*path, target), weight * move)
            for who, path, weight in found
            for target, move in moves(path[-1]).items()
        ]
    return found


SHOWN = {True: {"a": Fraction(1, 3), "b": Fraction(2, 3)}, False: {"a": Fraction(3, 5), "b": Fraction(2, 5)}}
"""What is emitted in the state 0, and in the others."""


def seen(path: Path, word: Sequence[str]) -> Fraction:
    """The probability that a path shows a word."""
    total = Fraction(1)
    for (x, _), letter in zip(path, word):
        total *= SHOWN[x == 0][letter]
    return total


SECRETS: list[tuple[str, Callable[[World, Path], bool]]] = [
    ("exists t in 0..2: x@t == 2", lambda _, p: any(p[t][0] == 2 for t in range(3))),
    ("forall t in 0..2: x@t != 2", lambda _, p: all(p[t][0] != 2 for t in range(3))),
    ("count(t for t in 0..3 if x@t == 0) == 1", lambda _, p: sum(p[t][0] == 0 for t in range(4)) == 1),
    ("sum(x@t for t in 1..3) > 2", lambda _, p: sum(p[t][0] for t in range(1, 4)) > 2),
    ("max(x@t for t in 0..1) > who", lambda w, p: max(p[0][0], p[1][0]) > w),
    ("min(x@t * t for t in 1..2) == who", lambda w, p: min(p[t][0] * t for t in (1, 2)) == w),
    (
        "exists t in 0..1: exists u in t..3: x@t == x@u and u > t",
        lambda _, p: any(p[t][0] == p[u][0] for t in range(2) for u in range(t, 4) if u > t),
    ),
    ("forall t in 0..2: t > 0 => x@(t - 1) != x@t", lambda _, p: all(p[t - 1][0] != p[t][0] for t in (1, 2))),
    (
        "exists t in 0..2: t > 0 and on[0]@(t - 1) and on@t[1]",
        lambda _, p: any(p[t - 1][1][0] and p[t][1][1] for t in (1, 2)),
    ),
    ("exists t in 0..2: if t == 0 then false else x@(t - K) == 2", lambda _, p: any(p[t - 1][0] == 2 for t in (1, 2))),
    (
        "count(i for i in 0..1 if exists t in 1..2: on[i]@t) == 1",
        lambda _, p: sum(any(p[t][1][i] for t in (1, 2)) for i in range(2)) == 1,
    ),
    (
        "count(i for i in 0..1 for t in 1..2 if on[i]@t) > 1",
        lambda _, p: sum(p[t][1][i] for t in (1, 2) for i in range(2)) > 1,
    ),
    (
        "count(t for t in 1..2 for i in 0..1 if on@t[i]) > 1",
        lambda _, p: sum(p[t][1][i] for t in (1, 2) for i in range(2)) > 1,
    ),
    (
        "sum(x@t for i in 0..x@0 for t in 0..K if t <= i) > 1",
        lambda _, p: sum(p[t][0] for i in range(p[0][0] + 1) for t in (0, 1) if t <= i) > 1,
    ),
    ("size({t in 0..3 | x@t == who}) == 1", lambda w, p: sum(p[t][0] == w for t in range(4)) == 1),
    ("size({x@t for t in 0..2}) == 2", lambda _, p: len({p[t][0] for t in range(3)}) == 2),
    ("[x@t for t in 0..2 if odd(t)] == [2]", lambda _, p: p[1][0] == 2),
    ("bag {x@t for t in 0..2} == bag {0, 0, 1}", lambda _, p: sorted(p[t][0] for t in range(3)) == [0, 0, 1]),
    ("exists t in {u in 0..3 | odd(u)}: x@t == 0", lambda _, p: any(p[t][0] == 0 for t in (1, 3))),
    ("exists t in [0, 2, 3]: x@t == 0", lambda _, p: any(p[t][0] == 0 for t in (0, 2, 3))),
    (
        "exists t in 0..3: match t { 0 => false, 1 | 3 => x@(t - 1) == 2, _ => x@t == x@(t - 2) }",
        lambda _, p: p[0][0] == 2 or p[2][0] == 2 or p[2][0] == p[0][0],
    ),
    (
        "(exists t in 0..2: x@t == 2) != (forall t in 1..2: x@t == x@0)",
        lambda _, p: any(p[t][0] == 2 for t in range(3)) != all(p[t][0] == p[0][0] for t in (1, 2)),
    ),
    ("x@(max(t for t in 0..2)) == x@(sum(1 for t in 0..0))", lambda _, p: p[2][0] == p[1][0]),
    (
        "exists t in 0..2: (exists i in 0..1: on[i])@t and x == 1",
        lambda _, p: any(any(p[t][1]) for t in range(3)) and p[0][0] == 1,
    ),
]


def given(holds: Callable[[World, Path], bool], word: Sequence[str]) -> Fraction:
    """The probability of a word, given a secret."""
    kept = [(path, weight) for who, path, weight in paths() if holds(who, path)]
    return sum((weight * seen(path, word) for path, weight in kept), Fraction(0)) / sum(weight for _, weight in kept)


def asked(secret: str, clauses: str = "") -> Compare:
    compiled = compile_text(
        f"{MODEL} check pufferfish H {{ prior told; {clauses} secrets {secret} vs who == 0; epsilon 1; length 3; }}"
    )
    assert compiled.diagnostics == ()
    question = compiled.claims[0].question
    assert isinstance(question, Compare)
    return question


def require_agreement(comparison: Comparison, holds: Callable[[World, Path], bool]) -> None:
    letters = comparison.system.letters
    for word in product(range(len(letters)), repeat=3):
        expected = given(holds, [letters[letter] for letter in word])
        assert comparison.system.mass(comparison.left.vector, word) == expected


@pytest.mark.parametrize(("secret", "holds"), SECRETS, ids=[text for text, _ in SECRETS])
def test_the_probabilities_are_those_of_all_paths(secret: str, holds: Callable[[World, Path], bool]) -> None:
    (comparison,) = asked(secret).comparisons
    require_agreement(comparison, holds)


def test_variables_of_for_and_constants_are_moments() -> None:
    comparisons = asked("exists t in k - K..k: x@t == 2", "for k in 1..2;").comparisons
    for k, comparison in zip((1, 2), comparisons, strict=True):
        require_agreement(comparison, lambda _, p, k=k: any(p[t][0] == 2 for t in (k - 1, k)))


def test_a_range_that_varies_is_written_as_a_condition() -> None:
    (comparison,) = asked("exists t in 0..1: t <= who and x@t == 2").comparisons
    require_agreement(comparison, lambda w, p: any(p[t][0] == 2 for t in range(w + 1)))


@pytest.mark.parametrize(
    ("secret", "code", "part"),
    [
        ("exists t in 0 - 1..1: x@t == 0", codes.WRONG_MOMENT, "no moment -1"),
        ("x@(K - 2) == 0", codes.WRONG_MOMENT, "no moment -1"),
        ("x@who == 0", codes.MOMENT_VARIES, "the moment `who`"),
        ("x@(x@0) == 0", codes.MOMENT_VARIES, "the moment `x@0`"),
        ("exists t in 0..who: x@t == 0", codes.MOMENT_VARIES, "moments run through `0..who`"),
        ("exists t in {u in 0..2 | x@u == 0}: x@t == 0", codes.MOMENT_VARIES, "moments run through `{u in"),
        ("exists t in 0..1: forall u in 0..x@t: x@u == 0", codes.MOMENT_VARIES, "moments run through `0..x@t`"),
        ("exists t in 0..100000: x@t == 0", codes.DOMAIN_TOO_LARGE, "100,001 cases"),
        ("exists t in 0..200: exists u in 0..200: x@t == x@u", codes.DOMAIN_TOO_LARGE, "40,401 cases"),
    ],
)
def test_moments_that_are_none(secret: str, code: codes.Code, part: str) -> None:
    claim = f"check pufferfish H {{ prior told; secrets {secret} vs who == 0; epsilon 1; length 1; }}"
    (found,) = compile_text(MODEL + claim).diagnostics
    assert found.code == code
    assert part in found.message
    assert found.primary is not None
