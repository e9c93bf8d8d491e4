"""The mass of words, exactly: in whole numbers over one denominator as long as all numbers are rational.

Source: docs/theory/replay.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Matrix

_MOST_BITS = 4096
"""Of the denominator that a step puts its rows over. Rows with longer ones are added as fractions: a denominator that
many states share may be far longer than each of theirs."""
_LETTERS_BETWEEN_REDUCTIONS = 16

_Whole: TypeAlias = Mapping[int, int]


@struct
class _Reached:
    """The entries of v M_w that are not left out: `numbers`, or `whole` / `denominator`, of which `numbers` is None."""

    whole: _Whole
    denominator: int
    numbers: Mapping[int, Number] | None = None

    @property
    def entries(self) -> Mapping[int, Number]:
        if self.numbers is not None:
            return self.numbers
        return {state: Fraction(weight, self.denominator) for state, weight in self.whole.items()}


def mass_of_words(system: LabelledSystem, start: Sequence[Number], words: Sequence[Sequence[int]]) -> Number:
    """The sum of mass(start, w) over words, letters by their index; what several begin with is gone through once."""
    total: Number = Fraction(0)
    path: list[int] = []
    reached = [_start(start)]
    for word in sorted(map(tuple, words)):
        common = next((i for i, (a, b) in enumerate(zip(path, word)) if a != b), min(len(path), len(word)))
        del path[common:], reached[common + 1 :]
        for letter in word[common:]:
            path.append(letter)
            after = _after(reached[-1], system.matrices[letter])
            reached.append(after if len(path) % _LETTERS_BETWEEN_REDUCTIONS else _reduced(after))
        total = total + _total(reached[-1], system.final)
    return total


def _start(start: Sequence[Number]) -> _Reached:
    numbers = {state: weight for state, weight in enumerate(start) if weight}
    scale = _common_denominator(list(numbers.values()))
    if scale is None:
        return _Reached(whole={}, denominator=1, numbers=numbers)
    return _Reached(
        whole={state: _times(weight, scale) for state, weight in numbers.items()},
        denominator=scale,
    )


def _after(reached: _Reached, matrix: Matrix) -> _Reached:
    if reached.numbers is None:
        scale = _common_denominator([entry for state in reached.whole for _, entry in matrix[state]])
        if scale is not None:
            whole: dict[int, int] = {}
            for state, weight in reached.whole.items():
                for column, entry in matrix[state]:
                    whole[column] = whole.get(column, 0) + weight * _times(entry, scale)
            return _Reached(whole=whole, denominator=reached.denominator * scale)
    after: dict[int, Number] = {}
    for state, number in reached.entries.items():
        for column, entry in matrix[state]:
            after[column] = after[column] + number * entry if column in after else number * entry
    return _Reached(whole={}, denominator=1, numbers=after)


def _reduced(reached: _Reached) -> _Reached:
    content = gcd(reached.denominator, *reached.whole.values())
    if content == 1:
        return reached
    whole = {state: weight // content for state, weight in reached.whole.items()}
    return _Reached(whole=whole, denominator=reached.denominator // content, numbers=reached.numbers)


def _total(reached: _Reached, final: Sequence[Number] | None) -> Number:
    if final is None and reached.numbers is None:
        return Fraction(sum(reached.whole.values()), reached.denominator)
    ends = reached.entries.items()
    return sum((weight if final is None else weight * final[state] for state, weight in ends), Fraction(0))


def _common_denominator(numbers: Sequence[Number]) -> int | None:
    """The least common denominator; None where a number is not rational, or it is too long."""
    scale = 1
    for number in numbers:
        if not isinstance(number, Fraction):
            return None
        if scale % number.denominator:
            scale = lcm(scale, number.denominator)
            if scale.bit_length() > _MOST_BITS:
                return None
    return scale


def _times(number: Number, scale: int) -> int:
    """A rational number times a multiple of its denominator."""
    assert isinstance(number, Fraction)
    return number.numerator * (scale // number.denominator)
