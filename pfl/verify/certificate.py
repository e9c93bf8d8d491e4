"""An independent check of a proof that two starts look alike, by rational arithmetic alone.

Shares no code with the search that found the proof, and trusts nothing in the certificate: all vectors are computed
again from the system. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, assert_never

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem
from pfl.verify.certificate_format import (
    Certificate,
    Closure,
    Combination,
    Exhaustive,
    KeptVector,
    Malformed,
    read_certificate,
)
from pfl.verify.signed_vectors import SignedVectors, Vector, shortest

_MOST_FUTURES = 10_000_000
"""Entries of all vectors after the words of one length, beyond which a certificate is refused rather than checked."""


def verify_certificate(
    certificate: Any,
    system: LabelledSystem,
    left: Sequence[Number],
    right: Sequence[Number],
    c: Fraction | Epsilon,
    *,
    length: int | Literal["any"],
) -> list[str]:
    """What is wrong with a certificate of mass(left, w) <= c mass(right, w) for all words w of up to `length` letters.

    Empty if it is a proof. `certificate` is an object as `json.load` gives it; c = e^eps for an `Epsilon`.
    Raises ValueError where the system or a start has numbers that are not constants.
    """
    try:
        proof = read_certificate(certificate)
        problems = _scope_problems(proof, c, length)
        named = _named_states(proof, system)
        vectors = SignedVectors.of(system, left, right, proof.bound, named)
        match proof:
            case Exhaustive():
                return problems + _exhaustive_problems(proof, vectors)
            case Closure():
                return problems + _ClosureCheck.of(proof, system, vectors).problems()
            case _:
                assert_never(proof)
    except Malformed as malformed:
        return [str(malformed)]


def _scope_problems(proof: Certificate, c: Fraction | Epsilon, length: int | Literal["any"]) -> list[str]:
    problems = []
    too_large = c.compare(proof.bound) > 0 if isinstance(c, Epsilon) else proof.bound > c
    if too_large:
        problems.append("the certificate is for a larger bound than the claim")
    if proof.length is not None and (length == "any" or proof.length < length):
        problems.append(f"the certificate is for {proof.length} letters, the claim for {length}")
    return problems


def _exhaustive_problems(proof: Exhaustive, vectors: SignedVectors) -> list[str]:
    """Looks at the direction that each prefix leads to; where no entry is positive, nothing can follow."""
    seen = {vectors.start}
    level = [vectors.start]
    depth = 0
    while level:
        following = []
        for vector in level:
            if sum(vector) > 0:
                return [f"some word of {depth} letters has more mass on the left than the bound allows"]
            if depth == proof.length:
                continue
            for letter in vectors.letters:
                child = shortest(vectors.step(vector, letter))
                if _has_positive_entry(child) and child not in seen:
                    seen.add(child)
                    following.append(child)
        if len(seen) > proof.vectors:
            return [f"prefixes lead to more than the {proof.vectors} directions that the certificate states"]
        depth += 1
        level = following
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClosureCheck:
    """(i) the start is covered, (ii) so is every kept vector after every letter, (iii) no kept vector has mass > 0."""

    proof: Closure
    system: SignedVectors
    kept: tuple[Vector, ...]

    @staticmethod
    def of(proof: Closure, system: LabelledSystem, vectors: SignedVectors) -> _ClosureCheck:
        kept = tuple(_vector(entry, system, vectors) for entry in proof.vectors)
        if any(len(row) != len(vectors.rows) for row, entry in zip(proof.steps, proof.vectors)):
            raise Malformed("every vector needs one step a letter")
        return _ClosureCheck(proof=proof, system=vectors, kept=kept)

    def problems(self) -> list[str]:
        found = []
        if not self._is_covered(self.system.start, self.proof.start, 0):
            found.append("the start is not covered")
        for index, (vector, entry) in enumerate(zip(self.kept, self.proof.vectors)):
            if sum(vector) > 0:
                found.append(f"vector {index} has more mass on the left than the bound allows")
            if entry.level == self.proof.length:
                continue
            for letter, combination in enumerate(self.proof.steps[index]):
                after = shortest(self.system.step(vector, letter))
                if not self._is_covered(after, combination, entry.level + 1):
                    found.append(f"vector {index} is not covered after letter {letter}")
        return found

    def _must_be_feasible(self, steps: int) -> None:
        if self.system.size * len(self.system.rows) ** min(steps, _MOST_FUTURES.bit_length()) > _MOST_FUTURES:
            raise Malformed(f"the futures of {steps} letters are too many to check")

    def _is_covered(self, vector: Vector, combination: Combination, level: int) -> bool:
        """Whether the vector, with `level` letters read, is at most the combination in every future that counts."""
        length = self.proof.length
        if combination.tested:
            if length is None:
                return False
            self._must_be_feasible(length - level)
            return self._has_no_mass(vector, length - level)
        self._must_be_feasible(combination.futures)
        # A kept vector speaks for words of the letters that remain at its own level, so it must be no deeper.
        if length is not None and any(self.proof.vectors[index].level > level for index, _ in combination.multipliers):
            return False
        difference: list[Fraction | int] = list(vector)
        for index, multiplier in combination.multipliers:
            difference = [entry - multiplier * kept for entry, kept in zip(difference, self.kept[index])]
        return self._has_no_future(shortest(difference), combination.futures)

    def _has_no_future(self, vector: Vector, steps: int) -> bool:
        """Whether no entry is positive after any word of `steps` letters, and no mass is before."""
        if not _has_positive_entry(vector):
            return True
        if not steps or (not self.system.keeps_mass and sum(vector) > 0):
            return False
        return all(self._has_no_future(self.system.step(vector, letter), steps - 1) for letter in self.system.letters)

    def _has_no_mass(self, vector: Vector, steps: int) -> bool:
        """Whether no word of at most `steps` letters has positive mass."""
        if not _has_positive_entry(vector):
            return True
        if sum(vector) > 0:
            return False
        return not steps or all(
            self._has_no_mass(self.system.step(vector, letter), steps - 1) for letter in self.system.letters
        )


def _vector(entry: KeptVector, system: LabelledSystem, vectors: SignedVectors) -> Vector:
    if entry.word is not None:
        if any(letter >= len(system.letters) for letter in entry.word):
            raise Malformed("a word names a letter that the system does not have")
        return vectors.after(entry.word)
    given = dict(entry.entries)
    return shortest([given.get(state, 0) for state in vectors.states])


def _named_states(proof: Certificate, system: LabelledSystem) -> set[int]:
    """The states that explicit vectors name."""
    named: set[int] = set()
    for vector in proof.vectors if isinstance(proof, Closure) else ():
        states = [state for state, _ in vector.entries]
        if len(set(states)) != len(states) or any(state >= system.size for state in states):
            raise Malformed("a vector names a state twice, or one that the system does not have")
        named.update(states)
    return named


def _has_positive_entry(vector: Vector) -> bool:
    return any(entry > 0 for entry in vector)
