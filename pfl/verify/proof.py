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
from pfl.ir.claims import Cases, Claim, Indistinguishability, Synthesis, underlying
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.options import Options
from pfl.transform.substitute import ImpossibleValues, substitute
from pfl.verify.certificate_format import Damage, Malformed, Uncertifiable, exact_rational
from pfl.verify.evidence import Provable, faults_of_evidence
from pfl.verify.relation_family import KIND as RELATION
from pfl.verify.verdict import ClaimResult, Found, Proved

SCHEMA = 1
_DEFAULT = Options()


class NotAProof(Exception):
    """A text does not have the form of a proof; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One certificate an obligation of the claim, in their order; `values` are what a `find` has found.

    `settings` and `length` are the `--set` values and the `--length` that the claim was judged with. They explain why a
    proof may not fit, and prove nothing.
    """

    claim: str
    values: tuple[tuple[str, Fraction], ...]
    certificates: tuple[dict[str, Any], ...]
    settings: tuple[tuple[str, Fraction], ...] = ()
    length: int | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its certificates, each once; they must have been found to be a proof."""
        return tuple(dict.fromkeys(certificate["kind"] for certificate in self.certificates))

    @property
    def bound(self) -> Fraction | None:
        """What no ratio exceeds, None for relations, which bound none; the certificates as for `kinds`."""
        bounded = (certificate for certificate in self.certificates if certificate["kind"] != RELATION)
        return max((fraction_value(certificate["bound"]) for certificate in bounded), default=None)


def proof_of(result: ClaimResult, options: Options = _DEFAULT) -> Proof | None:
    """The proof that a verdict rests on, None where it has no certificates; `options` are what it was judged with."""
    match result.verdict:
        case Proved(evidence=Evidence(certificates=certificates)):
            values: tuple[tuple[str, Fraction], ...] = ()
        case Found(values=values, proof=Proved(evidence=Evidence(certificates=certificates))):
            pass
        case _:
            return None
    if not certificates:
        return None
    return Proof(
        claim=result.claim.name,
        values=values,
        certificates=certificates,
        settings=tuple(sorted(options.settings.items())),
        length=options.length,
    )


def why_no_proof(result: ClaimResult) -> str | None:
    """Why a claim that was proved has no certificates; None where it has some, or was not proved."""
    match result.verdict:
        case Proved() as proved:
            pass
        case Found(proof=proved):
            pass
        case _:
            return None
    question = underlying(result.claim.question)
    match question:
        case _ if proved.evidence.certificates:
            return None
        case Indistinguishability() | Implementation() | RelationCheck():
            return _why_uncertified(question, proved.evidence)
        case _:
            return "there are no certificates for a claim of this kind"


def _why_uncertified(question: Indistinguishability | Implementation | RelationCheck, evidence: Evidence) -> str:
    if evidence.kind == "vacuous":
        return "it compares nothing"
    if question.parameters.parameters:
        names = ", ".join(parameter.name for parameter in question.parameters.parameters)
        return f"there are no certificates for free parameters; fix them with `--set` ({names})"
    if isinstance(question, Indistinguishability) and question.delta != 0:
        return "there are no certificates for a delta"
    if evidence.kind == "solver":
        return "a solver proved it, which gives no certificate; try `--engine exact`"
    return f"the evidence for it ({evidence.kind}) is not one that can be written"


def proof_text(proof: Proof) -> str:
    """The proof as the ASCII text of its file."""
    record = {
        "schema": SCHEMA,
        "claim": proof.claim,
        "settings": {name: fraction_text(value) for name, value in proof.settings},
        "length": proof.length,
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
    except json.JSONDecodeError as error:
        raise NotAProof(f"it is not JSON: {error}") from error
    except RecursionError as error:
        raise NotAProof("its lists are nested too deeply") from error
    except ValueError as error:  # Python reads no number of more than 4,300 digits that does not stand in quotes
        raise NotAProof("it holds a number of too many digits") from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if type(schema) is not int or schema != SCHEMA:
        raise NotAProof(f'it has no `"schema": {SCHEMA}`')
    claim, certificates, length = (record.get(key) for key in ("claim", "certificates", "length"))
    if not isinstance(claim, str):
        raise NotAProof("`claim` is missing, or no text")
    if not isinstance(certificates, list):
        raise NotAProof("`certificates` is missing, or no list")
    if length is not None and (not isinstance(length, int) or isinstance(length, bool) or length < 0):
        raise NotAProof("`length` is neither a whole number nor null")
    return Proof(
        claim=claim,
        values=_exact_values(record, "values"),
        certificates=tuple(certificates),
        settings=_exact_values(record, "settings"),
        length=length,
    )


def _exact_values(record: dict[str, Any], key: str) -> tuple[tuple[str, Fraction], ...]:
    values = record.get(key)
    if not isinstance(values, dict):
        raise NotAProof(f"`{key}` is missing, or no object")
    try:
        return tuple((name, exact_rational(value, f"`{name}` in `{key}`")) for name, value in values.items())
    except Malformed as malformed:
        raise NotAProof(str(malformed)) from malformed


def faults_of_proof(proof: Proof, claims: Sequence[Claim], budget: Budget | None = None) -> list[str]:
    """What keeps the proof from showing the claim it names, as the model states it now; empty if nothing does.

    Raises LimitReached when the time of the budget is over.
    """
    claim = next((claim for claim in claims if claim.name == proof.claim), None)
    if claim is None:
        return [f"the model has no claim named `{proof.claim}`"]
    if not proof.certificates:
        return [Damage("it holds no certificate")]
    try:
        question = _question(claim, proof)
    except ImpossibleValues as impossible:
        return [f"its values are impossible: {impossible}"]
    if question is None:
        return [Uncertifiable("there are no certificates for a claim of this kind")]
    return faults_of_evidence(question, proof.certificates, budget or Budget())


def _question(claim: Claim, proof: Proof) -> Provable | None:
    """What has to be shown, None where no certificate can; raises ImpossibleValues where it cannot be asked at the
    proof's values."""
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
            return None
