"""Random systems of samples and comparisons among them, their exact probability and its value at one eps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.plain import Comparison, PlainSample
from pfl.base.enclosure import exp
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct

HALVES = [Fraction(n, 2) for n in range(-3, 5)]
WHOLE = [Fraction(n) for n in range(-2, 4)]
RATES = [Fraction(1), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 2)]
ALPHAS = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(1, 3)]


@struct
class System:
    """Samples, what is compared of them, and the order in which they are summed out."""

    samples: tuple[PlainSample, ...]
    comparisons: tuple[Comparison, ...]
    order: tuple[int, ...]


@st.composite
def systems(draw: st.DrawFn, is_real: bool, most: int, cut: bool = False) -> System:
    """Up to `most` samples, cut or not, with `cut` all of them on both sides; any graph of comparisons, also cycles."""
    count = draw(st.integers(1, most))
    places = HALVES if is_real and draw(st.booleans()) else WHOLE
    samples = tuple(draw(_samples(is_real, places, cut)) for _ in range(count))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    comparisons = tuple(
        Comparison(left=x, right=y, relation=relation, distance=distance)
        for (x, y), relation, distance in draw(
            st.lists(
                st.tuples(pairs, st.sampled_from(["<", "<", "<=", "<=", "==", "!="]), st.sampled_from(places)),
                max_size=2 * count - 1,
            )
        )
        if x != y or relation != "<"
    )
    return System(samples=samples, comparisons=comparisons, order=tuple(draw(st.permutations(range(count)))))


def _samples(is_real: bool, places: Sequence[Fraction], cut: bool) -> st.SearchStrategy[PlainSample]:
    ends = st.sampled_from(places) if cut else st.sampled_from([None, None, None, *places])
    kinds = ["laplace", "laplace", "exponential"] if is_real else ["two_sided_geometric", "geometric"]

    def build(kind: str, mean: Fraction, spread: Fraction, low: Fraction | None, high: Fraction | None) -> PlainSample:
        if low is not None and high is not None:
            low, high = min(low, high), max(low, high)
        return PlainSample(kind=kind, mean=mean, spread=spread, low=low, high=high)  # type: ignore[arg-type]

    spreads = st.sampled_from(RATES if is_real else ALPHAS)
    return st.builds(build, st.sampled_from(kinds), st.sampled_from(places), spreads, ends, ends)


def joint_of(system: System) -> Joint:
    """The samples of the system before any comparison."""
    joint = Joint.one()
    for name, sample in enumerate(system.samples):
        joint = joint.with_sample(name, sample.function)
    return joint


def compared(joint: Joint, comparison: Comparison) -> Joint:
    """Where the comparison holds."""
    x, y, c = comparison.left, comparison.right, comparison.distance
    match comparison.relation:
        case "<" | "<=":
            return joint.where_less(x, y, c, comparison.relation == "<")
        case "==":
            return joint.where_equal(x, y, c)
        case "!=":
            return joint.where_different(x, y, c)


def otherwise(joint: Joint, comparison: Comparison) -> Joint:
    """Where it does not hold."""
    x, y, c = comparison.left, comparison.right, comparison.distance
    match comparison.relation:
        case "<" | "<=":
            return joint.where_less(y, x, -c, comparison.relation == "<=")
        case "==":
            return joint.where_different(x, y, c)
        case "!=":
            return joint.where_equal(x, y, c)


def exact(system: System) -> Weight:
    """The probability that all comparisons hold, the samples summed out one by one."""
    joint = joint_of(system)
    for comparison in system.comparisons:
        joint = compared(joint, comparison)
    for name in system.order:
        joint = joint.without(name)
    return joint.total()


def exact_as_a_program(system: System) -> Weight:
    """The same, each sample drawn when it is first compared and summed out after its last comparison; in between it is
    compared with 1, and both outcomes are added up."""
    joint = Joint.one()
    left = list(system.comparisons)
    for name, sample in enumerate(system.samples):
        if not any(name in (each.left, each.right) for each in left):
            joint = joint.with_sample(("alone", name), sample.function).without(("alone", name))
    while left:
        comparison = left.pop(0)
        ends = dict.fromkeys((comparison.left, comparison.right))
        for name in ends:
            if name not in joint.names:
                joint = joint.with_sample(name, system.samples[name].function)
        joint = compared(joint, comparison)
        if comparison.relation != "==":
            cut = {name: (name, "met") for name in joint.names}
            ways = joint.where_below(comparison.left, 1), joint.where_above(comparison.left, 1, strict=False)
            joint = (ways[0].renamed(cut) + ways[1].renamed(cut)).renamed({new: old for old, new in cut.items()})
        joint = joint.without(*(name for name in ends if not any(name in (each.left, each.right) for each in left)))
    return joint.total()


def value(weight: Weight, eps: Fraction, bits: int = 160) -> Fraction:
    """A weight without parameters at one eps, wrong by little more than 2^-bits."""
    total = Fraction(0)
    for (i, d), q in ExponentialSum.of(weight).terms.items():
        assert not isinstance(q, RationalFunction)
        total += q * eps**i * exp(-d * eps, bits).low
    return total
