"""What a transition does to the joint function of the samples that a state holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence

from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.diagnostics import LimitReached
from pfl.explore.noise_graph import Edge, Guard
from pfl.model.noise import Noise

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


def carried(
    joint: Joint, edge: Edge, needed: Collection[int], function_of: Callable[[Noise], SampleFunction]
) -> tuple[Joint, dict[Hashable, int]]:
    """The joint function with the samples that a transition draws and its target needs, and by what handles the target
    knows the samples that it needs; others are still in it."""
    names: dict[Hashable, int] = {}
    for handle, origin in enumerate(edge.carried):
        if handle in needed:
            if isinstance(origin, Noise):
                joint = joint.with_sample(("new", handle), function_of(origin))
                names["new", handle] = handle
            else:
                names[origin] = handle
    return joint, names
