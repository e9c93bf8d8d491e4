"""An independent check of bounds on pairs of states, by rational arithmetic alone.

Shares no code with the search that found them: states, and what follows a pair, are computed again from the interactive
system. The format, and why it proves what it claims: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_value
from pfl.ir.interactive import InteractiveSystem, TwoRuns
from pfl.ir.labelled_system import Matrix
from pfl.verify.certificate_format import FORMAT, Malformed, digest_of

KIND = "unwinding"


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyCertificate:
    """`families[k]` bounds the ratio of words of k letters from pairs of states, the last one that of longer words."""

    bound: Fraction
    length: int | None
    families: tuple[Mapping[tuple[int, int], Fraction], ...]


def verify_family(
    certificate: Any, runs: TwoRuns, epsilon: Epsilon, *, is_reversed: bool, length: int | Literal["any"]
) -> list[str]:
    """What is wrong with bounds that are to show that no word has a ratio above e^epsilon; empty if they do.

    The numbers of the system must be constants.
    """
    try:
        proof = read_family(certificate)
    except Malformed as malformed:
        return [str(malformed)]
    found = []
    if epsilon.compare(proof.bound) > 0:
        found.append("the bounds are larger than the claim")
    if proof.length is not None and (length == "any" or proof.length < length):
        found.append(f"the bounds are for {proof.length} inputs, the claim for {length}")
    if not _fixes_the_state(runs.system):
        return [*found, "bounds on pairs are a proof only where what is seen fixes the state"]
    return [*found, *_FamilyCheck(proof, runs, is_reversed=is_reversed).problems()]


def read_family(certificate: Any) -> FamilyCertificate:
    """The certificate as a record; raises Malformed."""
    if not isinstance(certificate, dict) or certificate.get("format") != FORMAT or certificate.get("kind") != KIND:
        raise Malformed("it holds no bounds on pairs of states")
    if certificate.get("digest") != digest_of(certificate):
        raise Malformed("the certificate was altered: its digest does not fit")
    length = certificate.get("length")
    if length != "any" and (not isinstance(length, int) or isinstance(length, bool) or length < 0):
        raise Malformed('the length must be a whole number, or "any"')
    families = certificate.get("families")
    if not isinstance(families, list) or not families:
        raise Malformed("there must be a family")
    return FamilyCertificate(
        bound=_rational(certificate.get("bound")),
        length=None if length == "any" else length,
        families=tuple(_family(family) for family in families),
    )


def _family(entries: Any) -> dict[tuple[int, int], Fraction]:
    if not isinstance(entries, list):
        raise Malformed("a family must be a list")
    family: dict[tuple[int, int], Fraction] = {}
    texts: dict[str, Fraction] = {}
    for entry in entries:
        match entry:
            case [int(left), int(right), str(text)]:
                if text not in texts:
                    texts[text] = _rational(text)
                family[left, right] = texts[text]
            case _:
                raise Malformed("an entry must be two states and a bound")
    return family


def _rational(text: Any) -> Fraction:
    try:
        return fraction_value(text)
    except (ValueError, TypeError, AttributeError):
        raise Malformed(f"{text!r} is not an exact number") from None


def _fixes_the_state(system: InteractiveSystem) -> bool:
    started = sum(1 for weight in system.start if weight)
    answered = (row for answers in system.answers for _, matrix in answers for row in matrix)
    moved = (row for moves in system.data_moves for row in moves)
    return started == 1 and all(len(row) == 1 for row in moved) and all(len(row) <= 1 for row in answered)


class _FamilyCheck:
    """Every start pair is within the bound, and every bound pays for each letter and the bound behind it."""

    def __init__(self, proof: FamilyCertificate, runs: TwoRuns, *, is_reversed: bool) -> None:
        self._proof = proof
        self._runs = runs
        self._is_reversed = is_reversed
        system = runs.system
        self._letters: list[Matrix] = [*system.data_moves, *(m for answers in system.answers for _, m in answers)]

    def problems(self) -> list[str]:
        proof, last = self._proof, len(self._proof.families) - 1
        found: list[str] = []
        for left, right, depth in self._covered():
            k = last if proof.length is None else min(last, proof.length - 1 - depth)
            if k >= 0 and not self._is_at_most(left, right, k, proof.bound):
                found.append(f"the states {left} and {right} after the extra point are not within the bound")
        for k in range(1, last + 1):
            found += self._unpaid(k, k - 1)
        if proof.length is None or proof.length - 1 > last:
            found += self._unpaid(last, last)
        return found

    def _covered(self) -> Iterator[tuple[int, int, int]]:
        """The states of both runs right after the extra point, and how many inputs the runs had before it."""
        system = self._runs.system
        depth = {state: 0 for state, weight in enumerate(system.start) if weight}
        pending = list(depth)
        for state in pending:
            for matrix in self._letters:
                for target, _ in matrix[state]:
                    if target not in depth:
                        depth[target] = depth[state] + 1
                        pending.append(target)
        for state, inputs in depth.items():
            for one, other in self._runs.extras:
                left = system.data_moves[one][state][0][0]
                right = state if other is None else system.data_moves[other][state][0][0]
                yield (right, left, inputs) if self._is_reversed else (left, right, inputs)

    def _unpaid(self, k: int, following: int) -> Sequence[str]:
        """Pairs whose bound in family k does not pay for some letter and the bound behind it in the following one."""
        bottom = self._runs.system.bottom
        found: list[str] = []
        for (left, right), bound in self._proof.families[k].items():
            if not (0 <= left <= bottom and 0 <= right <= bottom):
                return [f"there is no pair of states {left} and {right}"]
            accepted = bool(self._runs.system.queries) and right == bottom and left != bottom
            if bound < 1 or accepted or not all(self._pays(m, left, right, bound, following) for m in self._letters):
                found.append(f"the bound {bound} of the states {left} and {right} does not pay for what follows")
        return found

    def _pays(self, matrix: Matrix, left: int, right: int, bound: Fraction, following: int) -> bool:
        """Whether p E(behind) <= bound * q for the probabilities p and q of a letter in the two states."""
        if not matrix[left]:
            return True
        if not matrix[right]:
            return False
        ((one, p),), ((other, q),) = matrix[left], matrix[right]
        assert isinstance(p, Fraction)
        assert isinstance(q, Fraction)
        return self._is_at_most(one, other, following, bound if p == q else bound * q / p)

    def _is_at_most(self, left: int, right: int, k: int, bound: Fraction) -> bool:
        if left == right:
            return bound >= 1
        value = self._proof.families[k].get((left, right))
        return value is not None and value <= bound
