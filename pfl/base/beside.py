"""What stands beside numbers in sums and comparisons, and says itself what comes of it."""

from __future__ import annotations


class Beside:
    """A value that is no number, and that numbers leave sums and comparisons with themselves to."""

    __slots__ = ()
