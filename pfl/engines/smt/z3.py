"""The Z3 solver, in this process; the only file that imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from pfl.engines.errors import solver_not_found
from pfl.engines.smt.model_values import Unreadable, read_expressions, read_value
from pfl.engines.smt.smtlib import script_text
from pfl.engines.smt.solver_outcome import OUT_OF_TIME, NoAnswer, Outcome, Satisfiable, Unsatisfiable, Value
from pfl.engines.smt.terms import Script

NAME = "z3"


def _library() -> Any:
    """The z3 package. Raises InputRejected where it is not installed."""
    try:
        import z3
    except ImportError as error:
        raise solver_not_found(NAME, known=True) from error
    return z3


def solve(script: Script, seconds: float | None) -> Outcome:
    """Z3's answer to the text of the script, within the time limit.

    Raises MemoryError where memory runs out, and KeyboardInterrupt where the user interrupts it: during its search Z3
    takes that signal for itself.
    """
    z3 = _library()
    if seconds is not None and seconds <= 0:
        return OUT_OF_TIME
    context = z3.Context()
    solver = z3.SolverFor(script.logic, ctx=context)
    try:
        solver.from_string(script_text(script))
        with _stopped_after(context, seconds) as is_stopped:
            answer = solver.check()
    except z3.Z3Exception as error:
        if "out of memory" in str(error) or "memout" in str(error):
            raise MemoryError from error
        raise
    if answer == z3.unsat:
        return Unsatisfiable()
    if answer == z3.sat:
        return Satisfiable(_values(z3, context, solver.model(), script))
    reason = solver.reason_unknown()
    if is_stopped():
        return OUT_OF_TIME
    if "interrupted" in reason or "canceled" in reason:
        raise KeyboardInterrupt
    if "memout" in reason or "memory" in reason:
        raise MemoryError
    return NoAnswer(f"it answered `unknown` {reason}".rstrip(), "try another --solver, or --engine exact")


@contextmanager
def _stopped_after(context: Any, seconds: float | None) -> Iterator[Callable[[], bool]]:
    """Interrupts the solver from a thread once the time is over, since not all of Z3 heeds its own limit.

    Yields a function that says whether this has happened.
    """
    if seconds is None:
        yield lambda: False
        return
    expired: list[bool] = []

    def stop() -> None:
        expired.append(True)
        context.interrupt()

    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield lambda: bool(expired)
    finally:
        timer.cancel()
        timer.join()


def _values(z3: Any, context: Any, model: Any, script: Script) -> dict[str, Value]:
    """The values asked for; symbols that the model leaves open get one that fits."""
    values: dict[str, Value] = {}
    for symbol in script.values:
        variable = (z3.Bool if symbol.sort == "Bool" else z3.Real)(symbol.name, context)
        text = model.eval(variable, model_completion=True).sexpr()
        try:
            values[symbol.name] = read_value(read_expressions(text)[0])
        except Unreadable:
            continue
    return values
