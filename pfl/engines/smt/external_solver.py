"""Solvers that are programs: the text goes to them in a file, the answer comes back on their output."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from pfl.base.budget import moment_after
from pfl.base.struct import struct
from pfl.engines.errors import solver_cannot_run, solver_not_found
from pfl.engines.smt.model_values import Expression, read_expressions, read_model
from pfl.engines.smt.smtlib import one_line, script_text
from pfl.engines.smt.solver_outcome import OUT_OF_TIME, NoAnswer, Outcome, Satisfiable, Unsatisfiable
from pfl.engines.smt.terms import Script

_EXECUTABLES = {"z3": "z3", "cvc5": "cvc5", "yices": "yices-smt2"}
_LONGEST_COMPLAINT = 200
LONGEST_OUTPUT = 1 << 23
"""Characters of output that are read of a solver; one that writes more is ended."""


@struct(kw_only=False)
class Program:
    """A solver that can be run: the name the user knows it by, and the command that takes a file of SMT-LIB."""

    name: str
    command: tuple[str, ...]


def find_program(name: str) -> Program:
    """The program that `--solver` means: `z3`, `cvc5`, `yices`, or a program by its name or path.

    Known ones are looked for on PATH, then beside this Python; cvc5 may also be the Python package of that name.
    Raises InputRejected where there is none, or where it is not allowed to run.
    """
    executable = _EXECUTABLES.get(name, name)
    path = shutil.which(executable)
    if path is None and name in _EXECUTABLES:
        path = shutil.which(executable, path=str(Path(sys.executable).parent))
    if path is not None:
        return Program(name, (str(Path(path).absolute()),))
    if name == "cvc5" and find_spec("cvc5") is not None:
        return Program(name, (sys.executable, str(Path(__file__).with_name("cvc5_program.py"))))
    if os.path.exists(executable):  # unlike Path it says no where a folder may not be looked into
        raise solver_cannot_run(name, "it is not an executable file")
    raise solver_not_found(name, known=name in _EXECUTABLES)


def solve(program: Program, script: Script, seconds: float | None) -> Outcome:
    """The program's answer to the text of the script; it is killed with its children once the time is over.

    Raises InputRejected where the program cannot be started.
    """
    if seconds is not None and seconds <= 0:
        return OUT_OF_TIME
    with tempfile.TemporaryDirectory(prefix="pflc-") as directory:
        Path(directory, "query.smt2").write_text(script_text(script), encoding="utf-8")
        with _ended_with_us() as started:
            try:
                process = subprocess.Popen(
                    [*program.command, "query.smt2"],
                    cwd=directory,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    start_new_session=True,
                )
            except OSError as error:
                raise solver_cannot_run(program.name, error.strerror or str(error)) from error
            started(process)
            try:
                said = _read_output(process, seconds)
            except TimeoutError:
                return OUT_OF_TIME
    if said is None:
        return _complaint(f"it wrote more than {LONGEST_OUTPUT // 1_000_000} million characters")
    return _outcome(*said, process.returncode)


def _read_output(process: subprocess.Popen[str], seconds: float | None) -> tuple[str, str] | None:
    """What the program writes to its output and as complaints; None where one is too long to be read to its end.

    The program has ended then, on its own or by us. Raises TimeoutError once the time is over.
    """
    end = moment_after(seconds)

    def left() -> float | None:
        return None if end is None else max(0.0, end - time.monotonic())

    def read(stream: IO[str]) -> str:
        text = stream.read(LONGEST_OUTPUT)
        if len(text) == LONGEST_OUTPUT:
            _kill(process)
        return text

    with process, ThreadPoolExecutor(max_workers=2) as threads:
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        reading = [threads.submit(read, stream) for stream in streams]
        try:
            output, complaints = (text.result(left()) for text in reading)
            process.wait(left())
        except subprocess.TimeoutExpired as late:
            raise TimeoutError from late
        finally:
            _kill(process)
    return None if LONGEST_OUTPUT in (len(output), len(complaints)) else (output, complaints)


@contextmanager
def _ended_with_us() -> Iterator[Callable[[subprocess.Popen[str]], None]]:
    """A signal that ends us ends the program first: it is in a process group of its own, and would go on without us.

    Gives a function that is to be told of the program; a signal that comes while it is being started waits for that.
    """
    programs: list[subprocess.Popen[str]] = []
    waiting: list[int] = []

    def end(number: int, _frame: object = None) -> None:
        if not programs:
            waiting.append(number)
            return
        with suppress(ProcessLookupError):
            os.killpg(programs[0].pid, signal.SIGKILL)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def started(process: subprocess.Popen[str]) -> None:
        programs.append(process)
        for number in waiting:
            end(number)

    if not hasattr(os, "killpg") or threading.current_thread() is not threading.main_thread():
        yield started
        return
    # What is ignored, as under nohup, or handled by somebody else, does not end us.
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, end)
        yield started
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        for missed in () if programs else waiting:  # the program could not be started
            os.kill(os.getpid(), missed)


def _kill(process: subprocess.Popen[str]) -> None:
    """End the program and all that it has started, if it runs: it leads a process group of its own."""
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _outcome(output: str, complaints: str, code: int) -> Outcome:
    """What the output says. After `unsat` comes an error, for there are no values to get."""
    answers = read_expressions(output)
    for position, answer in enumerate(answers):
        match answer:
            case "sat":
                return Satisfiable(read_model(answers[position + 1] if position + 1 < len(answers) else []))
            case "unsat":
                return Unsatisfiable()
            case "timeout":
                return OUT_OF_TIME
            case "unknown":
                return NoAnswer("it answered `unknown`", "try another --solver, or --engine exact")
            case ["error", *message]:
                return _complaint(f"it reported an error: {_message(message)}")
    said = _quoted(complaints) or _quoted(output)
    ending = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return _complaint(f"it {ending} without an answer" + (f", saying: {said}" if said else ""))


def _complaint(reason: str) -> NoAnswer:
    return NoAnswer(reason, "try another --solver, or --engine exact")


def _message(parts: list[Expression]) -> str:
    return _quoted(" ".join(part.strip('"') for part in parts if isinstance(part, str)))


def _quoted(text: str) -> str:
    """The beginning of a text, on one line, without what cannot be printed or was no text."""
    beginning = one_line(text[: 10 * _LONGEST_COMPLAINT].replace("\ufffd", " "))
    return " ".join(beginning.split())[:_LONGEST_COMPLAINT]
