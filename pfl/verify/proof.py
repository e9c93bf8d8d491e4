"""The proof of a claim as a file: written by `pflc check --certificates`, read and checked by `pflc verify`.

The form of the file: docs/reference/certificates.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text, fraction_value
from pfl.engines.answer import Evidence
from pfl.frontend.reading import open_source
from pfl.ir.claims import Cases, Claim, Indistinguishability, Synthesis
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.transform.substitute import ImpossibleValues, substitute
from pfl.verify.evidence import Provable, faults_of_evidence
from pfl.verify.verdict import ClaimResult, Found, Proved

SCHEMA = 1


class NotAProof(Exception):
    """A text does not have the form of a proof; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One certificate an obligation of the claim, in their order; `values` are what a `find` has found."""

    claim: str
    values: tuple[tuple[str, Fraction], ...]
    certificates: tuple[dict[str, Any], ...]


def proof_of(result: ClaimResult) -> Proof | None:
    """The proof that a verdict rests on, None where it has no certificates."""
    match result.verdict:
        case Proved(evidence=Evidence(certificates=certificates)) if certificates:
            return Proof(claim=result.claim.name, values=(), certificates=certificates)
        case Found(values=values, proof=Proved(evidence=Evidence(certificates=certificates))) if certificates:
            return Proof(claim=result.claim.name, values=values, certificates=certificates)
        case _:
            return None


def proof_text(proof: Proof) -> str:
    """The proof as the ASCII text of its file."""
    record = {
        "schema": SCHEMA,
        "claim": proof.claim,
        "values": {name: fraction_text(value) for name, value in proof.values},
        "certificates": list(proof.certificates),
    }
    return json.dumps(record, indent=1) + "\n"


def open_proof(path: str) -> Proof:
    """The proof in a file, or in standard input where the path is `-`. Raises InputRejected."""
    try:
        return read_proof(open_source(path).text)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except InputRejected:
        reason = "is not a text"
    except NotAProof as failure:
        reason = f"is not a certificate: {failure}"
    raise InputRejected([not_a_certificate(path, reason)])


def not_a_certificate(path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NOT_A_CERTIFICATE,
        message=f"`{path}` {reason}",
        file=path,
        help="the certificate comes first, then the model: `pflc verify proofs/claim.json model.pfl`",
    )


def read_proof(text: str) -> Proof:
    """The proof that a file holds; raises NotAProof. The certificates themselves are not looked into here."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAProof(f"it is not JSON: {error}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise NotAProof(f'it has no `"schema": {SCHEMA}`')
    claim, values, certificates = (record.get(key) for key in ("claim", "values", "certificates"))
    if not isinstance(claim, str) or not isinstance(values, dict) or not isinstance(certificates, list):
        raise NotAProof("`claim`, `values` or `certificates` is missing")
    try:
        exact = tuple((name, fraction_value(value)) for name, value in values.items())
    except (ValueError, TypeError, AttributeError) as error:
        raise NotAProof(f"a value is not an exact number: {error}") from error
    return Proof(claim=claim, values=exact, certificates=tuple(certificates))


def faults_of_proof(proof: Proof, claims: Sequence[Claim], budget: Budget | None = None) -> list[str]:
    """What keeps the proof from showing the claim it names, as the model states it now; empty if nothing does.

    Raises LimitReached when the time of the budget is over.
    """
    claim = next((claim for claim in claims if claim.name == proof.claim), None)
    if claim is None:
        return [f"the model has no claim named `{proof.claim}`"]
    try:
        question = _question(claim, proof)
    except ImpossibleValues as impossible:
        return [f"its values are impossible: {impossible}"]
    if not proof.certificates:
        return ["it holds no certificate"]
    return faults_of_evidence(question, proof.certificates, budget or Budget())


def _question(claim: Claim, proof: Proof) -> Provable:
    """What has to be shown; raises ImpossibleValues where it cannot be asked at the proof's values."""
    match claim.question:
        case Synthesis() as question:
            if {name for name, _ in proof.values} != set(question.names):
                raise ImpossibleValues(f"they must be values of {', '.join(question.names)}")
            return substitute(question.claim, dict(proof.values))
        case Indistinguishability() as question if question.goal == "check":
            return question
        case Implementation() | RelationCheck() | Cases() as question:
            return question
        case _:
            raise ImpossibleValues("there are no certificates for a claim of this kind")
