"""An independent check that a delta suffices, by vectors with values that are no less than what follows them.

Shares no code with the search. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.compare import Direction
from pfl.verify.certificates.certificate_format import EXCESS_ABOVE, Damage, Malformed, exact_rational, intact

_UNIT = 1 << 53
_MOST_VECTORS = 100_000


def verify_excess_above(certificate: Any, direction: Direction, delta: Fraction, budget: Budget) -> list[str]:
    """What is wrong with a certificate that the excess of no set of words, of any length, is above delta.

    Empty if nothing is. The numbers must be constants. Raises LimitReached.
    """
    try:
        return _Checking(certificate, direction, budget).problems(delta)
    except Malformed as malformed:
        return [Damage(malformed)]


class _Checking:
    def __init__(self, certificate: Any, direction: Direction, budget: Budget) -> None:
        record, kind = intact(certificate)
        if kind != EXCESS_ABOVE:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of a delta at every length")
        self._direction, self._budget = direction, budget
        self._system = direction.comparison.system
        self._bound = exact_rational(record.get("bound"), "`bound`")
        if record.get("length") != "any":
            raise Malformed('`length` must be "any"')
        self._states = _indices(record.get("states"), len(self._system.states), "`states`")
        self._letters = _indices(record.get("letters"), len(self._system.letters), "`letters`")
        self._rows = self._closed_rows()
        self._vectors, self._values = self._stated(record.get("vectors"), record.get("values"))
        self._sums = _listed(record.get("sums"), len(self._vectors), "`sums` must hold a list for each vector")
        self._start = record.get("start")

    def problems(self, delta: Fraction) -> list[str]:
        epsilon = self._direction.comparison.epsilon
        assert epsilon is not None
        if epsilon.compare(self._bound) > 0:
            return ["the certificate is for a larger bound than the claim"]
        groups = self._groups()
        for number, (vector, value, sums) in enumerate(zip(self._vectors, self._values, self._sums)):
            if number % 256 == 0:
                self._budget.check(f"the values of {number:,} vectors were checked")
            if not isinstance(sums, list) or len(sums) != len(self._letters):
                raise Malformed("an entry of `sums` must hold a list for each letter")
            after = [self._at_most(self._after(vector, letter), each) for letter, each in enumerate(sums)]
            follow = sum(
                (max(sum((after[i] for i in inputs), Fraction(0)) for inputs in group) for group in groups), Fraction(0)
            )
            if value < max(0, sum(vector)) or value < follow:
                raise Malformed(f"the value of vector {number} is less than what follows it")
        above, below = self._direction.above, self._direction.below
        scale = _constant(above.weight) * _constant(below.weight)
        start = [
            _UNIT
            * (
                _constant(above.vector[state]) * _constant(below.weight)
                - self._bound * _constant(below.vector[state]) * _constant(above.weight)
            )
            for state in self._states
        ]
        most = self._at_most([entry / scale for entry in start], self._start) / _UNIT
        return [] if most <= delta else ["the excesses that are shown add up to more than delta"]

    def _closed_rows(self) -> list[list[list[tuple[int, Fraction]]]]:
        """For each letter and state the columns; raises Malformed where a state or letter is left out that matters."""
        place = {state: number for number, state in enumerate(self._states)}
        above, below = self._direction.above, self._direction.below
        for state, (left, right) in enumerate(zip(above.vector, below.vector)):
            if state not in place and (_constant(left) or _constant(right)):
                raise Malformed("`states` leaves out one where runs start")
        rows = []
        for letter, matrix in enumerate(self._system.matrices):
            if letter not in self._letters:
                if any(matrix[state] for state in self._states):
                    raise Malformed("`letters` leaves out one that is shown")
                continue
            if any(target not in place for state in self._states for target, _ in matrix[state]):
                raise Malformed("`states` leaves out one that is reached")
            rows.append([[(place[target], _constant(w)) for target, w in matrix[state]] for state in self._states])
        return rows

    def _groups(self) -> list[list[list[int]]]:
        """The positions of letters that answer one input, by channel; letters that answer none are a channel."""
        inputs, channels = self._system.inputs, self._system.channels
        found: dict[tuple[bool, int], dict[int, list[int]]] = {}
        for position, letter in enumerate(self._letters):
            asked = -1 if inputs is None else inputs[letter]
            channel = (False, 0) if asked == -1 else (True, 0 if channels is None else channels[letter])
            found.setdefault(channel, {}).setdefault(asked, []).append(position)
        return [list(answers.values()) for answers in found.values()]

    def _after(self, vector: Sequence[int], letter: int) -> list[Fraction]:
        result = [Fraction(0)] * len(vector)
        for entry, row in zip(vector, self._rows[letter]):
            if entry:
                for target, weight in row:
                    result[target] += entry * weight
        return result

    def _at_most(self, vector: Sequence[Fraction], summands: Any) -> Fraction:
        """What a vector is worth at most: the values of vectors that are added up, and the positive entries left."""
        if not isinstance(summands, list):
            raise Malformed("a sum must be a list of vectors with factors")
        rest, total = list(vector), Fraction(0)
        for summand in summands:
            match summand:
                case [int(point), int(factor)] if (
                    all(map(_is_whole, summand)) and self._is_point(point) and factor >= 0
                ):
                    total += Fraction(factor * self._values[point], _UNIT)
                    for place, entry in enumerate(self._vectors[point]):
                        rest[place] -= Fraction(factor * entry, _UNIT)
                case _:
                    raise Malformed("a sum must hold numbers of vectors with factors that are not negative")
        return total + sum((max(entry, Fraction(0)) for entry in rest), Fraction(0))

    def _is_point(self, number: int) -> bool:
        return 0 <= number < len(self._vectors)

    def _stated(self, vectors: Any, values: Any) -> tuple[list[list[int]], list[int]]:
        if not isinstance(vectors, list) or not isinstance(values, list) or len(vectors) != len(values):
            raise Malformed("`vectors` must hold vectors, and `values` a number for each")
        if len(vectors) > _MOST_VECTORS:
            raise Malformed(f"`vectors` are more than {_MOST_VECTORS:,}")
        for vector in vectors:
            if not isinstance(vector, list) or len(vector) != len(self._states) or not all(map(_is_whole, vector)):
                raise Malformed("a vector must hold a whole number for each of `states`")
        if not all(map(_is_whole, values)):
            raise Malformed("`values` must be whole numbers")
        return vectors, values


def _indices(given: Any, count: int, what: str) -> list[int]:
    if not isinstance(given, list) or not all(_is_whole(each) and 0 <= each < count for each in given):
        raise Malformed(f"{what} must be numbers of those of the system")
    if len(set(given)) != len(given):
        raise Malformed(f"{what} must be different")
    return given


def _listed(given: Any, count: int, complaint: str) -> list[Any]:
    if not isinstance(given, list) or len(given) != count:
        raise Malformed(complaint)
    return given


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _constant(number: Number) -> Fraction:
    if not isinstance(number, Fraction):
        raise ValueError(f"{number} depends on parameters")
    return number
