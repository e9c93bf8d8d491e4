"""What guards of a transition do to the joint function of its samples."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.analysis.noise.joint import Joint
from pfl.base.diagnostics import LimitReached
from pfl.explore.noise_graph import Guard

LARGEST_WHOLE = 10_000
"""Of the means of integer noise, and of what its samples are compared with: between them integers are gone through."""


def guarded(joint: Joint, guards: Sequence[Guard]) -> Joint:
    """The joint function where all guards hold. Raises LimitReached for bounds of integers that are too large."""
    for guard in guards:
        if guard.is_integral and abs(guard.bound) > LARGEST_WHOLE:
            raise LimitReached(f"samples of integer noise are compared with numbers up to {LARGEST_WHOLE:,}")
        match guard:
            case Guard(left=int(left), right=int(right)):
                joint = joint.where_less(left, right, guard.bound, strict=False)
            case Guard(left=int(left)):
                joint = joint.where_below(left, guard.bound, strict=False)
            case Guard(right=int(right)):
                joint = joint.where_above(right, -guard.bound, strict=False)
    return joint
