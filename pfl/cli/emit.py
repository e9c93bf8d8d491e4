"""`pflc emit`: what the compiler makes of a model, as text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from pfl.base.codes import NO_QUERY
from pfl.cli.options import ENCODING, MODEL, OUTPUT, RUNNING, read_options, with_options
from pfl.cli.output import write_diagnostics, write_product, write_products
from pfl.options import Options
from pfl.verify.verdict import Findings

if TYPE_CHECKING:
    from pfl.driver import Compiled


@click.group("emit")
def command() -> None:
    """Write what the compiler makes of a model."""


@command.command("ir")
@click.argument("file")
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_ir(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the claims and labelled systems of the model in FILE: the form that every engine reads."""
    from pfl.ir.dump import dump_claims

    compiled = _compiled(file, read_options(**given))
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code == 0:
        write_product(dump_claims(compiled.claims), output)
    return compiled.exit_code


@command.command("smtlib")
@click.argument("file")
@with_options(*MODEL, ENCODING, OUTPUT, *RUNNING)
def emit_smtlib(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the queries that decide the claims of FILE, in SMT-LIB 2.6; a claim holds iff all of its are unsatisfiable.

    To a directory, one query a file; to standard output or a file that ends in `.smt2`, all of them with `(reset)`
    between. Claims that no query expresses are left out, unless --claim asks for them.
    """
    from pfl.engines.emit_smtlib import emit_queries
    from pfl.verify.faults import guarded

    options = read_options(**given)
    compiled = _compiled(file, options)
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code:
        return compiled.exit_code
    queries: list[tuple[str, str]] = []
    for claim in compiled.claims:
        emitted = guarded(partial(emit_queries, claim, options.encoding), file, options)
        if isinstance(emitted, list):
            queries += emitted
        elif emitted[0].code is NO_QUERY and not options.claims:
            click.echo(f"left out: {emitted[0].message}", err=True)
        else:
            write_diagnostics(emitted, color)
            return Findings(diagnostics=emitted).exit_code
    write_products(queries, output, suffix=".smt2", between="(reset)\n")
    return 0


def _compiled(file: str, options: Options) -> Compiled:
    from pfl.driver import combined, compile_file

    return combined([compile_file(file, options)], options)
