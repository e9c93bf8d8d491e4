"""Signals that end a run: Ctrl-C, and the request to terminate."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """The run is to end; `number` is that of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Interrupts:
    """While it is entered, signals that end a run raise `Interrupted`, though not in the midst of what is `held`.

    A second signal does not wait. What was ignored, as under nohup, stays so.
    """

    BY_KEYBOARD = int(signal.SIGINT)

    def __init__(self) -> None:
        self._before: dict[signal.Signals, object] = {}
        self._is_held = False
        self._pending: int | None = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def held(self, *, is_last: bool = False) -> Iterator[None]:
        """A signal waits until the end of the block; where that is the end of the run, it is of no use any more."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
            pending, self._pending = self._pending, None
        if pending is not None and not is_last:
            raise Interrupted(pending)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._is_held and self._pending is None:
            self._pending = number
            return
        raise Interrupted(number)
