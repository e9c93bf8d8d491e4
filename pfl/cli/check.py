"""`pflc check`: judge the claims of models."""

from __future__ import annotations

from typing import Any

import click

from pfl.cli.memory import limit_memory
from pfl.cli.options import FILES, JUDGING, MODEL, RUNNING, read_options, with_options
from pfl.cli.output import progress_line, write_findings


@click.command("check")
@FILES
@with_options(*MODEL, *JUDGING, *RUNNING)
def command(files: tuple[str, ...], output_format: str, color: str, **given: Any) -> int:
    """Judge the claims of models; `-` reads standard input.

    A claim is proved with evidence, refuted with a witness that was replayed exactly, or left undecided with the
    reason. Exit code: 0 every claim came out as expected, 1 some did not, 3 the input was rejected, 4 undecided.
    """
    from pfl.driver import check_files

    options = read_options(**given)
    if options.memory is not None:
        limit_memory(options.memory)
    progress = progress_line()
    try:
        findings = check_files(files, options, progress.report)
    finally:
        progress.close()
    write_findings(findings, output_format, color)
    if options.certificates is not None:
        from pfl.cli.certificates import write_certificates

        write_certificates(findings, options.certificates, options)
    return findings.exit_code
