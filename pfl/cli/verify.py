"""`pflc verify`: check a proof without the code that found it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from pfl.base.budget import Budget, moment_after
from pfl.base.diagnostics import Diagnostic
from pfl.base.exact_text import fraction_text
from pfl.cli.options import FILE, LENGTH, RUNNING, SET, read_options, some_text, with_options
from pfl.cli.output import write_diagnostics
from pfl.options import Options
from pfl.report.styled import visible
from pfl.verify.verdict import Findings

if TYPE_CHECKING:
    from pfl.ir.claims import Claim
    from pfl.verify.proof import Proof

SHOWN_FAULTS = 3
"""Faults of a proof that are shown; the first say what the rest do."""


@click.command("verify")
@click.argument("certificate", callback=some_text)
@FILE
@with_options(SET, LENGTH, *RUNNING)
def command(certificate: str, file: str, color: str, **given: Any) -> int:
    """Check that CERTIFICATE proves its claim about the model in FILE, by exact arithmetic alone.

    CERTIFICATE was written by `pflc check --certificates DIR`. Exit code: 0 it is a proof, 1 it is not, 3 one of the
    files cannot be used, 4 a limit was reached. One of the two may be `-`, standard input.
    """
    from pfl.driver import compile_file
    from pfl.verify.faults import guarded
    from pfl.verify.proof import Proof, faults_of_proof, open_proof

    if certificate == file == "-":
        raise click.UsageError("standard input can be read only once: give `-` for CERTIFICATE or for FILE")
    options = read_options(**given)
    proof = guarded(lambda: open_proof(certificate), certificate, options)
    if not isinstance(proof, Proof):
        return _rejected(proof, color)
    model = compile_file(file, _about(proof.claim, options))
    if model.exit_code:
        return _rejected(model.diagnostics, color)
    budget = Budget(deadline=moment_after(options.timeout))
    faults = guarded(lambda: faults_of_proof(proof, model.claims, budget), file, options)
    if isinstance(faults, tuple):
        return _rejected(faults, color)
    differing = _other_settings(proof, options)
    lines = _refusal(proof, faults, differing) if faults else _approval(proof, model.claims, differing)
    click.echo("\n".join(lines))
    return int(bool(faults))


def _refusal(proof: Proof, faults: Sequence[str], differing: str) -> Iterator[str]:
    """The first faults, and what they may come of."""
    for fault in faults[:SHOWN_FAULTS]:
        yield f"not a proof of `{visible(proof.claim)}`: {visible(fault)}"
    if len(faults) > SHOWN_FAULTS:
        yield f"  and {len(faults) - SHOWN_FAULTS} more"
    if differing:
        yield f"  = help: {differing}: give the same"
    else:
        yield "  = help: the model may have changed since; `pflc check --certificates DIR` writes its proofs anew"


def _approval(proof: Proof, claims: Sequence[Claim], differing: str) -> Iterator[str]:
    """The claim, what its proof consists of, and what that bounds."""
    from pfl.report.numbers import with_decimal
    from pfl.report.statement import scope

    count = len(proof.certificates)
    evidence = f"{count} certificate{'s' if count > 1 else ''} ({', '.join(proof.kinds)})"
    judged = scope(next(claim for claim in claims if claim.name == proof.claim).question)
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


def _about(claim: str, options: Options) -> Options:
    """The same settings, for the one claim that the proof is about."""
    from dataclasses import replace

    return replace(options, claims=(claim,))


def _rejected(diagnostics: Sequence[Diagnostic], color: str) -> int:
    write_diagnostics(diagnostics, color)
    return Findings(diagnostics=tuple(diagnostics)).exit_code
