"""Proofs of relation families and of refinement are checked again; altered ones are refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pfl.analysis.ratio.certificate import with_digest
from pfl.base.budget import Budget
from pfl.driver import check_text, compile_text
from pfl.engines.answer import Proved
from pfl.model.claims import Claim
from pfl.verify.certificates.evidence import faults_of_cases
from pfl.verify.certificates.proof import faults_of_proof, proof_of, proof_text, read_proof

MODEL = """
automaton last(k: 0..2) {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 2/3, 1: 1/3 } else { 0: 1/3, 1: 2/3 }; x = 0; }
}
relation near(j: 0..1) for last(0) { balance j*ln(2); holds j == 1 or left.x == right.x; }
check close: unwinding last(0) by near { epsilon ln(2); }
check same: implements last(0) of last(1);
check all_same: implements last(k) of last(0) { for k in 0..2; }
"""


def proved(name: str) -> tuple[Claim, tuple[dict[str, Any], ...]]:
    (result,) = [result for result in check_text(MODEL).results if result.claim.name == name]
    assert isinstance(result.verdict, Proved)
    assert result.verdict.checked
    return result.claim, result.verdict.evidence.certificates


@pytest.mark.parametrize(("name", "count"), [("close", 1), ("same", 2), ("all_same", 6)])
def test_a_proof_goes_through_its_file(name: str, count: int) -> None:
    results = {result.claim.name: result for result in check_text(MODEL).results}
    proof = proof_of(results[name])
    assert proof is not None
    assert len(proof.certified.certificates) == count
    again = read_proof(proof_text(proof))
    assert faults_of_proof(again, compile_text(MODEL).claims) == []
    assert faults_of_proof(again, compile_text(MODEL.replace("{ go }", "{ go, stop }")).claims)


CHANGES = {
    "a pair is not matched": lambda c: c["covering"].__setitem__(0, (*c["covering"][0][:2], [])),
    "another state is matched": lambda c: c["covering"].__setitem__(1, (*c["covering"][1][:2], [(1, 1)])),
    "a state is not covered": lambda c: c["covering"].pop(),
    "a letter is left out": lambda c: c["steps"][0].pop(),
    "a pair is left out": lambda c: (c["pairs"].pop(), c["steps"].pop()),
    "a letter matches nothing": lambda c: c["steps"][0].__setitem__(2, []),
    "there is no such state": lambda c: c["pairs"].__setitem__(0, (7, 9)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_an_altered_relation_proof_is_refused(change: Any) -> None:
    claim, (certificate,) = proved("close")
    assert faults_of_cases(claim.cases, [certificate], Budget()) == []
    content = copy.deepcopy({key: value for key, value in certificate.items() if key not in ("format", "digest")})
    change(content)
    altered = with_digest(content.pop("kind"), content)
    assert faults_of_cases(claim.cases, [altered], Budget())


def test_the_proof_of_another_system_is_refused() -> None:
    _, certificates = proved("same")
    other = compile_text(MODEL.replace("{ 0: 1/3, 1: 2/3 }", "{ 0: 1/3 + k/9, 1: 2/3 - k/9 }")).claims
    cases = next(claim.cases for claim in other if claim.name == "same")
    assert faults_of_cases(cases, certificates, Budget())
