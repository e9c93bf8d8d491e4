"""`pflc emit`: what the compiler makes of a model, as text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pfl.base.codes import NO_CHAIN, NO_QUERY, TOO_LARGE_TO_DRAW
from pfl.cli.options import ENCODING, FILE, MODEL, OUTPUT, RUNNING, read_options, with_options
from pfl.cli.output import progress_line, write_diagnostics, write_product, write_products
from pfl.options import Options
from pfl.verify.verdict import Findings

if TYPE_CHECKING:
    from pfl.driver import Compiled
    from pfl.model.claims import Claim

LIMIT = 4
"""The exit code of a model of which a limit kept something from being built."""

Files: TypeAlias = "list[tuple[str, str]]"
"""Names of files, and what stands in them."""


@click.group("emit")
def command() -> None:
    """Write what the compiler makes of a model."""


@command.command("ir")
@FILE
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_ir(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the claims of the model in FILE and the systems that they are about, as text that `check` can read."""
    from pfl.base.budget import Budget, moment_after
    from pfl.model.text.model_text import model_text
    from pfl.verify.faults import guarded
    from pfl.verify.parameters.told_apart import told_apart

    options = read_options(**given)
    compiled = _compiled(file, options)
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code not in (0, LIMIT):
        return compiled.exit_code
    claims = []
    for claim in compiled.claims:
        budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states)
        told = guarded(partial(told_apart, claim, budget), file, options)
        if isinstance(told, tuple):
            write_diagnostics(told, color)
            return Findings(diagnostics=told).exit_code
        claims.append(told)
    if compiled.exit_code and not claims:
        return compiled.exit_code  # a text without claims would be judged as one that claims nothing
    write_product(model_text(claims), output)
    return compiled.exit_code


@command.command("smtlib")
@FILE
@with_options(*MODEL, ENCODING, OUTPUT, *RUNNING)
def emit_smtlib(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the queries that decide the claims of FILE, in SMT-LIB 2.6; a check holds iff all of its are unsatisfiable.

    An epsilon that is asked for is computed first; its queries are about that number, and about one just below it.
    To a directory, one query a file; to standard output or a file that ends in `.smt2`, all of them with `(reset)`
    between. Claims that no query expresses are left out, unless --claim asks for them.
    """
    from pfl.base.budget import Budget, moment_after
    from pfl.emit.smtlib import emit_queries
    from pfl.verify.parameters.everywhere import in_parts

    options = read_options(**given)

    def write(claim: Claim) -> Files:
        if claim.verb == "find":
            return emit_queries(claim, options.encoding)  # which no query expresses
        budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states)
        return emit_queries(in_parts(claim, budget), options.encoding, budget, options)

    return _write_for_claims(file, options, write, output, color, suffix=".smt2", between="(reset)\n")


@command.command("drn")
@FILE
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_drn(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the Markov chains of the claims of FILE in the explicit DRN format of the model checker Storm.

    To a directory, one chain a file; claims that are about no chain are left out, unless --claim asks for them.
    """
    from pfl.emit.chain import emit_chains

    options = read_options(**given)
    return _write_for_claims(file, options, partial(emit_chains, chain_format="drn"), output, color, suffix=".drn")


@command.command("prism")
@FILE
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_prism(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write the Markov chains of the claims of FILE in the language of PRISM, as a dtmc of one module.

    To a directory, one chain a file; claims that are about no chain are left out, unless --claim asks for them.
    """
    from pfl.emit.chain import emit_chains

    options = read_options(**given)
    return _write_for_claims(file, options, partial(emit_chains, chain_format="prism"), output, color, suffix=".prism")


@command.command("dot")
@FILE
@with_options(*MODEL, OUTPUT, *RUNNING)
def emit_dot(file: str, output: str | None, color: str, **given: Any) -> int:
    """Write drawings of the systems and chains that the claims of FILE are about, in the DOT language of Graphviz."""
    from pfl.emit.dot import emit_drawings

    return _write_for_claims(file, read_options(**given), emit_drawings, output, color, suffix=".dot")


def _write_for_claims(
    file: str,
    options: Options,
    emit: Callable[[Claim], Files],
    output: str | None,
    color: str,
    *,
    suffix: str,
    between: str = "",
) -> int:
    """Write what each claim becomes; those for which there is nothing of that kind are left out unless asked for."""
    from pfl.verify.faults import guarded

    compiled = _compiled(file, options)
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code:
        return compiled.exit_code
    files: Files = []
    for claim in compiled.claims:
        emitted = guarded(partial(emit, claim), file, options)
        if isinstance(emitted, list):
            files += emitted
        elif emitted[0].code in (NO_QUERY, NO_CHAIN, TOO_LARGE_TO_DRAW) and not options.claims:
            click.echo(f"left out: {emitted[0].message}", err=True)
        else:
            write_diagnostics(emitted, color)
            return Findings(diagnostics=emitted).exit_code
    write_products(files, output, suffix=suffix, between=between)
    return 0


def _compiled(file: str, options: Options) -> Compiled:
    from pfl.driver import combined, compile_file

    with progress_line() as progress:
        return combined([compile_file(file, options, progress.report)], options)
