"""`pflc verify`: check a proof without the code that found it."""

from __future__ import annotations

from typing import Any

import click

from pfl.cli.options import LENGTH, RUNNING, SET, read_options, with_options
from pfl.cli.output import write_diagnostics


@click.command("verify")
@click.argument("certificate")
@click.argument("file")
@with_options(SET, LENGTH, *RUNNING)
def command(certificate: str, file: str, color: str, **given: Any) -> int:
    """Check that CERTIFICATE proves its claim about the model in FILE, by exact arithmetic alone.

    CERTIFICATE was written by `pflc check --certificates DIR`. Exit code: 0 it is a proof, 1 it is not, 3 one of the
    files cannot be used.
    """
    from pfl.driver import verify_file

    checked = verify_file(certificate, file, read_options(**given))
    write_diagnostics(checked.diagnostics, color)
    for fault in checked.faults:
        click.echo(f"not a proof of `{checked.claim}`: {fault}")
    if checked.exit_code == 0:
        click.echo(f"verified  {checked.claim}    {checked.certificates} certificates, by exact arithmetic")
    return checked.exit_code
