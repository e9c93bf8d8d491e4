"""The proof of a claim as a file: written by `pflc check --certificates`, read and checked by `pflc verify`.

The form of the file: docs/reference/certificates.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from pfl.analysis.polynomial.box import holds_at
from pfl.analysis.polynomial.exceptional import Unresolved
from pfl.analysis.polynomial.points import find_point
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text, fraction_value
from pfl.base.reading import open_source
from pfl.base.struct import struct
from pfl.engines.answer import Computed, Evidence, NoneFound, Proved
from pfl.engines.errors import how_to_fix
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.model.claims import Claim, Search, cases_over
from pfl.model.compare import Compare
from pfl.options import Options
from pfl.verify.certificates.certificate_format import BOUNDING, Damage, Malformed, Uncertifiable, exact_rational
from pfl.verify.certificates.evidence import faults_of_cases, is_of_kind, is_provable, nonzero_in
from pfl.verify.certificates.none_found import KIND as NONE
from pfl.verify.certificates.none_found import verify_none
from pfl.verify.parameters.everywhere import apart, compiled_at
from pfl.verify.parameters.everywhere_find import checked_at
from pfl.verify.verdict import ClaimResult, Found, Verdict

SCHEMA = 1
_DEFAULT = Options()


class NotAProof(Exception):
    """A text does not have the form of a proof; the message says where."""


@struct
class Certified:
    """One certificate an obligation, in their order; `apart` are those for values of a parameter, or functions of the
    others, at which the claim is judged apart: the name, the value as text, and what is certified there."""

    certificates: tuple[dict[str, Any], ...]
    apart: tuple[tuple[str, str, Certified], ...] = ()

    @property
    def all(self) -> Iterator[dict[str, Any]]:
        """The certificates, those for other values of the parameters included."""
        yield from self.certificates
        for _, _, there in self.apart:
            yield from there.all


@struct
class Proof:
    """What shows the claim; `values` are what a `find` has found.

    `settings` and `length` are the `--set` values and the `--length` that the claim was judged with. They explain why a
    proof may not fit, and prove nothing.
    """

    claim: str
    values: tuple[tuple[str, Fraction], ...]
    certified: Certified
    settings: tuple[tuple[str, Fraction], ...] = ()
    length: int | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its certificates, each once; they must have been found to be a proof."""
        return tuple(dict.fromkeys(certificate["kind"] for certificate in self.certified.all))

    @property
    def bound(self) -> Fraction | None:
        """What no ratio exceeds, None where none is bounded; the certificates as for `kinds`."""
        bounded = (certificate for certificate in self.certified.all if certificate["kind"] in BOUNDING)
        return max((fraction_value(certificate["bound"]) for certificate in bounded), default=None)


def proof_of(result: ClaimResult, options: Options = _DEFAULT) -> Proof | None:
    """The proof that a verdict rests on, None where it has no certificates; `options` are what it was judged with."""
    proved = _proved(result.verdict)
    certified = None if proved is None else _certified(proved)
    if isinstance(result.verdict, NoneFound) and not result.claim.exceptional:
        certified = Certified(certificates=result.verdict.evidence.certificates)
    if certified is None or not any(certified.all):
        return None
    return Proof(
        claim=result.claim.name,
        values=result.verdict.values if isinstance(result.verdict, Found) else (),
        certified=certified,
        settings=tuple(sorted(options.settings.items())),
        length=options.length,
    )


def _proved(verdict: Verdict) -> Proved | None:
    """The proof that a verdict is, or holds."""
    if isinstance(verdict, Found):
        return verdict.proof
    return verdict if isinstance(verdict, Proved) else None


def _certified(proved: Proved | Computed) -> Certified | None:
    """What is certified of a proof; None if some part of it lacks certificates, though it compares something."""
    if not isinstance(proved, Proved):
        return None
    if not proved.evidence.certificates and proved.evidence.kind != "vacuous":
        return None
    found = [(each.name, str(each.value), _certified(each.verdict)) for each in proved.apart]
    parts = tuple((name, value, there) for name, value, there in found if there is not None)
    return Certified(certificates=proved.evidence.certificates, apart=parts) if len(parts) == len(found) else None


def why_no_proof(result: ClaimResult) -> str | None:
    """Why a claim that was proved has no certificates; None where it has some, or was not proved."""
    proved = _proved(result.verdict)
    if isinstance(result.verdict, NoneFound) and not result.verdict.evidence.certificates:
        return result.verdict.evidence.uncertified or "that there are no values is not certified here"
    if proved is None:
        return None
    question = result.claim.asked
    certified = _certified(proved)
    match question:
        case _ if certified is not None and any(certified.all):
            return None
        case _ if proved.evidence.certificates:
            return "its proof at some values of the parameters, where it is judged apart, has none"
        case _ if proved.evidence.uncertified:
            return proved.evidence.uncertified
        case Compare():
            return _why_uncertified(result.claim, question, proved.evidence)
        case _:
            return "there are no certificates for a claim of this kind"


