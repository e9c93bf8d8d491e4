"""Solvers that are programs: the text goes to them in a file, the answer comes back on their output."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from pfl.engines.errors import solver_cannot_run, solver_not_found
from pfl.engines.model_values import Expression, read_expressions, read_model
from pfl.engines.smtlib import one_line, script_text
from pfl.engines.solver_outcome import OUT_OF_TIME, NoAnswer, Outcome, Satisfiable, Unsatisfiable
from pfl.engines.terms import Script

_EXECUTABLES = {"z3": "z3", "cvc5": "cvc5", "yices": "yices-smt2"}
_LONGEST_COMPLAINT = 200


@dataclass(frozen=True, slots=True)
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
    if Path(executable).exists():
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
        try:
            output, complaints = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return OUT_OF_TIME
        finally:
            if process.returncode is None:
                _kill(process)
    return _outcome(output, complaints, process.returncode)


def _kill(process: subprocess.Popen[str]) -> None:
    """End the program and all that it has started: it leads a process group of its own."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()


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
    said = one_line(complaints.strip() or output.strip())[:_LONGEST_COMPLAINT]
    ending = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return _complaint(f"it {ending} without an answer" + (f", saying: {said}" if said else ""))


def _complaint(reason: str) -> NoAnswer:
    return NoAnswer(reason, "try another --solver, or --engine exact")


def _message(parts: list[Expression]) -> str:
    return one_line(" ".join(part.strip('"') for part in parts if isinstance(part, str)))[:_LONGEST_COMPLAINT]
