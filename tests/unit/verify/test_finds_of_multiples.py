"""What a find of a multiple rests on: certificates at other values do not show it, and texts may not misuse it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from pfl.base.multiples import has_multiple, parted
from pfl.driver import check_text, compile_text
from pfl.engines.answer import NoneFound
from pfl.model.claims import Claim, Search
from pfl.model.text.model_text import model_text
from pfl.options import Options
from pfl.passes.substitute import substitute
from pfl.verify.certificates.proof import Proof, faults_of_proof, proof_of, proof_text, read_proof
from pfl.verify.verdict import Found

MODEL = """
param eps in (0, inf);
param c in [0, 5];
param narrow in [0, 1/8];
param apart in [0, 2];
assume apart <= 1/8 or apart >= 1/2;
mechanism told(count: 0..1) -> bool { let noisy ~ laplace(count, 4/eps); return noisy >= 1; }
adjacency other(a: 0..1, b: 0..1) = a != b;
find least: c such that privacy told { adjacent other; epsilon 2*c*eps/3; minimise c; }
find none: narrow such that privacy told { adjacent other; epsilon narrow*eps; expect none; }
find assumed: apart such that privacy told { adjacent other; epsilon apart*eps; }
"""


@cache
def claims() -> tuple[Claim, ...]:
    return compile_text(MODEL).claims


@cache
def proofs() -> dict[str, Proof]:
    found = {result.claim.name: proof_of(result) for result in check_text(MODEL).results}
    return {name: read_proof(proof_text(proof)) for name, proof in found.items() if proof is not None}


def faults(proof: Proof, **values: Fraction) -> list[str]:
    changed = Proof(claim=proof.claim, values=tuple(values.items()) or proof.values, certified=proof.certified)
    return faults_of_proof(changed, claims())


def test_a_proof_is_that_of_the_check_at_the_value() -> None:
    least = proofs()["least"]
    assert least.values == (("c", Fraction(3, 8)),)
    assert least.kinds == ("exponential",)
    assert faults(least) == []


@pytest.mark.parametrize("value", [Fraction(1, 4), Fraction(-1), Fraction(6)])
def test_a_certificate_does_not_show_another_value(value: Fraction) -> None:
    assert faults(proofs()["least"], c=value)


def test_a_value_is_one_that_is_assumed() -> None:
    assumed = proofs()["assumed"]
    assert faults(assumed) == []
    assert "impossible" in faults(assumed, apart=Fraction(1, 4))[0]


def test_none_says_what_is_needed_and_has_no_certificate() -> None:
    verdict = next(each.verdict for each in check_text(MODEL).results if each.claim.name == "none")
    assert isinstance(verdict, NoneFound)
    assert verdict.evidence.facts == (("needed", "narrow is at least 1/4"),)
    assert not verdict.checked
    assert "none" not in proofs()


def test_a_value_is_put_into_a_question_over_a_finer_unit() -> None:
    question = next(claim for claim in claims() if claim.name == "least").question
    assert isinstance(question, Search)
    epsilon = question.claim.tables[0].epsilon
    assert epsilon is not None
    assert has_multiple(epsilon)
    assert str(epsilon) == "2*c*eps/3"
    assert parted(epsilon) == (parted(epsilon)[0], Fraction(2, 3))
    there = substitute(question.claim, {"c": Fraction(3, 7)})
    assert str(there.tables[0].epsilon) == "2*eps/7"
    assert there.exponents is not None
    assert question.claim.exponents is not None
    assert there.exponents.unit % (7 * question.claim.exponents.unit // 4) == 0


def test_a_fixed_name_is_judged_as_it_is() -> None:
    for value, word in (("3/8", Found), ("1/4", NoneFound)):
        findings = check_text(MODEL, Options(claims=("least",), settings={"c": Fraction(value)}))
        assert isinstance(findings.results[0].verdict, word)


def test_the_text_of_a_model_is_judged_as_the_model_is() -> None:
    text = model_text([claim for claim in claims() if claim.name == "least"])
    verdict = check_text(text).results[0].verdict
    assert isinstance(verdict, Found)
    assert verdict.values == (("c", Fraction(3, 8)),)
    assert verdict.proof.evidence.certificates[0]["kind"] == "exponential"


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("exp(-eps/4)", "exp(-c*eps/4)"),
        ("epsilon 2*c*eps/3", "epsilon 2*c*other/3"),
        ("factors parameters 1", ""),
        ("names [c]", "names []"),
    ],
)
def test_texts_may_not_hold_products_elsewhere(written: str, changed: str) -> None:
    text = model_text([claim for claim in claims() if claim.name == "least"])
    assert written in text
    (found,) = check_text(text.replace(written, changed)).diagnostics
    assert found.code.number == 133
