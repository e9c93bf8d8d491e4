"""What becomes of exceptions: rejected input, limits, and faults of the compiler itself, each as diagnostics."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from errno import ENOMEM
from pathlib import Path
from typing import TypeVar

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.recursion import deep_recursion
from pfl.options import Options

T = TypeVar("T")


def guarded(work: Callable[[], T], file: str, options: Options) -> T | tuple[Diagnostic, ...]:
    """What `work` returns, or the diagnostics that its exception stands for; with `options.debug` faults escape."""
    try:
        with deep_recursion():
            return work()
    except InputRejected as rejected:
        return rejected.diagnostics
    except LimitReached as limit:
        return (limit.diagnostic or limit_reached(limit.reason, file),)
    except RecursionError:
        return (limit_reached("the model is nested too deeply", file),)
    except Exception as error:
        if is_out_of_memory(error):
            return (limit_reached(out_of_memory(options), file),)
        if options.debug:
            raise
        return (internal_error(error, file),)


def is_out_of_memory(error: Exception) -> bool:
    """Whether an exception says that there is no memory left; a library that cannot be loaded says so in its text."""
    if isinstance(error, OSError) and error.errno == ENOMEM:
        return True
    lacks_room = isinstance(error, ImportError) and ("allocate memory" in str(error) or "map segment" in str(error))
    return isinstance(error, MemoryError) or lacks_room


def out_of_memory(options: Options) -> str:
    """The reason of an undecided claim whose memory was used up."""
    limit = "" if options.memory is None else f" of {options.memory} MB"
    return f"the memory{limit} was used up; try a larger --memory, or a smaller model"


def limit_reached(reason: str, file: str) -> Diagnostic:
    return Diagnostic(code=codes.LIMIT_REACHED, message=reason, file=file)


def internal_error(error: Exception, file: str) -> Diagnostic:
    return Diagnostic(
        code=codes.INTERNAL_ERROR,
        message=f"the compiler has failed: {description(error)}",
        file=file,
        help="this is a fault of pflc, not of the model; please report it together with the model",
        notes=("`--debug`, or PFLC_DEBUG=1, shows the traceback",),
    )


def description(error: Exception) -> str:
    """The exception on one line, with the place in pfl where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "pfl" in Path(frame.filename).parts] or frames
    place = f" at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{place}" + (f": {text[:200]}" if text else "")
