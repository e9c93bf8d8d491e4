"""`pflc`: the group of subcommands, and the one place where a run ends in an exit code."""

from __future__ import annotations

import atexit
import errno
import os
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, TextIO

import click

from pfl.version import __version__

COMMANDS = {
    "check": "Judge the claims of models.",
    "emit": "Write what the compiler makes of a model: solver queries, or its intermediate form.",
    "verify": "Check a proof independently, by exact arithmetic alone.",
    "explain": "Explain an error code.",
    "simulate": "Run the systems of a model at random, exactly.",
    "fmt": "Format models.",
    "new": "Start a model that is commented and checks.",
}
"""Every subcommand lives in the module of its name, and is imported only when it is called."""

_OUT_OF_HANDLES = (errno.EMFILE, errno.ENFILE, errno.EAGAIN)

INTERRUPTED = 130
BROKEN_PIPE = 141
USAGE = 2
UNDECIDED = 4
FAULT = 70


class _Commands(click.Group):
    """A group whose members are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click gives it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click gives it
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"pfl.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"there is no command `{name}`{_suggestion(name)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click gives it
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    if name.endswith(".pfl"):
        return f"; did you mean `pflc check {name}`?"
    close = get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 every claim as expected, 1 some claim not, 2 usage, 3 input rejected, 4 undecided, "
    "70 a fault of pflc, 130 interrupted.",
)
@click.version_option(__version__, prog_name="pflc", message="%(prog)s %(version)s")
def commands() -> None:
    """Check privacy claims about models written in PFL, exactly."""


def run(arguments: Sequence[str]) -> int:
    """Run `pflc` with these arguments; the exit code. With `--debug` a fault of pflc itself escapes as an exception."""
    if sys.stdout is None or sys.stderr is None:  # started with one of them closed: nobody can be told
        return USAGE
    _make_output_safe()
    try:
        return _told(arguments)
    except OSError:  # standard error cannot be written either
        _discard(sys.stdout, sys.stderr)
        return USAGE


def _told(arguments: Sequence[str]) -> int:
    """The exit code of a run; what ended it early is told on standard error. Raises OSError where that fails."""
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _discard(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:
        where = error.filename or ("the system" if error.errno in _OUT_OF_HANDLES else "standard output")
        click.echo(f"Error: {where}: {error.strerror or error}", err=True)
        return USAGE
    except Exception as error:
        if "--debug" in arguments or os.environ.get("PFLC_DEBUG"):
            raise
        return _failed(error)
    return code


def _discard(*streams: TextIO) -> None:
    """Let what is written to the streams go nowhere: Python flushes them once more at exit, which must not fail."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _invoke(arguments: Sequence[str]) -> int:
    """The exit code of a subcommand, 0 after `--help`; not by `commands.main`, which ends a broken pipe with our 1."""
    try:
        with commands.make_context("pflc", list(arguments)) as context:
            code = commands.invoke(context)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    return code if isinstance(code, int) else 0


def _failed(error: Exception) -> int:
    """Report an exception that nobody caught; the exit code."""
    from pfl.base.exceptions import description, is_out_of_memory

    if is_out_of_memory(error):
        click.echo("error[PFL0790]: the memory was used up; try a larger --memory", err=True)
        return UNDECIDED
    click.echo(f"error[PFL0901]: the compiler has failed: {description(error)}", err=True)
    click.echo("  = help: this is a fault of pflc, not of the model; please report it; --debug shows more", err=True)
    return FAULT


def _make_output_safe() -> None:
    """What the encoding of a stream lacks is spelled out (`\\xe9`) instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def main() -> NoReturn:
    """The entry point of the `pflc` script."""
    # numpy reads it when it is first imported. Matrices are small here: a second thread costs more than it gives.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _end(run(sys.argv[1:]))


def _end(code: int) -> NoReturn:
    """End the process. Python would free every object before, which takes a sixth of the time of a small check; it does
    so where somebody has asked to be called at its end, or looks on."""
    is_awaited = atexit._ncallbacks() or threading.active_count() > 1 or sys.getprofile() or sys.gettrace()
    if is_awaited or sys.flags.inspect:
        sys.exit(code)
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # as `sys.exit` tells it
        sys.exit(code)
    os._exit(code)
