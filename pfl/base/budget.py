"""What a run may spend, and how it tells of its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field

from pfl.base.diagnostics import LimitReached
from pfl.base.struct import struct

ProgressReport = Callable[[str], None]

STEPS_TOLD = 1_000_000
"""Steps of evaluation in one stretch from which on they are told as progress; a third of a second, roughly."""

MOST_STEPS = 100_000_000
"""Steps that evaluation may take in one stretch while no time limit is given; half a minute, roughly."""


MOST_VALUES = 100_000_000
"""More values than these fit into no memory, whatever `--max-states` allows."""


def larger_limit(count: int | None) -> str:
    """The end of an advice on a limit that `count` values exceed: to raise it, where that would help."""
    return "" if count is None or count > MOST_VALUES else ", or try a larger --max-states"


def silent(_text: str) -> None:
    """Progress that nobody reads."""


class Stoppable:
    """Progress that ends the work that tells it, by KeyboardInterrupt, once `stop` was called: in another thread, there
    is no other way."""

    def __init__(self, progress: ProgressReport) -> None:
        self._progress = progress
        self._is_stopped = False

    def __call__(self, text: str) -> None:
        if self._is_stopped:
            raise KeyboardInterrupt
        self._progress(text)

    def stop(self) -> None:
        self._is_stopped = True


def moment_after(seconds: float | None) -> float | None:
    """The moment on the monotonic clock that is so many seconds away; None for no limit."""
    return None if seconds is None else time.monotonic() + seconds


@struct(eq=False, frozen=False)
class Budget:
    """Limits of one claim: a moment on the monotonic clock (seconds), a number of states.

    Long loops call `check()` often; it costs one clock reading, and tells the progress. Evaluation of expressions
    counts its steps with `spend()`: without a time limit, one stretch of it between two checks is limited to
    `MOST_STEPS`. What several claims share keeps one budget, which gets a new deadline for each of them.
    """

    deadline: float | None = None
    max_states: int = 2_000_000
    progress: ProgressReport = field(default=silent, repr=False)
    _steps: int = field(default=0, repr=False)

    def check(self, where: str) -> None:
        """Raise `LimitReached` once the time is over; `where` says how far the work has come."""
        if self._is_over():
            raise LimitReached(f"the time limit was reached after {where}; try a larger --timeout")
        self.progress(where)
        self._steps = 0

    def spend(self, steps: int) -> None:
        """Count steps of evaluation; raise `LimitReached` once the time is over or the stretch too long."""
        self._steps += steps
        if self._is_over():
            reached = f"{self._steps:,} steps of evaluation"
            raise LimitReached(f"the time limit was reached after {reached}; try a larger --timeout")
        if self.deadline is None and self._steps > MOST_STEPS:
            cure = "go through fewer values, or allow the time that it takes with --timeout"
            raise LimitReached(f"an expression has no value yet after {MOST_STEPS:,} steps of evaluation; {cure}")
        if self._steps >= STEPS_TOLD:
            self.progress(f"{self._steps:,} steps of evaluation")

    def _is_over(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
