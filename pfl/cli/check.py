"""`pflc check`: judge the claims of models."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from pfl.cli.interrupts import Interrupted, Interrupts
from pfl.cli.memory import limit_memory
from pfl.cli.options import FILES, JUDGING, MODEL, RUNNING, read_options, with_options
from pfl.cli.output import progress_line
from pfl.cli.reporting import report_of


@click.command("check")
@FILES
@with_options(*MODEL, *JUDGING, *RUNNING)
def command(files: tuple[str, ...], output_format: str, color: str, **given: Any) -> int:
    """Judge the claims of models; `-` reads standard input.

    A claim is proved with evidence, refuted with a witness that was replayed exactly, or left undecided with the
    reason. Exit code: 0 every claim came out as expected, 1 some did not, 3 the input was rejected, 4 undecided, 130
    interrupted.
    """
    options = read_options(**given)
    if options.memory is not None:
        limit_memory(options.memory)
    report = report_of(output_format, color)
    interruption = 0
    with Interrupts() as interrupts, progress_line() as progress:
        try:
            from pfl.cli.certificates import CertificateFolder
            from pfl.driver import check_stream

            folder = CertificateFolder(options)
            with closing(check_stream(files, options, progress.report)) as parts:
                for part in parts:
                    with interrupts.held(), progress.hidden():
                        report.tell(part)
                        folder.write(part.results)
        except KeyboardInterrupt as interrupted:
            interruption = interrupted.number if isinstance(interrupted, Interrupted) else Interrupts.BY_KEYBOARD
        with interrupts.held(is_last=True), progress.hidden():
            report.end(interruption)
    if interruption and output_format != "human":
        click.echo("interrupted", err=True)
    return report.tally.exit_code
