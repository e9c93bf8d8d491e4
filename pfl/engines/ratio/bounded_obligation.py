"""What one query asks: one direction of one comparison, at one length, against one number c <= e^eps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pfl.analysis.parametric.threshold import power
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.obligation import Directed, multiplied_out
from pfl.model.compare import Compare, Comparison
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import Condition, ParameterSpace, names_of

THE_RATIO = "e^eps"
"""Name of the unknown that stands for e^eps where that is no rational function of the parameters; no parameter of a
model can have it."""


@struct(eq=False)
class BoundedObligation(Directed):
    """mass(left, w) <= e^eps mass(right, w) for every word w of `length` letters, at every point of `space`.

    `left` and `right` are the start vectors above and below, multiplied out by the other side's weight.
    """

    length: int
    left: Vector
    right: Vector
    space: ParameterSpace

    @property
    def system(self) -> LabelledSystem:
        """The system of the words."""
        return self.direction.comparison.system


@struct
class Threshold:
    """c <= e^eps, with equality if `exact`; `conditions` tie it to the parameters where it is an unknown of its own."""

    c: Number
    exact: bool
    conditions: tuple[Condition, ...] = ()


def obligations(question: Compare, *, all_lengths: bool = False) -> Iterator[BoundedObligation]:
    """Every direction of every comparison, at the lengths that suffice, shortest first.

    Where no mass is lost the longest length suffices: a word that violates the claim has continuations of every
    length, and one of each length violates it too; with `all_lengths` each length of the claim comes all the same.
    Where mass may be lost every length up to the longest counts.
    """
    if question.lengths == "any":
        raise ValueError("a query has one length")
    longest = max(question.lengths, default=0)
    claimed = sorted(set(question.lengths)) if all_lengths else [longest]
    for direction in question.directions:
        lengths = claimed if direction.comparison.system.stochastic else range(longest + 1)
        space = relevant_space(question.parameters, direction.comparison)
        out = multiplied_out(direction)
        for length in lengths:
            yield BoundedObligation(direction=direction, length=length, left=out.left, right=out.right, space=space)


def relevant_space(space: ParameterSpace, comparison: Comparison) -> ParameterSpace:
    """The space, and what must not be 0, for a comparison that depends on parameters; no parameters for one that does
    not. Parameters that neither the comparison nor an assumption names are left out."""
    names = names_of(comparison.system.numbers) | comparison.own_mentioned
    names |= names_of(condition.polynomial for condition in comparison.nonzero)
    if not names:
        return ParameterSpace()
    whole = space.restricted(*comparison.nonzero)
    names |= names_of(condition.polynomial for clause in whole.assumptions for condition in clause)
    return replace(whole, parameters=tuple(p for p in whole.parameters if p.name in names))


def threshold(epsilon: Epsilon, bits: int, *, symbolic: bool) -> Threshold:
    """e^eps, exactly where it is a rational number or function; else a short rational below it, off by 2^-bits at most.

    Under parameters (`symbolic`) a ratio may equal an irrational algebraic e^eps. It is then an unknown c of its own,
    with c^n = P, exact unless eps has a rational part too.
    """
    exact = epsilon.exact_exponential()
    if exact is not None:
        return Threshold(c=exact, exact=True)
    if not epsilon.parameters and (not symbolic or epsilon.algebraic() is None):
        low, close = epsilon.lower_bound(bits), epsilon.lower_bound(bits + 32)
        return Threshold(c=simplest_between(low, close) if low < close else low, exact=False)
    known = power(epsilon, bits)
    if known.root == 1:
        return Threshold(c=known.bound, exact=known.exact)
    c = RationalFunction.parameter(THE_RATIO)
    equals_power = Condition(polynomial=c**known.root - known.bound, relation="==", text=f"c = e^({epsilon})")
    positive = Condition(polynomial=-c, relation="<", text="c > 0")
    return Threshold(c=c, exact=known.exact, conditions=(positive, equals_power))
