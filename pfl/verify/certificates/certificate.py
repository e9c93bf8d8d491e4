"""An independent check of a proof that two starts look alike, by rational arithmetic alone.

Shares no code with the search that found the proof, and trusts nothing in the certificate: all vectors are computed
again from the system. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Literal, assert_never

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.model.labelled_system import LabelledSystem
from pfl.verify.certificates.certificate_format import (
    Certificate,
    Closure,
    Combination,
    Damage,
    Exhaustive,
    KeptVector,
    Malformed,
    read_certificate,
)
from pfl.verify.certificates.signed_vectors import SO_FAR, Column, SignedVectors, Vector, by_position, shortest

_MOST_ENTRIES = 5_000_000
"""Entries of all vectors that are computed for the futures of one combination; what needs more is refused. The search
keeps far below."""

_MOST_LETTERS = 100
"""Letters of the futures that are gone through; the search asks for a dozen at most."""

_BITS = 64
"""Of the largest entry of a vector that is rounded up."""


def verify_certificate(
    certificate: Any,
    system: LabelledSystem,
    left: Sequence[Number],
    right: Sequence[Number],
    c: Fraction | Epsilon,
    *,
    length: int | Literal["any"],
    budget: Budget,
) -> list[str]:
    """What is wrong with a certificate of mass(left, w) <= c mass(right, w) for all words w of up to `length` letters.

    Empty if it is a proof. `certificate` is an object as `json.load` gives it; c = e^eps for an `Epsilon`.
    Raises ValueError where the system or a start has numbers that are not constants, and LimitReached where the time
    of the budget is over before all is checked.
    """
    try:
        proof = read_certificate(certificate)
        problems = _scope_problems(proof, c, length)
        named = _named_states(proof, system)
        vectors = SignedVectors.of(system, left, right, proof.bound, named, budget)
        match proof:
            case Exhaustive():
                return problems + _exhaustive_problems(proof, vectors, length)
            case Closure():
                return problems + _ClosureCheck(proof, system, vectors).problems()
            case _:
                assert_never(proof)
    except Malformed as malformed:
        return [Damage(malformed)]


def _scope_problems(proof: Certificate, c: Fraction | Epsilon, length: int | Literal["any"]) -> list[str]:
    problems = []
    too_large = c.compare(proof.bound) > 0 if isinstance(c, Epsilon) else proof.bound > c
    if too_large:
        problems.append("the certificate is for a larger bound than the claim")
    if proof.length is not None and (length == "any" or proof.length < length):
        problems.append(f"the certificate is for {proof.length} letters, the claim for {length}")
    return problems


def _exhaustive_problems(proof: Exhaustive, vectors: SignedVectors, length: int | Literal["any"]) -> list[str]:
    """Looks at the direction that each prefix of the claim's words leads to; where no entry is positive, nothing can
    follow."""
    longest = proof.length if length == "any" else length
    seen = {vectors.start}
    level = [vectors.start]
    depth = 0
    while level:
        following = []
        for vector in level:
            if _mass(vector) > 0:
                return [f"some word of {depth} letters has more mass on the left than the bound allows"]
            if depth == longest:
                continue
            for matrix in vectors.matrices:
                child = shortest(vectors.step(vector, matrix))
                if _has_positive_entry(child) and child not in seen:
                    seen.add(child)
                    following.append(child)
        if len(seen) > proof.vectors:
            return [f"prefixes lead to more than the {proof.vectors} directions that the certificate states"]
        depth += 1
        level = following
    return []


class _ClosureCheck:
    """(i) the start is covered, (ii) so is every kept vector after every letter, (iii) no kept vector has mass > 0."""

    def __init__(self, proof: Closure, system: LabelledSystem, vectors: SignedVectors) -> None:
        if any(len(row) != len(system.letters) for row in proof.steps):
            raise Malformed("every vector needs one step a letter")
        self._proof = proof
        self._system = vectors
        self._kept = _vectors(proof, system, vectors)
        self._masses: dict[int, list[Column]] = {}

    def problems(self) -> list[str]:
        found = []
        if not self._is_covered(self._system.start, self._proof.start, 0):
            found.append("the start is not covered")
        for index, (vector, entry) in enumerate(zip(self._kept, self._proof.vectors)):
            if _mass(vector) > 0:
                found.append(f"vector {index} has more mass on the left than the bound allows")
            if entry.level == self._proof.length:
                continue
            for letter, combination in enumerate(self._proof.steps[index]):
                if not self._is_covered(self._system.after(vector, letter), combination, entry.level + 1):
                    found.append(f"vector {index} is not covered after letter {letter}")
        return found

    def _is_covered(self, vector: Vector, combination: Combination, level: int) -> bool:
        """Whether the vector, with `level` letters read, is at most the combination in every future that counts."""
        length = self._proof.length
        if combination.tested:
            return length is not None and any(
                self._has_no_mass(above, length - level) for above in _short_bounds(vector)
            )
        # A kept vector speaks for words of the letters that remain at its own level, so it must be no deeper.
        if length is not None and any(self._proof.vectors[index].level > level for index, _ in combination.multipliers):
            return False
        _require_feasible(0, combination.futures)
        difference = shortest(self._difference(vector, combination))
        return any(self._has_no_future(above, combination.futures) for above in _short_bounds(difference))

    def _difference(self, vector: Vector, combination: Combination) -> Vector:
        """The vector less the combination, times the smallest number that makes it whole."""
        scale = lcm(*(multiplier.denominator for _, multiplier in combination.multipliers))
        difference = {position: scale * entry for position, entry in vector}
        for index, multiplier in combination.multipliers:
            self._system.budget.check(SO_FAR)
            times = int(scale * multiplier)
            for position, entry in self._kept[index]:
                difference[position] = difference.get(position, 0) - times * entry
        return by_position(difference)

    def _has_no_future(self, vector: Vector, letters: int) -> bool:
        """Whether no entry is positive after any word of so many letters, and no mass is before."""
        waiting = [(vector, letters)]
        entries = 0
        while waiting:
            reached, left = waiting.pop()
            if not _has_positive_entry(reached):
                continue
            if not left or (not self._system.keeps_mass and _mass(reached) > 0):
                return False
            for matrix in self._system.matrices:
                waiting.append((self._system.step(reached, matrix), left - 1))
                entries += self._system.size
            _require_feasible(entries, letters)
        return True

    def _has_no_mass(self, vector: Vector, letters: int) -> bool:
        """Whether no word of at most so many letters has positive mass."""
        if not _has_positive_entry(vector):
            return True
        for length in (letters,) if self._system.keeps_mass else range(letters + 1):
            if length not in self._masses:
                self._masses[length] = self._masses_after(length)
            self._system.budget.check(SO_FAR)
            if any(sum(entry * column[position] for position, entry in vector) > 0 for column in self._masses[length]):
                return False
        return True

    def _masses_after(self, letters: int) -> list[Column]:
        """The directions of M_w 1 for all words w of that length: a vector's mass after w is its product with it."""
        columns: list[Column] = [(1,) * self._system.size]
        for _ in range(letters):
            _require_feasible(len(columns) * len(self._system.matrices) * self._system.size, letters)
            columns = self._system.longer(columns)
        return columns


