"""`pflc emit`: what the compiler makes of a model, as text."""

from __future__ import annotations

from typing import Any

import click

from pfl.cli.options import MODEL, OUTPUT, RUNNING, read_options, with_options
from pfl.cli.output import write_diagnostics, write_product


@click.group("emit")
def command() -> None:
    """Write what the compiler makes of a model."""


@command.command("ir")
@click.argument("file")
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_ir(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the claims and labelled systems of the model in FILE: the form that every engine reads."""
    from pfl.driver import combined, compile_file
    from pfl.ir.dump import dump_claims

    options = read_options(**given)
    compiled = combined([compile_file(file, options)], options)
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code == 0:
        write_product(dump_claims(compiled.claims), output)
    return compiled.exit_code
