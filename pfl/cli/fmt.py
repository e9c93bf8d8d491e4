"""`pflc fmt`: models in the one standard layout."""

from __future__ import annotations

from pathlib import Path

import click

from pfl.base.source import SourceFile
from pfl.cli.collection import rare_collections
from pfl.cli.options import COLOR, DEBUG, FILES, with_options
from pfl.cli.output import write_diagnostics
from pfl.options import Options
from pfl.verify.verdict import Findings


@click.command("fmt")
@FILES
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@with_options(COLOR, DEBUG)
def command(files: tuple[str, ...], only_check: bool, color: str, debug: bool) -> int:
    """Write each FILE back in the standard layout, comments included; `-` goes from standard input to output."""
    with rare_collections():
        codes = {_format(path, only_check, color, debug) for path in files}
    return next((code for code in (70, 3, 1) if code in codes), 0)


def _format(path: str, only_check: bool, color: str, debug: bool) -> int:
    from pfl.verify.faults import guarded

    formatted = guarded(lambda: _formatted(path), path, Options(debug=debug))
    if not isinstance(formatted[0], SourceFile):
        findings = Findings(diagnostics=formatted)
        write_diagnostics(findings.diagnostics, color)
        return findings.exit_code
    file, text = formatted
    is_changed = file.text != text
    if only_check:
        if is_changed:
            click.echo(f"would change {file.name}")
        return int(is_changed)
    if path == "-":
        click.echo(text, nl=False)
    elif is_changed:
        Path(path).write_text(text, encoding="utf-8", newline="")
        click.echo(f"formatted {path}")
    return 0


def _formatted(path: str) -> tuple[SourceFile, str]:
    from pfl.base.reading import read_source

    file = read_source(path)
    return file, text_in_layout(file)


def text_in_layout(file: SourceFile) -> str:
    """The source in the standard layout. Raises InputRejected, also where it is the text of a model."""
    from pfl.model.text import is_model_text
    from pfl.syntax.printing.printer import format_source

    if is_model_text(file.text):
        from pfl.model.text.errors import no_source  # needed for such texts only

        raise no_source(file)
    return format_source(file)