def _require_feasible(entries: int, letters: int) -> None:
    """Refuse futures, as an altered certificate may have them, whose vectors are too many or too long."""
    if letters > _MOST_LETTERS or entries > _MOST_ENTRIES:
        raise Malformed(f"the words of {letters:,} letters are too many to check")


def _vectors(proof: Closure, system: LabelledSystem, vectors: SignedVectors) -> tuple[Vector, ...]:
    words = [entry.word for entry in proof.vectors if entry.word is not None]
    if any(letter >= len(system.letters) for word in words for letter in word):
        raise Malformed("a word names a letter that the system does not have")
    along = iter(vectors.along(words))
    return tuple(next(along) if entry.word is not None else _explicit(entry, vectors) for entry in proof.vectors)


def _explicit(entry: KeptVector, vectors: SignedVectors) -> Vector:
    return shortest((bisect_left(vectors.states, state), value) for state, value in entry.entries)


def _named_states(proof: Certificate, system: LabelledSystem) -> set[int]:
    """The states that explicit vectors name."""
    named: set[int] = set()
    for vector in proof.vectors if isinstance(proof, Closure) else ():
        states = [state for state, _ in vector.entries]
        if len(set(states)) != len(states) or any(state >= system.size for state in states):
            raise Malformed("a vector names a state twice, or one that the system does not have")
        named.update(states)
    return named


def _short_bounds(vector: Vector) -> Iterator[Vector]:
    """The vector rounded up to few bits, then the vector itself.

    What has no positive mass after a word, or no future, shows the same of every vector that is at most that.
    """
    shift = max((entry.bit_length() for _, entry in vector), default=0) - _BITS
    if shift > 0:
        yield by_position({position: -(-entry >> shift) for position, entry in vector})
    yield vector


def _mass(vector: Vector) -> int:
    return sum(entry for _, entry in vector)


def _has_positive_entry(vector: Vector) -> bool:
    return any(entry > 0 for _, entry in vector)