def _why_uncertified(claim: Claim, question: Compare, evidence: Evidence) -> str:
    if evidence.kind == "vacuous":
        return "it compares nothing"
    if question.parameters.parameters:
        return (
            f"there are no certificates for free parameters; fix them: {how_to_fix(claim, question.parameters.names)}"
        )
    if question.delta != 0:
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
        **_certified_value(proof.certified),
    }
    return json.dumps(record, indent=1) + "\n"


def _certified_value(certified: Certified) -> dict[str, Any]:
    apart = [{"name": name, "value": value, **_certified_value(there)} for name, value, there in certified.apart]
    return {"certificates": list(certified.certificates), **({"apart": apart} if apart else {})}


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
    """The fault of a file that is to hold a proof; `reason` goes on after its name."""
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
    claim, length = record.get("claim"), record.get("length")
    if not isinstance(claim, str):
        raise NotAProof("`claim` is missing, or no text")
    if length is not None and (not isinstance(length, int) or isinstance(length, bool) or length < 0):
        raise NotAProof("`length` is neither a whole number nor null")
    return Proof(
        claim=claim,
        values=_exact_values(record, "values"),
        certified=_read_certified(record),
        settings=_exact_values(record, "settings"),
        length=length,
    )


def _read_certified(record: dict[str, Any]) -> Certified:
    certificates, apart = record.get("certificates"), record.get("apart", [])
    if not isinstance(certificates, list):
        raise NotAProof("`certificates` is missing, or no list")
    if not isinstance(apart, list) or not all(isinstance(each, dict) for each in apart):
        raise NotAProof("`apart` is no list of objects")
    parts = []
    for each in apart:
        name, value = each.get("name"), each.get("value")
        if not isinstance(name, str) or not isinstance(value, str):
            raise NotAProof("`name` or `value` of a part is missing, or no text")
        parts.append((name, value, _read_certified(each)))
    return Certified(certificates=tuple(certificates), apart=tuple(parts))


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
    if not any(proof.certified.all):
        return [Damage("it holds no certificate")]
    budget = budget or Budget()
    if claim.limit is None and isinstance(claim.question, Search):
        if not proof.values and any(is_of_kind(each, NONE) for each in proof.certified.certificates):
            return _faults_of_none(claim, claim.question, proof.certified, budget)
        if {name for name, _ in proof.values} != set(claim.question.names):
            return [f"its values are impossible: they must be values of {', '.join(claim.question.names)}"]
        if claim.question.factors.names and not holds_at(claim.question.factors, dict(proof.values)):
            return [f"its values are impossible: they must be {claim.question.factors.parameters[0]}, and as assumed"]
        try:
            claim = checked_at(claim, proof.values, budget)
        except InputRejected as rejected:
            return [f"its values are impossible: {rejected.diagnostics[0].message}"]
    return _faults_of_certified(claim, proof.certified, budget)


def _faults_of_none(claim: Claim, question: Search, certified: Certified, budget: Budget) -> list[str]:
    """What keeps certificates from showing that a find has no answer."""
    if claim.exceptional:
        return [Uncertifiable("what it is about is judged apart at some values, and none are found there, too")]
    if len(certified.certificates) != 1 or certified.apart:
        return [f"there are {len(certified.certificates)} certificates for one search"]
    return verify_none(certified.certificates[0], question, budget)


def _faults_of_certified(claim: Claim, certified: Certified, budget: Budget) -> list[str]:
    """What keeps certificates from showing a check, at all values of the parameters."""
    if claim.limit is not None or not all(map(is_provable, claim.cases)):
        return [Uncertifiable("there are no certificates for a claim of this kind")]
    try:
        exceptional = (*claim.exceptional, *nonzero_in(certified.certificates, claim.parameters))
    except Malformed as malformed:
        return [Damage(malformed)]
    space = claim.parameters.restricted(*exceptional)
    faults: list[str] = []
    if find_point(space, budget, Nlsat()) is not None:
        faults += faults_of_cases(cases_over(claim.cases, space), certified.certificates, budget)
    for part in apart(claim, exceptional, budget):
        if isinstance(part, Unresolved):
            faults.append(Uncertifiable(f"nothing certifies it where {part.text}"))
            continue
        where = f"at {part.name} = {part.value}"
        there = [held for name, value, held in certified.apart if (name, value) == (part.name, str(part.value))]
        if not there:
            faults.append(f"it holds nothing for the claim {where}")
            continue
        found = _faults_of_certified(compiled_at(claim, part, budget), there[0], budget)
        faults += [type(fault)(f"{where}: {fault}") for fault in found]
    return faults
