"""A labelled system in arrays, for many directions at once: in floats to search, in whole numbers to show.

Source: docs/theory/excess-between.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from pfl.analysis.excess.directions import NO_INPUT
from pfl.analysis.ratio.integer_system import IntegerSystem, constant
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
WholeArray = np.ndarray[Any, np.dtype[Any]]
"""Python's whole numbers, or int64 where they fit."""


@struct(eq=False)
class Moves:
    """The states that matter, and the letters that they show.

    `whole[i, s, t]` divided by `scales[s]` is the probability that s goes to t with `letters[i]`; `floats` is the same
    rounded. `channels` holds, for each channel, the positions of the letters that answer each of its inputs; letters
    that answer none are a channel with one input.
    """

    states: tuple[int, ...]
    letters: tuple[int, ...]
    scales: tuple[int, ...]
    whole: WholeArray
    floats: FloatArray
    channels: tuple[tuple[tuple[int, ...], ...], ...]


def moves_of(system: LabelledSystem, part: IntegerSystem) -> Moves:
    """The arrays of the part of a system; numbers must be constants (ValueError otherwise)."""
    place = {state: number for number, state in enumerate(part.states)}
    letters = tuple(letter for letter, position in enumerate(part.positions) if position is not None)
    shape = (len(letters), len(place), len(place))
    exact = np.full(shape, Fraction(0), dtype=object)
    channels: dict[int, dict[int, list[int]]] = {}
    for position, letter in enumerate(letters):
        for state, number in place.items():
            for target, weight in system.matrices[letter][state]:
                exact[position, number, place[target]] += constant(weight)
        asked = NO_INPUT if system.inputs is None else system.inputs[letter]
        channel = NO_INPUT if asked == NO_INPUT else 0 if system.channels is None else system.channels[letter]
        channels.setdefault(channel, {}).setdefault(asked, []).append(position)
    scales = tuple(lcm(*(weight.denominator for weight in exact[:, state].flat)) for state in range(len(place)))
    scaled = exact * np.array(scales, dtype=object)[None, :, None]
    return Moves(
        states=part.states,
        letters=letters,
        scales=scales,
        whole=np.array([int(weight) for weight in scaled.flat], dtype=object).reshape(shape),
        floats=exact.astype(np.float64),
        channels=tuple(tuple(tuple(answers) for answers in inputs.values()) for inputs in channels.values()),
    )
