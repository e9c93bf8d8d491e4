"""Room for recursion over trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

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
