"""An independent check that the relations of an author are an unwinding family, along bijections that are given.

Shares no code with the search for them: what can be reached, and what every letter does, is computed again. The format:
docs/reference/certificates.md; why it is a proof: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.model.compare import Compare
from pfl.model.labelled_system import SparseRow
from pfl.verify.certificates.certificate_format import Damage, Malformed, intact

KIND = "relation"

Pair = tuple[int, int]
Pairs = tuple[Pair, ...]


@struct
class RelationCertificate:
    """`covering[state, extra]` is how the states after an extra point are matched; `steps[pair]` how those after each
    letter are, data points first."""

    covering: dict[Pair, Pairs]
    steps: dict[Pair, tuple[Pairs, ...]]


def verify_relation(certificate: Any, question: Compare, budget: Budget) -> list[str]:
    """What is wrong with a proof that the family covers the system and pays for all that follows; empty if nothing is.

    The numbers must be constants. Raises LimitReached.
    """
    try:
        return _Checking(_read(certificate), question).problems(budget)
    except Malformed as malformed:
        return [Damage(malformed)]


def _read(certificate: Any) -> RelationCertificate:
    record, kind = intact(certificate)
    if kind != KIND:
        raise Malformed(f"a certificate of the kind `{kind}` holds no matched pairs of states")
    pairs, steps = _pairs(record.get("pairs")), record.get("steps")
    if not isinstance(steps, list) or len(steps) != len(pairs) or not all(isinstance(step, list) for step in steps):
        raise Malformed("`steps` must hold one list for each of the `pairs`")
    covering: dict[Pair, Pairs] = {}
    entries = record.get("covering")
    for entry in entries if isinstance(entries, list) else [None]:
        match entry:
            case [int(state), int(extra), matched]:
                covering[state, extra] = _pairs(matched)
            case _:
                raise Malformed("`covering` must say of a state and an extra point how states are matched")
    return RelationCertificate(
        covering=covering, steps={pair: tuple(map(_pairs, step)) for pair, step in zip(pairs, steps)}
    )


def _pairs(given: Any) -> Pairs:
    found: list[Pair] = []
    for entry in given if isinstance(given, list | tuple) else [None]:
        match entry:
            case [int(left), int(right)]:
                found.append((left, right))
            case _:
                raise Malformed("each pair of states must be two whole numbers")
    return tuple(found)


class _Checking:
    def __init__(self, proof: RelationCertificate, question: Compare) -> None:
        self._proof = proof
        (table,) = question.tables
        assert question.family is not None
        assert table.epsilon is not None
        assert table.unwindable is not None
        self._family, self._runs = question.family, table.unwindable
        self._system = self._runs.system
        self._epsilons = self._family.epsilons(table.epsilon)
        self._paid: dict[tuple[int, int, Fraction], bool] = {}
        self._letters = [*self._system.data_moves, *(matrix for _, matrix in self._system.answer_letters)]

    def problems(self, budget: Budget) -> list[str]:
        found: list[str] = []
        runs = self._runs
        for state in self._reached():
            for extra in range(len(runs.extras)):
                with_point, without = runs.sides(extra, state)
                matched = self._proof.covering.get((state, extra))
                if matched is None or not self._is_paid(matched, without, with_point, 0):
                    found.append(f"the states after the extra point {extra} in state {state} are not related")
        for number, (pair, steps) in enumerate(self._proof.steps.items()):
            if number % 256 == 0:
                budget.check(f"checking {number:,} of {len(self._proof.steps):,} related pairs")
            if not self._is_closed(pair, steps):
                found.append(f"the states {pair[0]} and {pair[1]} are not related by what is left after some letter")
        return found

    def _reached(self) -> list[int]:
        found = [state for state, weight in enumerate(self._system.start) if weight]
        known = set(found)
        for state in found:
            for matrix in self._letters:
                new = [target for target, _ in matrix[state] if target not in known]
                found += new
                known.update(new)
        return found

    def _is_closed(self, pair: Pair, steps: Sequence[Pairs]) -> bool:
        """Whether the balance of a pair pays for every letter, and both states take queries or neither does."""
        left, right = pair
        system = self._system
        if len(steps) != len(self._letters) or not all(0 <= state < system.size for state in pair):
            return False
        balance = self._place(left, right)
        if balance is None:
            return False
        if system.asked and system.waits(left) != system.waits(right):
            return False
        return all(
            self._is_paid(matched, matrix[left], matrix[right], balance)
            for matched, matrix in zip(steps, self._letters)
        )

    def _is_paid(self, matched: Pairs, left: SparseRow, right: SparseRow, balance: int) -> bool:
        """Whether the pairs are a bijection of both supports, and each pair's ratio and balance are within this one."""
        one, other = dict(left), dict(right)
        if sorted(x for x, _ in matched) != sorted(one) or sorted(y for _, y in matched) != sorted(other):
            return False
        for x, y in matched:
            needed = self._place(x, y)
            p, q = one[x], other[y]
            assert isinstance(p, Fraction), "the numbers are constants"
            assert isinstance(q, Fraction), "the numbers are constants"
            if needed is None or not self._covers(balance, needed, max(p / q, q / p)):
                return False
        return True

    def _covers(self, balance: int, needed: int, ratio: Fraction) -> bool:
        """Whether a balance pays a ratio and leaves what is needed."""
        key = (balance, needed, ratio)
        if key not in self._paid:
            self._paid[key] = (self._epsilons[balance] - self._epsilons[needed]).compare(ratio) <= 0
        return self._paid[key]

    def _place(self, left: int, right: int) -> int | None:
        """The balance of a pair which the proof goes on from, or of equal states."""
        if left == right or (left, right) in self._proof.steps:
            return self._family.place(left, right)
        return None
