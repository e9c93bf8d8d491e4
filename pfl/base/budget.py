"""What a run may spend, and how it tells of its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pfl.base.diagnostics import LimitReached

ProgressReport = Callable[[str], None]


def silent(_text: str) -> None:
    """Progress that nobody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one claim: a moment on the monotonic clock (seconds), a number of states.

    Long loops call `check()` often; it costs one clock reading.
    """

    deadline: float | None = None
    max_states: int = 2_000_000
    progress: ProgressReport = field(default=silent, repr=False)

    def check(self, where: str) -> None:
        """Raise `LimitReached` once the time is over; `where` says how far the work has come."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise LimitReached(f"the time limit was reached after {where}; try a larger --timeout")

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
