"""What an examiner sees who does not know where among the data points a response came: interleavings summed up.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem, Vector


def seen_mass(system: LabelledSystem, start: Vector, word: Sequence[int]) -> Number:
    """The mass of all words with the inputs of `word`, in their order, and with what is seen of it, in its order.

    Each of them is another place of the responses among the inputs, and no two are beginnings of one run.
    """
    exchanges = system.exchanges
    assert exchanges is not None, "letters are inputs or responses"
    inputs = [letter for letter in word if exchanges[letter].given is not None]
    seen = [letter for letter in word if exchanges[letter].seen is not None]
    if not seen:
        return sum(start, Fraction(0))
    total: Number = Fraction(0)
    # reached[k] is the vector after k inputs and the part of `seen` that was gone through so far.
    reached: dict[int, Vector] = {0: start}
    for place, letter in enumerate(seen):
        after: dict[int, Vector] = {}
        for taken in range(len(inputs) + 1):
            vector = reached.get(taken)
            if vector is None:
                continue
            is_answer = exchanges[letter].given is None
            if is_answer or (taken < len(inputs) and inputs[taken] == letter):
                count = taken if is_answer else taken + 1
                after[count] = _sum(after.get(count), system.step(vector, letter))
            if taken < len(inputs) and exchanges[inputs[taken]].seen is None:
                reached[taken + 1] = _sum(reached.get(taken + 1), system.step(vector, inputs[taken]))
        reached = after
        if place == len(seen) - 1:
            total = sum((entry for vector in reached.values() for entry in vector), Fraction(0))
    return total


def _sum(first: Vector | None, second: Vector) -> Vector:
    return second if first is None else tuple(x + y for x, y in zip(first, second))
