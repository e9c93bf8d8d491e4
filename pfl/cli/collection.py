"""Python's search for cycles of objects that nothing else refers to, while files are read.

A syntax tree is a hundred objects a line, which stay until the end, and the search goes through all of them again and
again: a third of the time of a long file.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

RARELY = 100_000
"""How many objects are made between two searches. What they could find by then takes tens of megabytes at most."""


@contextmanager
def rare_collections() -> Iterator[Callable[[], None]]:
    """Cycles are searched for rarely until the block ends, or until it first calls what it is given: then as often as
    before, but not among the objects that exist by then. After the block all is as it was."""
    before = gc.get_threshold()
    is_settled = False

    def settle() -> None:
        nonlocal is_settled
        if not is_settled:  # what comes later is not kept: the garbage of claims would stay with it
            is_settled = True
            gc.set_threshold(*before)
            gc.freeze()

    gc.set_threshold(RARELY, *before[1:])
    try:
        yield settle
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
