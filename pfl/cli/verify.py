"""`pflc verify`: check a proof without the code that found it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from pfl.base.budget import Budget, moment_after
from pfl.base.diagnostics import Diagnostic
from pfl.cli.options import FILE, LENGTH, ROOT, RUNNING, SET, read_options, some_text, with_options
from pfl.cli.output import progress_line, write_diagnostics
from pfl.options import Options
from pfl.verify.verdict import Findings


@click.command("verify")
@click.argument("certificate", callback=some_text)
@FILE
@with_options(SET, LENGTH, ROOT, *RUNNING)
def command(certificate: str, file: str, color: str, **given: Any) -> int:
    """Check that CERTIFICATE proves its claim about the model in FILE, by exact arithmetic alone.

    CERTIFICATE was written by `pflc check --certificates DIR`. Exit code: 0 it is a proof, 1 it is not, 3 one of the
    files cannot be used, 4 a limit was reached. One of the two may be `-`, standard input.
    """
    from pfl.driver import compile_file
    from pfl.report.proof import proof_report
    from pfl.verify.certificates.proof import Proof, faults_of_proof, open_proof
    from pfl.verify.faults import guarded

    if certificate == file == "-":
        raise click.UsageError("standard input can be read only once: give `-` for CERTIFICATE or for FILE")
    options = read_options(**given)
    proof = guarded(lambda: open_proof(certificate), certificate, options)
    if not isinstance(proof, Proof):
        return _rejected(proof, color)
    with progress_line() as progress:
        model = compile_file(file, _about(proof.claim, options), progress.report)
        if model.exit_code:
            return _rejected(model.diagnostics, color)
        budget = Budget(deadline=moment_after(options.timeout), progress=progress.report)
        faults = guarded(lambda: faults_of_proof(proof, model.claims, budget), file, options)
    if isinstance(faults, tuple):
        return _rejected(faults, color)
    click.echo("\n".join(proof_report(proof, faults, model.claims, options)))
    return int(bool(faults))


def _about(claim: str, options: Options) -> Options:
    """The same settings, for the one claim that the proof is about."""
    from dataclasses import replace

    return replace(options, claims=(claim,))


def _rejected(diagnostics: Sequence[Diagnostic], color: str) -> int:
    write_diagnostics(diagnostics, color)
    return Findings(diagnostics=tuple(diagnostics)).exit_code
