"""Exit codes, and what counts as expected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from pfl.base import codes
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Computed, Evidence, NoneFound, Proved, Unknown
from pfl.engines.witness import Witness
from pfl.model.claims import Case, Claim, Origin
from pfl.model.compare import Compare
from pfl.verify.verdict import ClaimResult, Findings, Found, Refuted, Verdict

CLAIM = Claim(
    name="c",
    verb="check",
    kind="pufferfish",
    subject="S",
    cases=(Case(question=Compare(goal="check", tables=(), lengths=(1,), skipped=("nothing",))),),
    origin=Origin(file="a.pfl", line=1, column=1, end_line=1, end_column=2),
    expected="proved",
)
PROVED = Proved(engine="exact", evidence=Evidence(kind="exhaustive"), checked=True)
WITNESS = Witness(
    heading="secrets",
    left="a",
    right="b",
    prior="",
    bindings=(),
    parameters=(),
    words=(("x",),),
    probability_left=Fraction(1),
    probability_right=Fraction(0),
)
REFUTED = Refuted(engine="exact", witness=WITNESS, epsilon=Epsilon(), delta=Fraction(0))
UNKNOWN = Unknown(engine="exact", reason="out of time")
FAULT = replace(UNKNOWN, is_internal=True)
FOUND = Found(engine="synthesis", values=(("p", Fraction(1, 2)),), proof=PROVED)
NONE = NoneFound(engine="synthesis", evidence=Evidence(kind="solver"), checked=False)


def result(verdict: Verdict, expected: Any = "proved") -> ClaimResult:
    return ClaimResult(claim=replace(CLAIM, expected=expected), verdict=verdict)


@pytest.mark.parametrize(
    ("verdict", "expected", "as_expected", "exit_code"),
    [
        (PROVED, "proved", True, 0),
        (PROVED, "refuted", False, 1),
        (REFUTED, "refuted", True, 0),
        (REFUTED, "proved", False, 1),
        (UNKNOWN, "proved", False, 4),
        (UNKNOWN, None, False, 4),
        (FAULT, "proved", False, 70),
        (Computed(engine="exact", value=Fraction(1)), None, True, 0),
        (FOUND, "found", True, 0),
        (FOUND, "none", False, 1),
        (NONE, "none", True, 0),
        (NONE, "found", False, 1),
    ],
)
def test_what_a_verdict_means_for_the_exit_code(
    verdict: Verdict, expected: Any, as_expected: bool, exit_code: int
) -> None:
    judged = result(verdict, expected)
    assert judged.as_expected == as_expected
    assert Findings(results=(judged,)).exit_code == exit_code


CAUSES: dict[int, Findings] = {
    70: Findings(diagnostics=(Diagnostic(code=codes.INTERNAL_ERROR, message="the compiler has failed"),)),
    3: Findings(diagnostics=(Diagnostic(code=codes.ROW_SUM, message="a row does not sum to 1"),)),
    1: Findings(results=(result(REFUTED),)),
    4: Findings(results=(result(UNKNOWN),)),
    0: Findings(results=(result(PROVED),)),
}


@pytest.mark.parametrize("pair", list(combinations(CAUSES, 2)))
def test_the_graver_cause_decides_whatever_the_order(pair: tuple[int, int]) -> None:
    graver, lighter = pair
    for order in (pair, tuple(reversed(pair))):
        assert Findings.merged(CAUSES[code] for code in order).exit_code == graver
    assert CAUSES[lighter].exit_code == lighter


def test_limits_are_undecided_and_warnings_are_nothing() -> None:
    limit = Diagnostic(code=codes.LIMIT_REACHED, message="out of memory")
    warning = Diagnostic(code=Code(999, "a-warning", "warning", "only a warning"), message="beware")
    assert Findings(diagnostics=(limit,)).exit_code == 4
    assert Findings(diagnostics=(warning,)).exit_code == 0


def test_every_verdict_has_its_word() -> None:
    words = [verdict.word for verdict in (PROVED, REFUTED, UNKNOWN, FOUND, NONE)]
    assert words == ["proved", "refuted", "unknown", "found", "none"]
