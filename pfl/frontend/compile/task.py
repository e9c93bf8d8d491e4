"""Recursion without Python's stack: a task is a generator that yields the tasks it needs and returns its result.

Sources nest hundreds of levels, and chains of `else if` far more; Python's own stack holds a thousand calls.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")

Task: TypeAlias = "Generator[Task[Any], Any, Result]"


def run(task: Task[Result]) -> Result:
    """The result of a task, and of all tasks that it asks for, in order."""
    waiting: list[Task[Any]] = [task]
    result: Any = None
    while waiting:
        try:
            needed = waiting[-1].send(result)
        except StopIteration as finished:
            waiting.pop()
            result = finished.value
        else:
            waiting.append(needed)
            result = None
    final: Result = result
    return final


def done(result: Result) -> Task[Result]:
    """A task that needs nothing."""
    return result
    yield  # makes this function a generator
