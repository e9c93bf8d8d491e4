"""Certificates of claims whose numbers hold exponentials: what they may not be made to show."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.driver import check_text
from pfl.engines.answer import Fails, Proved
from pfl.engines.exponential import exponential
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import ExponentialSpace
from pfl.options import Options
from pfl.verify.certificates.certificate_format import Uncertifiable, digest_of
from pfl.verify.certificates.evidence import faults_of_evidence
from pfl.verify.certificates.exponentials.ratios import verify_ratios
from pfl.verify.certificates.proof import Proof, faults_of_proof, proof_of, proof_text, read_proof
from pfl.verify.verdict import ClaimResult

MODEL = """
param eps in (0, inf);
param little in (0, 1];
mechanism for_all(q: 0..1) -> bool {
    let noisy ~ laplace(q, 4/eps);
    let threshold ~ laplace(0, 2/eps);
    return noisy > threshold;
}
mechanism for_little(q: 0..1) -> bool {
    let noisy ~ laplace(q, 4/little);
    let threshold ~ laplace(0, 2/little);
    return noisy > threshold;
}
mechanism equal(q: 0..1) -> bool {
    let noisy ~ laplace(q, 1/eps);
    let threshold ~ laplace(0, 1/eps);
    return noisy > threshold;
}
mechanism told(q: 0..2) -> 0..2 {
    let noisy ~ laplace(q, 1/eps);
    return if noisy < 1/2 then 0 else if noisy < 3/2 then 1 else 2;
}
adjacency other(a: 0..1, b: 0..1) = a != b;
adjacency next(a: 0..2, b: 0..2) = abs(a - b) == 1;
check ratios: privacy for_all { adjacent other; epsilon eps/2; }
check too_small: privacy for_all { adjacent other; epsilon eps/10; expect refuted; }
check little_ratios: privacy for_little { adjacent other; epsilon 3*little/10; }
check bare: privacy equal { adjacent other; epsilon eps; }
check slack: privacy told { adjacent next; epsilon eps/2; delta 1/2; }
check no_slack: privacy told { adjacent next; epsilon eps/2; delta 1/100; expect refuted; }
check chance: probability for_all(1) { returns true; at least 1/2; }
check no_chance: probability for_all(1) { returns true; at least 2/3; expect refuted; }

