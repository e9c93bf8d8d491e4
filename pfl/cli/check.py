"""`pflc check`: judge the claims of models.

Proofs as files: `DIR/<claim>.json` for every claim that was proved with certificates.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from pfl.cli.collection import rare_collections
from pfl.cli.interrupts import Interrupted, Interrupts
from pfl.cli.options import FILES, JUDGING, MODEL, RUNNING, read_options, with_options
from pfl.cli.output import progress_line
from pfl.cli.reporting import report_of
from pfl.options import Options
from pfl.report.styled import visible
from pfl.verify.verdict import ClaimResult


class CertificateFolder:
    """The folder that `options.certificates` names, made at once; None is no folder, and nothing is written.

    Raises OSError where the folder cannot be written, and so does `write`.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._folder = None if options.certificates is None else Path(options.certificates)
        self._taken: set[str] = set()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self._folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self._folder))

    def write(self, results: Sequence[ClaimResult]) -> None:
        """Write the proofs, and say on standard error which proved claims have none."""
        if self._folder is None:
            return
        from pfl.verify.certificates.proof import proof_of, proof_text, why_no_proof

        for result in results:
            if reason := why_no_proof(result):
                click.echo(f"no certificate for `{visible(result.claim.name)}`: {visible(reason)}", err=True)
            proof = proof_of(result, self._options)
            if proof is not None:
                name = _free_name(proof.claim, self._taken)
                (self._folder / f"{name}.json").write_text(proof_text(proof), encoding="ascii")


def _free_name(claim: str, taken: set[str]) -> str:
    """The claim's name in characters that every file system takes, different from those before."""
    base = re.sub(r"[^\w#.-]+", "_", claim).strip(".") or "claim"
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name.lower())
    return name


def _limit_memory(megabytes: int) -> None:
    from pfl.base.exceptions import limit_memory  # by which it is told too when nothing more can be loaded

    try:
        limit_memory(megabytes)
    except ImportError as error:
        raise click.BadParameter("this system cannot limit the memory of a process", param_hint="--memory") from error


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
        _limit_memory(options.memory)
    report = report_of(output_format, color)
    interruption = 0
    with Interrupts() as interrupts, progress_line() as progress, rare_collections() as all_is_read:
        try:
            from pfl.driver import check_stream

            folder = CertificateFolder(options)
            with closing(check_stream(files, options, progress.report)) as parts:
                for part in parts:
                    all_is_read()  # files are, before the first part
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
