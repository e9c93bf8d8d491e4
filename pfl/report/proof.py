"""What `pflc verify` says of a proof: what it shows, or the first reasons why it shows nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pfl.base.exact_text import fraction_text
from pfl.engines.errors import how_to_fix
from pfl.model.claims import Claim, mentioned_in_cases
from pfl.options import Options
from pfl.passes.equations import is_read
from pfl.report.numbers import with_decimal
from pfl.report.record import scope
from pfl.report.styled import visible
from pfl.verify.certificates.certificate_format import Damage, Uncertifiable
from pfl.verify.certificates.proof import Proof

SHOWN_FAULTS = 3
"""Faults of a proof that are shown; the first say what the rest do."""


def proof_report(proof: Proof, faults: Sequence[str], claims: Sequence[Claim], options: Options) -> list[str]:
    """The lines on a proof in which those faults were found, by the claims of a model compiled with `options`."""
    differing = _other_settings(proof, options)
    claim = next((claim for claim in claims if claim.name == proof.claim), None)
    if faults or claim is None:
        return list(_refusal(proof, claim, faults, differing))
    return list(_approval(proof, claim, differing))


def _refusal(proof: Proof, claim: Claim | None, faults: Sequence[str], differing: str) -> Iterator[str]:
    """The first faults, and what they may come of; of no claim where the model has none of that name."""
    for fault in faults[:SHOWN_FAULTS]:
        yield f"not a proof of `{visible(proof.claim)}`: {visible(fault)}"
    if len(faults) > SHOWN_FAULTS:
        yield f"  and {len(faults) - SHOWN_FAULTS} more"
    anew = "`pflc check --certificates DIR` writes"
    if differing:
        same = "write the text anew with the same" if claim is not None and is_read(claim) else "give the same"
        yield f"  = help: {differing}: {same}"
    elif isinstance(faults[0], Damage):
        damaged = "or the certificate is not as `pflc` writes them"
        yield f"  = help: the model may have changed since, {damaged}; {anew} it anew"
    elif isinstance(faults[0], Uncertifiable):
        if claim is not None and (free := sorted(mentioned_in_cases(claim.cases))):
            yield f"  = help: fix it: {visible(how_to_fix(claim, free))}"
    else:
        yield f"  = help: the model may have changed since; {anew} its proofs anew"


def _approval(proof: Proof, claim: Claim, differing: str) -> Iterator[str]:
    """The claim, what its proof consists of, and what that bounds."""
    count = sum(1 for _ in proof.certified.all)
    evidence = f"{count} certificate{'s' if count > 1 else ''} ({', '.join(proof.kinds)})"
    judged = scope(claim)
    bound = "" if proof.bound is None else f"; no ratio is above {with_decimal(proof.bound)}"
    where = f"    ({judged})" if judged else ""
    yield f"verified  {visible(proof.claim)}    {evidence}, by exact arithmetic alone{bound}{where}"
    if differing:
        yield f"  = note: {differing}"


def _other_settings(proof: Proof, options: Options) -> str:
    """In which settings the claim was judged, where they are not those given now; else empty."""
    then = _settings_text(proof.settings, proof.length)
    now = _settings_text(sorted(options.settings.items()), options.length)
    return "" if then == now else f"the proof was written {then}, and is checked {now}"


def _settings_text(settings: Iterable[tuple[str, Fraction]], length: int | None) -> str:
    given = [f"--set {name}={fraction_text(value)}" for name, value in settings]
    given += [] if length is None else [f"--length {length}"]
    return f"with `{' '.join(given)}`" if given else "without `--set` and `--length`"
