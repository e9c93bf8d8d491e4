"""`pflc simulate`: runs of the systems of a model, drawn at random with exact probabilities."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from pfl.cli.options import FILE, MODEL, RUNNING, read_options, with_options
from pfl.cli.output import progress_line, write_diagnostics


@click.command("simulate")
@FILE
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same runs.")
@click.option("--steps", type=click.IntRange(min=0), default=10, show_default=True, help="Letters, inputs or moves.")
@click.option("--runs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each claim's system.")
@click.option(
    "--start",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Run from the N-th of the inputs, secrets or starts that a claim compares; the runs say how many there are.",
)
@with_options(*MODEL, *RUNNING)
def command(file: str, seed: int, steps: int, runs: int, start: int, color: str, **given: Any) -> int:
    """Run the systems that the claims of FILE are about, and print what an examiner would see."""
    from random import Random

    from pfl.driver import combined, compile_file
    from pfl.engines.chain.simulation import simulate
    from pfl.engines.chain.starts import starts_of
    from pfl.verify.faults import guarded
    from pfl.verify.verdict import Findings

    options = read_options(**given)
    with progress_line() as progress:
        compiled = combined([compile_file(file, options, progress.report)], options)
    write_diagnostics(compiled.diagnostics, color)
    if compiled.exit_code:
        return compiled.exit_code
    for claim in compiled.claims:
        if start > (count := max(1, len(starts_of(claim)))):
            there_are = "1 start" if count == 1 else f"{count} starts"
            raise click.BadParameter(f"`{claim.name}` has {there_are}; --claim chooses a claim", param_hint="--start")
    source = Random(seed)
    for claim in compiled.claims:
        for number in range(runs):
            lines = guarded(partial(simulate, claim, steps=steps, source=source, start=start), file, options)
            if not isinstance(lines, list):
                write_diagnostics(lines, color)
                return Findings(diagnostics=lines).exit_code
            title = claim.name if runs == 1 else f"{claim.name}, run {number + 1}"
            click.echo("\n".join((title, *lines)))
    return 0
