"""Exceptions that nobody foresaw, in words: memory used up, nesting too deep, faults of the compiler.

The limit of memory, and room for recursion over trees.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOMEM
from pathlib import Path

NESTED_TOO_DEEPLY = "the model is nested too deeply"


def limit_met(error: Exception, memory: int | None) -> str | None:
    """Which limit an exception says was met, and what to try; None where it is a fault of the compiler.

    `memory` is the limit that was set, in megabytes.
    """
    if isinstance(error, RecursionError):
        return NESTED_TOO_DEEPLY
    return out_of_memory(memory) if is_out_of_memory(error) else None


def is_out_of_memory(error: Exception) -> bool:
    """Whether an exception says that there is no memory left; a library that cannot be loaded says so in its text."""
    if isinstance(error, OSError) and error.errno == ENOMEM:
        return True
    lacks_room = isinstance(error, ImportError) and ("allocate memory" in str(error) or "map segment" in str(error))
    return isinstance(error, MemoryError) or lacks_room


def out_of_memory(memory: int | None) -> str:
    """The reason of an undecided claim whose memory was used up; `memory` is the limit that was set, in megabytes."""
    limit = "" if memory is None else f" of {memory} MB"
    return f"the memory{limit} was used up; try a larger --memory, or a smaller model"


def limit_memory(megabytes: int) -> None:
    """Let allocations of this process, and of those it starts, beyond the limit fail with MemoryError.

    Raises ImportError where the system cannot do that.
    """
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = min(megabytes * 1024 * 1024, sys.maxsize)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def description(error: Exception) -> str:
    """The exception on one line, with the place in pfl where it was raised."""
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "pfl" in Path(frame.filename).parts] or frames
    place = f" at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{place}" + (f": {text[:200]}" if text else "")


RECURSION = 20_000
"""Frames that the deepest model that the parser lets through, and chains of definitions, may need."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for deep recursion, given back afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
