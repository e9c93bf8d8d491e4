"""Mechanisms with noise and more than 100 inputs: given their arrays element by element, given them whole, or shorter,
they are judged alike."""

from __future__ import annotations

import pytest

import pfl.lower.privacy
from pfl.driver import check_text
from pfl.options import Options

LENGTH = 7
"""2^7 inputs are more than are gone through one by one."""

HEAD = """
param eps in (0, inf);
adjacency one(n: int, a: [n] of 0..1, b: [n] of 0..1) = count(i for i in 0..n-1 if a[i] != b[i]) == 1;
"""

TOLD = """
mechanism told(n: int, q: [n] of 0..1) {
    for i in 0..n-1 { let noisy ~ laplace(q[i], 1/eps); emit noisy >= 1/2; }
}
"""
TOLD_AS_THREE = """
mechanism told(n: int, q: [n] of 0..1) {
    for i in 0..n-1 {
        let noisy ~ two_sided_geometric(exp(-eps), q[i]);
        emit if noisy < 0 then 0 else if noisy == 0 then 1 else 2;
    }
}
"""
COUNTED = """
mechanism told(n: int, q: [n] of 0..1) -> 0..n {
    var count = 0;
    for i in 0..n-1 {
        let keep ~ bernoulli(exp(eps)/(1 + exp(eps)));
        if (q[i] == 1) == keep { count = count + 1; }
    }
    return count;
}
"""
HELD = """
mechanism told(n: int, q: [n] of 0..1) -> 0..n {
    let threshold ~ laplace(0, 2/eps);
    for i in 0..n-1 {
        let noisy ~ laplace(q[i], 4/eps);
        if noisy >= threshold { return i; }
    }
    return n;
}
"""


def verdicts(mechanism: str, length: int, factor: str) -> list[str]:
    claim = f"check privacy told({length}) {{ adjacent one({length}); epsilon {factor}; }}"
    found = check_text(HEAD + mechanism + claim, Options(timeout=120))
    assert found.results, found.diagnostics
    return [type(result.verdict).__name__ for result in found.results]


@pytest.mark.parametrize(
    ("mechanism", "fails", "also_whole"),
    [
        (TOLD, "9*eps/10", False),
        (TOLD_AS_THREE, "9*eps/10", False),
        (COUNTED, "9*eps/10", True),
        (HELD, "eps/10", True),
    ],
    ids=["told", "three", "counted", "held"],
)
def test_judged_alike(mechanism: str, fails: str, also_whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for factor, expected in (("eps", ["Proved"]), (fails, ["Refuted"])):
        assert verdicts(mechanism, 2, factor) == expected
        assert verdicts(mechanism, LENGTH, factor) == expected
        if also_whole:  # the many words of the others take long
            with monkeypatch.context() as patched:
                patched.setattr(pfl.lower.privacy, "sequential_system", lambda *_: None)
                assert verdicts(mechanism, LENGTH, factor) == expected
