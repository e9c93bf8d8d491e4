"""An iterator whose next element can be waited for among other things."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Pipe
from threading import Thread
from typing import Generic, TypeVar

Element = TypeVar("Element")


class Ahead(Generic[Element]):
    """Takes elements of an iterator in a thread of their own, one at a time, each when it is asked for.

    There is no thread between `take` and the next `ask`, so that the process may be forked then.
    """

    def __init__(self, source: Iterator[Element]) -> None:
        self._source = source
        self.ready, self._sender = Pipe(duplex=False)
        self._thread: Thread | None = None
        self._element: Element | None = None
        self._error: BaseException | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an element was asked for that has not been taken."""
        return self._thread is not None

    def ask(self) -> None:
        """Begin with the next element: `ready` can be read once it is there. Raises RuntimeError without a thread."""
        thread = Thread(target=self._work, daemon=True)
        thread.start()
        self._thread = thread

    def take(self) -> Element | None:
        """The element, as soon as it is there, asked for or not; None after the last.

        Raises what the iterator raises.
        """
        if self._thread is None:
            return next(self._source, None)
        self.ready.recv_bytes()
        self._thread.join()
        self._thread = None
        if self._error is not None:
            raise self._error
        return self._element

    def close(self) -> None:
        """Wait for nothing more; what was asked for goes on until it is there, or gives up by itself."""
        if not self.ready.closed:
            self.ready.close()

    def _work(self) -> None:
        try:
            self._element = next(self._source, None)
        except BaseException as error:
            self._error = error
        finally:
            with suppress(OSError):  # nobody waits any more
                self._sender.send_bytes(b".")
