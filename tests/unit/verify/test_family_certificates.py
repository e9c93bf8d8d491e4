"""Families of bounds on pairs of states: altered ones are refused, whatever their digest says."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from pfl.analysis.ratio.certificate import with_digest
from pfl.base.budget import Budget
from pfl.driver import check_text, compile_text
from pfl.engines.answer import Proved
from pfl.verify.certificates.evidence import faults_of_evidence

MODEL = """
automaton last() {{
    data d: {{ pt }};  query y: {{ go }};
    state x: 0..1 = 0;
    on data d {{ x = 1; }}
    on query y {{ respond if x == 0 then {{ no: 2/3, yes: 1/3 }} else {{ no: 1/3, yes: 2/3 }}; x = 0; }}
}}
check c: noninterference last() {{ epsilon {epsilon}; {length} }}
"""


def content(length: str) -> list[dict[str, Any]]:
    """The certificates of a true claim, without their digests."""
    (result,) = check_text(MODEL.format(epsilon="ln(16)", length=length)).results
    assert isinstance(result.verdict, Proved)
    certificates = result.verdict.evidence.certificates
    return [copy.deepcopy({k: v for k, v in each.items() if k not in ("format", "digest")}) for each in certificates]


def faults(certificates: list[dict[str, Any]], epsilon: str, length: str) -> list[str]:
    """What the checker says, with digests that fit."""
    question = compile_text(MODEL.format(epsilon=epsilon, length=length)).claims[0].question
    sealed = []
    for each in certificates:
        rest = dict(each)
        sealed.append(with_digest(rest.pop("kind"), rest))
    return faults_of_evidence(question, sealed, Budget())  # type: ignore[arg-type]


def scaled(certificates: list[dict[str, Any]], factor: Fraction) -> None:
    for each in certificates:
        each["bound"] = str(Fraction(each["bound"]) * factor)
        for family in each["families"]:
            for entry in family:
                entry[2] = str(Fraction(entry[2]) * factor)


def small_at_the_end(certificates: list[dict[str, Any]]) -> None:
    """The family of words without letters pays for the last letter."""
    for each in certificates:
        each["bound"] = "1"
        pairs = [[left, right] for left, right in ((0, 1), (1, 0))]
        each["families"] = [[[*pair, "1/1000"] for pair in pairs], [[*pair, "1"] for pair in pairs]]


CHANGES: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "bounds that are too small": lambda certificates: scaled(certificates, Fraction(1, 16)),
    "bounds below 1 for the empty word": small_at_the_end,
    "no pairs": lambda certificates: certificates[0].update(bound="1", families=[[]]),
}


@pytest.mark.parametrize("length", ["length 2;", "length 3;", ""])
def test_true_claims_pass(length: str) -> None:
    assert faults(content(length), "ln(16)", length) == []


@pytest.mark.parametrize("length", ["length 2;", "length 3;", ""])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_forged_proofs_of_a_false_claim_are_refused(
    change: Callable[[list[dict[str, Any]]], None], length: str
) -> None:
    certificates = content(length)
    change(certificates)
    assert faults(certificates, "0", length)


def test_a_shorter_proof_is_refused() -> None:
    assert faults(content("length 2;"), "ln(16)", "length 3;")
    assert faults(content("length 2;"), "ln(16)", "")
