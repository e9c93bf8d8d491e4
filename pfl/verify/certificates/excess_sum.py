"""An independent check that a delta suffices: what the positive excesses of words add up to, bounded from above.

Shares no code with the search: vectors are computed again, and so are the sums. The format, and why it proves what it
claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.compare import Direction
from pfl.verify.certificates.certificate_format import (
    LONGEST_WORD,
    MOST_DIRECTIONS,
    Damage,
    Malformed,
    exact_rational,
    intact,
    stated_length,
)

KIND = "excess"

Whole: TypeAlias = tuple[tuple[int, int], ...]
"""A direction: the (state, entry) that are not 0, by state, integers without common factor."""
Scaled: TypeAlias = tuple[Whole, Fraction]
"""A direction with its factor."""


def verify_excess(
    certificate: Any, direction: Direction, delta: Fraction, length: int | Literal["any"], budget: Budget
) -> list[str]:
    """What is wrong with a certificate that the excess of every set of words is at most delta; empty if nothing is.

    The numbers must be constants. Raises LimitReached.
    """
    try:
        return _Checking(certificate, direction, budget).problems(delta, length)
    except Malformed as malformed:
        return [Damage(malformed)]


class _Checking:
    def __init__(self, certificate: Any, direction: Direction, budget: Budget) -> None:
        record, kind = intact(certificate)
        if kind != KIND:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of a delta")
        self._record, self._direction, self._budget = record, direction, budget
        self._bound = exact_rational(record.get("bound"), "`bound`")
        self._length = stated_length(record)
        self._system = direction.comparison.system
        self._matrices = [_whole_rows(matrix) for matrix in self._system.matrices]
        self._known: dict[Whole, list[list[list[tuple[Whole, Fraction]]]]] = {}

    def problems(self, delta: Fraction, length: int | Literal["any"]) -> list[str]:
        epsilon = self._direction.comparison.epsilon
        assert epsilon is not None
        if epsilon.compare(self._bound) > 0:
            return ["the certificate is for a larger bound than the claim"]
        above, below = self._direction.above, self._direction.below
        start, weight = _scaled(
            {
                state: _constant(left) * _constant(below.weight)
                - self._bound * _constant(right) * _constant(above.weight)
                for state, (left, right) in enumerate(zip(above.vector, below.vector))
            }
        )
        if self._length is None:
            found = self._of_whole_runs(start)
        else:
            found = self._of_length(start, self._length, length)
        allowed = delta * _constant(above.weight) * _constant(below.weight)
        return [] if weight * found <= allowed else ["the excesses that are shown add up to more than delta"]

    # --- words of one length ----------------------------------------------------

    def _of_length(self, start: Whole, letters: int, length: int | Literal["any"]) -> Fraction:
        """What the words of one length add up to, from what follows so many letters at most."""
        most = self._record.get("vectors")
        if not isinstance(most, int) or isinstance(most, bool) or not 0 < most <= MOST_DIRECTIONS:
            raise Malformed("`vectors` must be a number of directions")
        if letters > LONGEST_WORD:
            raise Malformed(f"`length` is more than {LONGEST_WORD:,} letters")
        levels, seen = [{start}], {start}
        for read in range(letters):
            self._budget.check(f"the words of {read} letters were gone through")
            following = {node for each in levels[-1] for node in self._nodes_after(each)}
            seen |= following
            if len(seen) > most:
                raise Malformed(f"prefixes lead to more than the {most:,} directions that the certificate states")
            levels.append(following)
        is_whole = length != "any" and length <= letters
        values = {node: Fraction(_own(node) if is_whole else _most(node)) for node in levels[-1]}
        for level in reversed(levels[:-1]):
            self._budget.check("the excesses of words were added up")
            values = {node: max(Fraction(_own(node)), self._following(node, values)) for node in level}
        return values[start]

    # --- whole runs -------------------------------------------------------------

    def _of_whole_runs(self, start: Whole) -> Fraction:
        """The stated value of the start, if no value is less than its own mass or what follows it."""
        values = self._stated(start)
        for done, (node, value) in enumerate(values.items()):
            if done % 256 == 0:
                self._budget.check(f"the values of {done:,} vectors were checked")
            if value < _own(node) or value < self._following(node, values):
                raise Malformed(f"the value of vector {done} is less than what follows it")
        return values.get(start, Fraction(_most(start)))

    def _stated(self, start: Whole) -> dict[Whole, Fraction]:
        words, numbers = self._record.get("vectors"), self._record.get("values")
        if not isinstance(words, list) or not isinstance(numbers, list) or len(words) != len(numbers):
            raise Malformed("`vectors` must hold words, and `values` a number for each")
        known: dict[tuple[int, ...], Whole] = {(): start}
        found: dict[Whole, Fraction] = {}
        for word, number in zip(words, numbers):
            if not isinstance(word, list) or len(word) > LONGEST_WORD:
                raise Malformed("`vectors` must hold words, lists of letters of the system")
            for end in range(1, len(word) + 1):
                letter, longer = word[end - 1], tuple(word[:end])
                if not isinstance(letter, int) or isinstance(letter, bool) or not 0 <= letter < len(self._matrices):
                    raise Malformed("a word names a letter that the system does not have")
                if longer not in known:
                    self._budget.check("the vectors of words were computed")
                    known[longer] = self._after(known[longer[:-1]], letter)[0]
            found[known[tuple(word)]] = exact_rational(number, "a number of `values`")
        return found

    # --- both -------------------------------------------------------------------

    def _following(self, node: Whole, values: Mapping[Whole, Fraction]) -> Fraction:
        """What follows a direction: of each channel the largest sum over the answers to one input, and all that
        answers none; what has no value is bounded by its positive entries."""
        total = Fraction(0)
        for inputs in self._edges(node):
            total += max(
                sum((weight * values.get(after, Fraction(_most(after))) for after, weight in answers), Fraction(0))
                for answers in inputs
            )
        return total

    def _nodes_after(self, node: Whole) -> list[Whole]:
        return [after for inputs in self._edges(node) for answers in inputs for after, _ in answers]

    def _edges(self, node: Whole) -> list[list[list[Scaled]]]:
        """For each channel, and for letters that answer no input, what follows for each input."""
        known = self._known.get(node)
        if known is None:
            inputs, channels = self._system.inputs, self._system.channels
            found: dict[tuple[int, int], dict[int, list[Scaled]]] = {}
            # Without a negative entry nothing that follows is more than the mass itself.
            is_over = all(entry >= 0 for _, entry in node)
            for letter in () if is_over else range(len(self._matrices)):
                after, weight = self._after(node, letter)
                if all(entry <= 0 for _, entry in after):
                    continue
                asked = -1 if inputs is None else inputs[letter]
                channel = (0, 0) if asked == -1 else (1, 0 if channels is None else channels[letter])
                found.setdefault(channel, {}).setdefault(asked, []).append((after, weight))
            known = self._known[node] = [list(answers.values()) for answers in found.values()]
        return known

    def _after(self, node: Whole, letter: int) -> Scaled:
        rows, scale = self._matrices[letter]
        found: dict[int, int] = {}
        for state, entry in node:
            for target, weight in rows[state]:
                found[target] = found.get(target, 0) + entry * weight
        after, factor = _scaled(found)
        return after, factor / scale


def _own(node: Whole) -> int:
    return max(0, sum(entry for _, entry in node))


def _most(node: Whole) -> int:
    return sum(entry for _, entry in node if entry > 0)


def _scaled(entries: Mapping[int, Fraction | int]) -> Scaled:
    """The direction of a vector, and its factor."""
    kept = sorted((state, entry) for state, entry in entries.items() if entry)
    scale = lcm(*(entry.denominator for _, entry in kept))
    whole = [(state, entry.numerator * (scale // entry.denominator)) for state, entry in kept]
    content = gcd(*(entry for _, entry in whole)) or 1
    return tuple((state, entry // content) for state, entry in whole), Fraction(content, scale)


def _whole_rows(matrix: Sequence[Sequence[tuple[int, Number]]]) -> tuple[list[list[tuple[int, int]]], int]:
    """The rows of a matrix in integers, and by what they were multiplied."""
    exact = [[(target, _constant(weight)) for target, weight in row] for row in matrix]
    scale = lcm(*(weight.denominator for row in exact for _, weight in row))
    return [[(target, int(weight * scale)) for target, weight in row] for row in exact], scale


def _constant(number: Number) -> Fraction:
    if not isinstance(number, Fraction):
        raise ValueError(f"{number} depends on parameters")
    return number
