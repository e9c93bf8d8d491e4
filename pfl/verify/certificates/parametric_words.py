"""An independent check that two starts look alike at all values of the parameters, by rational arithmetic alone.

Shares no code with the search: all vectors are computed again, and every sign is shown anew. The format, and why it
proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.struct import struct
from pfl.model.compare import Direction
from pfl.model.parameters import ParameterSpace
from pfl.verify.certificates.certificate_format import (
    LONGEST_WORD,
    MOST_DIRECTIONS,
    PARAMETRIC,
    Damage,
    Malformed,
    Unproved,
    intact,
    stated_length,
)
from pfl.verify.certificates.exact.numbers import ExactNumbers
from pfl.verify.certificates.exact.polynomials import Poly
from pfl.verify.certificates.exact.region import Region
from pfl.verify.certificates.parametric_vectors import Entries, ParametricVectors


@struct
class _Stated:
    """What the certificate says: a bound, words that lead to vectors, what covers these after each letter."""

    above: Poly
    below: Poly
    length: int | None
    words: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[int | None, ...], ...]


def verify_parametric(
    certificate: Any, direction: Direction, space: ParameterSpace, length: int | Literal["any"], budget: Budget
) -> list[str]:
    """What is wrong with a certificate of one direction of a comparison, at all values of the parameters; empty if it
    is a proof. Raises LimitReached."""
    try:
        return list(_Checking(certificate, direction, space, length, budget).problems())
    except Malformed as malformed:
        return [Damage(malformed)]


class _Checking:
    def __init__(
        self,
        certificate: Any,
        direction: Direction,
        space: ParameterSpace,
        length: int | Literal["any"],
        budget: Budget,
    ) -> None:
        self._direction, self._length, self._budget = direction, length, budget
        self._region = Region.of(space, budget)
        self._numbers = ExactNumbers(region=self._region, with_parameters=True)
        self._system = direction.comparison.system
        self._stated = self._read(certificate, space.names)
        self._vectors_of = ParametricVectors(direction, self._region, self._stated.above, self._stated.below, budget)

    def _read(self, certificate: Any, names: Sequence[str]) -> _Stated:
        record, kind = intact(certificate)
        if kind != PARAMETRIC:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of this claim")
        if record.get("parameters") != list(names):
            raise Malformed(f"`parameters` must be those of the claim: {', '.join(names) or 'none'}")
        bound, words, steps = record.get("bound"), record.get("vectors"), record.get("steps")
        if not isinstance(bound, list) or len(bound) != 2:
            raise Malformed("`bound` must be two numbers, one to be divided by the other")
        if not isinstance(words, list) or len(words) > MOST_DIRECTIONS:
            raise Malformed("`vectors` must hold the words that lead to them")
        if not isinstance(steps, list) or len(steps) > len(words):
            raise Malformed("there may be no more `steps` than vectors")
        count, letters = len(words), len(self._system.letters)
        for word in words:
            if not isinstance(word, list) or len(word) > LONGEST_WORD or not all(_is_below(a, letters) for a in word):
                raise Malformed("`vectors` must hold words, lists of letters of the system")
        known = {tuple(word) for word in words}
        if any(word and tuple(word[:-1]) not in known for word in words):
            raise Malformed("a word of `vectors` must go on by a letter from another one")
        for row in steps:
            if not isinstance(row, list) or len(row) != letters:
                raise Malformed("every vector needs one step a letter")
            if not all(step is None or _is_below(step, count) for step in row):
                raise Malformed("a step must name a vector, or be null")
        return _Stated(
            above=self._numbers.stated(bound[0], "`bound`"),
            below=self._numbers.stated(bound[1], "`bound`"),
            length=stated_length(record),
            words=tuple(map(tuple, words)),
            steps=tuple(map(tuple, steps)),
        )

    def problems(self) -> Iterator[str]:
        stated = self._stated
        if stated.length is not None and (self._length == "any" or stated.length < self._length):
            yield f"the certificate is for {stated.length} letters, the claim for {self._length}"
            return
        if not self._is_allowed():
            yield Unproved("it is not shown that the certificate's bound is at most e^epsilon")
            return
        if stated.words and stated.words[0]:
            raise Malformed("the first vector must be that of the start")
        kept = self._vectors()
        if not kept and not all(map(self._is_never_positive, self._vectors_of.start().values())):
            yield Unproved("it is not shown that nothing of the start is larger on the left than the bound allows")
        for number, (vector, word) in enumerate(zip(kept, stated.words)):
            if not self._is_never_positive(self._vectors_of.mass(vector)):
                yield Unproved(f"it is not shown that vector {number} has no more mass than the bound allows")
                return
            if len(word) == stated.length:
                continue
            if number >= len(stated.steps):
                raise Malformed(f"vector {number} has no steps")
            if stated.length is not None and len(word) > stated.length:
                raise Malformed("a vector has more letters than the length")
            for letter, covering in enumerate(stated.steps[number]):
                if not self._is_step(vector, word, letter, covering, kept):
                    yield Unproved(f"it is not shown that vector {number} is covered after letter {letter}")
                    return

    def _is_step(
        self, vector: Entries, word: Sequence[int], letter: int, covering: int | None, kept: Sequence[Entries]
    ) -> bool:
        """Whether what follows a vector after a letter is covered by a kept one, or has no positive entry."""
        after, length = self._vectors_of.after(vector, letter), self._stated.length
        if covering is None:
            return all(map(self._is_never_positive, after.values()))
        if length is not None and len(self._stated.words[covering]) > len(word) + 1:
            raise Malformed("a vector is covered by one of more letters")
        return self._is_covered(after, kept[covering])

    def _is_allowed(self) -> bool:
        """Whether the bound is defined, and at most e^epsilon."""
        epsilon, stated = self._direction.comparison.epsilon, self._stated
        assert epsilon is not None
        above, below = stated.above.value, stated.below.value
        if above is not None and below:
            return not epsilon.parameters and epsilon.compare(above / below) <= 0
        constant = Epsilon.rational(epsilon.constant)
        exact = (epsilon - constant).exact_exponential()
        if exact is None:
            return False
        # e^epsilon = exact * e^constant, so the bound must be exact * share for a share of at most e^constant.
        wanted = self._region.read(exact)
        one, other = stated.above * wanted.below, wanted.above * stated.below
        share = _share(one, other)
        return share is not None and constant.compare(share) <= 0 and self._region.has_no_root(stated.below)

    def _vectors(self) -> list[Entries]:
        """The vector of each word, what words have in common gone through once."""
        known: dict[tuple[int, ...], Entries] = {(): self._vectors_of.start()}
        for word in self._stated.words:
            for end in range(1, len(word) + 1):
                if word[:end] not in known:
                    known[word[:end]] = self._vectors_of.after(known[word[: end - 1]], word[end - 1])
        return [known[word] for word in self._stated.words]

    def _is_covered(self, vector: Entries, kept: Entries) -> bool:
        """Whether x <= y u for a function y = x_j / u_j that is not negative.

        Where u_j is 0 the masses are not positive either, since they are continuous and the space is full: near every
        point of it there are others at which u_j is not 0.
        """
        if _are_same(vector, kept) or all(map(self._is_never_positive, vector.values())):
            return True
        return any(self._is_at_most(vector, kept, pivot) for pivot in vector if pivot in kept)

    def _is_at_most(self, vector: Entries, kept: Entries, pivot: int) -> bool:
        x, u = vector[pivot], kept[pivot]
        if not self._region.is_full and not self._region.has_no_root(u):
            return False
        if self._is_never_positive(-u):
            turn = None
        elif self._is_never_positive(-(x * u)):
            turn = u
        else:
            return False
        if turn is None and not self._is_never_positive(-x):
            return False
        nothing = Poly({})
        for state in vector.keys() | kept.keys():
            difference = vector.get(state, nothing) * u - kept.get(state, nothing) * x
            if not self._is_never_positive(difference if turn is None else turn * difference):
                return False
        return True

    def _is_never_positive(self, polynomial: Poly) -> bool:
        self._budget.check("signs were shown for a part of the proof")
        return self._region.is_never_positive(polynomial)


def _share(one: Poly, other: Poly) -> Fraction | None:
    """The constant by which one polynomial is a multiple of the other; None where it is not."""
    if other.is_zero:
        return None
    powers, coefficient = next(iter(other.terms.items()))
    share = one.terms.get(powers, Fraction(0)) / coefficient
    is_multiple = one.equals(Poly({key: share * value for key, value in other.terms.items() if share}))
    return share if is_multiple else None


def _are_same(vector: Entries, kept: Entries) -> bool:
    return vector.keys() == kept.keys() and all(entry.equals(kept[state]) for state, entry in vector.items())


def _is_below(value: Any, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end
