"""Several live samples that were compared: one unnormalised function of all of them. Source: docs/theory/noise.md."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, floor
from typing import TypeAlias

from pfl.analysis.noise.differences import Differences
from pfl.analysis.noise.exponential_sum import Weight, weight_product
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.analysis.noise.terms import Term, merged, summed_out
from pfl.analysis.noise.workspace import Noise

Distance: TypeAlias = Fraction | int
"""A number that samples are compared with, or by which they differ: c means c * eps for real samples."""


class Joint:
    """A sum of terms: a weight, times a function of each live sample, times constraints x - y <= c between them.

    At values of the samples it is their joint density, or mass, together with the event that all comparisons came out
    as they did. Samples are known by hashable names; a copy of a sample is the same name. Immutable. `noise` remembers
    what was worked out; a sum of two keeps that of the first.
    """

    __slots__ = ("_hash", "_names", "_noise", "_terms", "_total")

    def __init__(self, noise: Noise, names: tuple[Hashable, ...], terms: Mapping[Term, Weight]) -> None:
        self._noise = noise
        self._names = names
        self._terms = terms
        self._hash: int | None = None
        self._total: Weight | None = None

    @staticmethod
    def one(noise: Noise | None = None) -> Joint:
        """No samples, and weight 1; what is worked out of it is remembered in `noise`."""
        empty = Term(functions=(), differences=Differences())
        return Joint(noise or Noise(), (), {empty: Fraction(1)})

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The live samples, in the order in which they came."""
        return self._names

    @property
    def terms(self) -> int:
        """How many terms it is kept as."""
        return len(self._terms)

    def with_sample(self, name: Hashable, function: SampleFunction) -> Joint:
        """With a sample of this density or mass function that is independent of the others.

        Raises ValueError where the name is taken.
        """
        if name in self._names:
            raise ValueError(f"the sample {name} is live already")
        names = (*self._names, name)
        terms = {
            Term(functions=(*term.functions, function), differences=term.differences): weight
            for term, weight in self._terms.items()
            if function
        }
        return Joint(self._noise, names, terms)

    def where_less(self, x: Hashable, y: Hashable, c: Distance = 0, strict: bool = True) -> Joint:
        """Times the indicator of x < y + c, or of x <= y + c.

        Raises KeyError for a sample that is not live, ValueError for two of different kinds.
        """
        if x == y:
            self._place(x)
            return self._if(c > 0 or (c == 0 and not strict))
        return self._bounded([(x, y, self._end(x, y, c, strict))])

    def where_equal(self, x: Hashable, y: Hashable, c: Distance = 0) -> Joint:
        """Times the indicator of x = y + c; of two real samples that has probability 0."""
        if x == y:
            self._place(x)
            return self._if(c == 0)
        self._end(x, y, c, False)
        if self._is_real(x) or c != floor(c):
            return self._if(False)
        return self._bounded([(x, y, floor(c)), (y, x, -floor(c))])

    def where_different(self, x: Hashable, y: Hashable, c: Distance = 0) -> Joint:
        """Times the indicator of x != y + c."""
        if x == y:
            self._place(x)
            return self._if(c != 0)
        self._end(x, y, c, False)
        if self._is_real(x) or c != floor(c):
            return self
        return self.where_less(x, y, c) + self.where_less(y, x, -c)

    def where_below(self, x: Hashable, c: Distance, strict: bool = True) -> Joint:
        """Times the indicator of x < c, or of x <= c; raises KeyError for a sample that is not live."""
        high = c if self._is_real(x) else ceil(c) - 1 if strict else floor(c)
        return self._changed(x, lambda function: function.restricted(None, high))

    def where_above(self, x: Hashable, c: Distance, strict: bool = True) -> Joint:
        """Times the indicator of x > c, or of x >= c."""
        low = c if self._is_real(x) else floor(c) + 1 if strict else ceil(c)
        return self._changed(x, lambda function: function.restricted(low, None))

    def where_at(self, x: Hashable, c: Distance) -> Joint:
        """Times the indicator of x = c; of a real sample that has probability 0."""
        if self._is_real(x) or c != floor(c):
            return self._if(False)
        return self._changed(x, lambda function: function.restricted(floor(c), floor(c)))

    def where_not_at(self, x: Hashable, c: Distance) -> Joint:
        """Times the indicator of x != c."""
        if self._is_real(x) or c != floor(c):
            return self
        below, above = floor(c) - 1, floor(c) + 1
        return self._changed(x, lambda function: function.restricted(None, below) + function.restricted(above, None))

    def without(self, *names: Hashable) -> Joint:
        """The samples are integrated or summed out; raises KeyError for one that is not live.

        ValueError where a function does not decay, which those of distributions do.
        """
        joint = self
        left = list(names)
        for name in left:
            joint._place(name)
        while left:
            name = min(left, key=joint._cost)
            left.remove(name)
            joint = joint._without_one(name)
        return joint

    def total(self) -> Weight:
        """The integral or sum over all samples that are left: an ExponentialSum if any was real, else a Number."""
        if self._total is None:
            rest = self.without(*self._names)._terms
            self._total = next(iter(rest.values()), Fraction(0))
        return self._total

    def renamed(self, names: Mapping[Hashable, Hashable]) -> Joint:
        """With names[x] in place of x, all at once; raises ValueError where two samples get one name."""
        renamed = tuple(names.get(name, name) for name in self._names)
        if len(set(renamed)) < len(renamed):
            raise ValueError("two samples would have one name")
        terms = {
            Term(functions=term.functions, differences=term.differences.renamed(names)): weight
            for term, weight in self._terms.items()
        }
        return Joint(self._noise, renamed, terms)

    def scaled(self, weight: Weight | int) -> Joint:
        """Times a weight."""
        factor = Fraction(weight) if isinstance(weight, int) else weight
        terms = {term: weight_product(each, factor) for term, each in self._terms.items() if factor}
        return Joint(self._noise, self._names, terms)

    def __add__(self, other: Joint) -> Joint:
        """Pointwise; raises ValueError unless both have the same live samples of the same kinds, in any order."""
        if set(self._names) != set(other._names):
            raise ValueError(f"samples {self._names} and {other._names} are not the same")
        if self and other and any(self._is_real(name) != other._is_real(name) for name in self._names):
            raise ValueError("a sample is real in one joint function and an integer in the other")
        places = [other._names.index(name) for name in self._names]
        moved = (
            (Term(functions=tuple(term.functions[i] for i in places), differences=term.differences), weight)
            for term, weight in other._terms.items()
        )
        return self._merged([*self._terms.items(), *moved])

    def __mul__(self, weight: Weight | int) -> Joint:
        return self.scaled(weight)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        """Whether names and terms are the same; the same function may have others."""
        if self is other:
            return True
        if not isinstance(other, Joint):
            return NotImplemented
        return self._names == other._names and self._terms == other._terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self._names, frozenset(self._terms.items())))
        return self._hash

    def __bool__(self) -> bool:
        """False if it is 0 for want of terms; whether those that are left add up to 0, `total` says."""
        return bool(self._terms)

    def __repr__(self) -> str:
        return f"Joint(names={self._names}, terms={self.terms})"

    def _place(self, name: Hashable) -> int:
        if name not in self._names:
            raise KeyError(name)
        return self._names.index(name)

    def _is_real(self, name: Hashable) -> bool:
        """Of what kind a sample is, in all terms; without terms it does not matter."""
        place = self._place(name)
        return all(term.functions[place].is_real for term in islice(self._terms, 1))

    def _end(self, x: Hashable, y: Hashable, c: Distance, strict: bool) -> Distance:
        """The end d with which x - y <= d says what is meant, of integers exactly, of real samples up to ties."""
        is_real = self._is_real(x)
        if is_real != self._is_real(y):
            raise ValueError(f"{x} and {y} are compared, of which one is real and the other an integer")
        return c if is_real else ceil(c) - 1 if strict else floor(c)

    def _if(self, holds: bool) -> Joint:
        return self if holds else Joint(self._noise, self._names, {})

    def _merged(self, weighted: Iterable[tuple[Term, Weight]]) -> Joint:
        return Joint(self._noise, self._names, merged(weighted, self._noise))

    def _bounded(self, bounds: Sequence[tuple[Hashable, Hashable, Distance]]) -> Joint:
        """Times the indicators of x - y <= c."""
        terms: list[tuple[Term, Weight]] = []
        touching = not self._is_real(bounds[0][0])
        for term, weight in self._terms.items():
            differences: Differences | None = term.differences
            for x, y, c in bounds:
                if differences is not None:
                    differences = differences.bounded(x, y, c, touching=touching)
            if differences is not None:
                terms.append((Term(functions=term.functions, differences=differences), weight))
        return self._merged(terms)

    def _changed(self, name: Hashable, change: Callable[[SampleFunction], SampleFunction]) -> Joint:
        """With another function of one sample."""
        place = self._place(name)
        return self._merged(
            (
                Term(
                    functions=(*term.functions[:place], change(term.functions[place]), *term.functions[place + 1 :]),
                    differences=term.differences,
                ),
                weight,
            )
            for term, weight in self._terms.items()
        )

    def _cost(self, name: Hashable) -> int:
        """How many terms there are after the sample is summed out, before any are merged."""
        count = 0
        for term in self._terms:
            lower, upper = (len(side(name, self._names)) for side in (term.differences.lower, term.differences.upper))
            count += 2 * lower * upper or lower or upper or 1
        return count

    def _without_one(self, name: Hashable) -> Joint:
        place = self._place(name)
        names = (*self._names[:place], *self._names[place + 1 :])
        terms = (
            (made, weight_product(weight, factor))
            for term, weight in self._terms.items()
            for made, factor in summed_out(term, self._names, name, self._noise)
        )
        return Joint(self._noise, names, merged(terms, self._noise))