automaton keeps {
    data d: 0..1;
    query ask: {go};
    output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask {
        let flip ~ bernoulli(exp(-eps)/(1 + exp(-eps)));
        respond if flip then 1 - x else x;
        x = 0;
    }
}
check for_ever: noninterference keeps { epsilon eps; }
"""


@cache
def results() -> dict[str, ClaimResult]:
    return {result.claim.name: result for result in check_text(MODEL).results}


def record_of(name: str) -> dict[str, Any]:
    proof = proof_of(results()[name])
    assert proof is not None
    found: dict[str, Any] = json.loads(proof_text(proof))
    return found


def faults(record: dict[str, Any], claim: str | None = None) -> list[str]:
    record = copy.deepcopy(record)
    for certificate in record["certificates"]:
        certificate["digest"] = digest_of(certificate)
    if claim is not None:
        record["claim"] = claim
    proof: Proof = read_proof(json.dumps(record))
    return faults_of_proof(proof, [result.claim for result in results().values()])


NAMES = ("ratios", "little_ratios", "slack", "chance", "for_ever")


@pytest.mark.parametrize("name", NAMES)
def test_proofs_are_checked_again(name: str) -> None:
    verdict = results()[name].verdict
    assert isinstance(verdict, Proved)
    assert verdict.checked
    assert faults(record_of(name)) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("false", ["too_small", "no_slack", "no_chance"])
def test_no_proof_shows_a_false_claim(name: str, false: str) -> None:
    assert faults(record_of(name), false)


FUNCTION = [[0, 0, "1"]]
"""1, which is positive, and with it whatever has no root."""

GARBAGE: Sequence[Any] = (
    None,
    True,
    -1,
    10**40,
    "",
    "9" * 200_000,
    [],
    [[]],
    [[0, 0, "1"]],
    {},
    [None],
    {"word": [[]]},
)


@pytest.mark.parametrize("wrong", GARBAGE, ids=range(len(GARBAGE)))
@pytest.mark.parametrize("name", ["ratios", "slack"])
def test_garbage_is_no_proof(name: str, wrong: Any) -> None:
    """Each part of a certificate, and each part of its first entry."""
    original = record_of(name)
    key = "signs" if name == "ratios" else "sums"
    for part in ("parameter", "unit", "interval", key):
        record = copy.deepcopy(original)
        record["certificates"][0][part] = wrong
        assert faults(record)
    for part in original["certificates"][0][key][0]:
        record = copy.deepcopy(original)
        kept = record["certificates"][0][key][0][part]
        record["certificates"][0][key][0][part] = wrong
        found = faults(record)
        assert found or wrong in (kept, True, [], FUNCTION)


def test_every_word_needs_a_sign() -> None:
    record = record_of("ratios")
    signs = record["certificates"][0]["signs"]
    for number in range(len(signs)):
        shorter = copy.deepcopy(record)
        del shorter["certificates"][0]["signs"][number]
        assert "nothing is shown" in faults(shorter)[0]


def test_a_function_is_that_of_its_word() -> None:
    for value in ("-1", "3"):
        record = record_of("ratios")
        for term in record["certificates"][0]["signs"][0]["function"]:
            term[2] = str(int(term[2]) * int(value))
        assert bool(faults(record)) == (value == "-1")
    record = record_of("ratios")
    record["certificates"][0]["signs"][0]["function"][0][2] += "7"
    assert "not the one that is to be shown" in faults(record)[0]


def test_what_holds_for_little_is_not_shown_for_all() -> None:
    """Neither under its own interval nor under another one."""
    record = record_of("little_ratios")
    certificate = record["certificates"][0]
    assert faults(record, "ratios")
    certificate["parameter"] = "eps"
    certificate["interval"] = record_of("ratios")["certificates"][0]["interval"]
    assert faults(record, "ratios")
    assert faults(record, "too_small")


def test_every_set_of_words_is_looked_at() -> None:
    record = record_of("slack")
    for number, entry in enumerate(record["certificates"][0]["sums"]):
        for key in ("never", "always", "mixed", "sets"):
            if entry[key]:
                shorter = copy.deepcopy(record)
                shorter["certificates"][0]["sums"][number][key].pop()
                assert faults(shorter)
        if entry["always"]:
            moved = copy.deepcopy(record)
            there = moved["certificates"][0]["sums"][number]
            there["never"].append(there["always"].pop())
            assert faults(moved)


FINER = """
mechanism fine(q: 0..1) -> bool { let noisy ~ laplace(q, 1/eps); return noisy > 1/3; }
mechanism little_fine(q: 0..1) -> bool { let noisy ~ laplace(q, 1/little); return noisy > 1/3; }
check first: probability fine(0) { returns true; at most 1; }
check second: probability little_fine(0) { returns true; at most 1; }
"""


@cache
def finer_results() -> dict[str, ClaimResult]:
    """The same claims, after others that need a finer unit."""
    asked = Options(claims=("first", "second", *NAMES))
    return {result.claim.name: result for result in check_text(FINER + MODEL, asked).results}


@pytest.mark.parametrize("name", NAMES)
def test_no_claim_depends_on_the_units_of_others(name: str) -> None:
    here, there = results()[name], finer_results()[name]
    assert here.claim.exponents == there.claim.exponents
    for written, read in ((here, there), (there, here)):
        proof = proof_of(written)
        assert proof is not None
        assert faults_of_proof(proof, [read.claim]) == []


Z = RationalFunction.parameter("exp(-x)")
SPACE = ExponentialSpace(base="x", low=Fraction(0), high=None, low_open=True, high_open=True, unit=1)


def lossy(word_is_lost: bool) -> Compare:
    """Letter a from both sides, more likely on the left; then letter b, or, where it is lost, nothing on the left."""
    one = Fraction(1)
    a = (((3 if word_is_lost else 2, one),), ((2, Z),), (), (), ())
    b = ((), ((4, 1 - Z),), ((4, one),), (), ((4, one),))
    system = LabelledSystem(
        states=("left", "right", "goes on", "stops", "end"), letters=("a", "b"), matrices=(a, b), stochastic=False
    )
    sides = [Side(label=name, vector=system.vector([(place, one)])) for place, name in enumerate(("left", "right"))]
    table = Table.of_pair(system, sides, Epsilon.rational(Fraction(0)), one_way=True)
    return Compare(goal="check", tables=(table,), lengths=(2,), exponents=SPACE)


def test_words_that_lose_mass_are_looked_at_themselves() -> None:
    """On the left a has mass 1, and no longer word has any: nothing is to be shown of these."""
    interval = {"low": "0", "high": "inf", "low_open": True, "high_open": True}
    content: dict[str, Any] = {"format": "pfl-certificate-1", "kind": "exponential", "parameter": "x", "unit": 1}
    content |= {"interval": interval, "signs": []}
    content["digest"] = digest_of(content)
    for word_is_lost in (True, False):
        assert "nothing is shown" in verify_ratios(content, lossy(word_is_lost), Budget())[0]
        answer = exponential.answer(lossy(word_is_lost), Options(), Budget())
        assert isinstance(answer, Fails)
        assert answer.violation.words == (((0,) if word_is_lost else (0, 1)),)
    entry = {"comparison": 0, "reversed": False, "word": [0], "root": 1, "proof": {"rule": "zero"}, "function": []}
    content["signs"] = [entry]
    content["digest"] = digest_of(content)
    assert "not the one" in verify_ratios(content, lossy(word_is_lost=True), Budget())[0]


def test_the_exponential_is_no_parameter_where_its_exponent_stands_elsewhere() -> None:
    (certificate, *_) = record_of("for_ever")["certificates"]
    for name in ("bare", "little_ratios"):
        question = results()[name].claim.question
        assert isinstance(question, Compare)
        assert "stands elsewhere" in faults_of_evidence(question, [certificate] * 2, Budget())[0]


def test_claims_about_systems_as_a_whole_have_none() -> None:
    """Words say nothing of a relation, or of what one automaton does as another one."""
    model = MODEL + "check same: implements keeps of keeps;\n"
    claims = [result.claim for result in check_text(model).results]
    (same,) = (claim for claim in claims if claim.name == "same")
    assert isinstance(same.question, Compare)
    assert same.question.exponents is not None
    found = faults_of_evidence(same.question, record_of("ratios")["certificates"], Budget())
    assert isinstance(found[0], Uncertifiable)
