"""Values of the states of a program with noise: handles in place of samples, and samples in place of handles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.base.struct import struct
from pfl.model.noise import Noise, Path, Sample
from pfl.model.values import RecordValue, SymbolValue, TupleValue

SAMPLE = SymbolValue("a sample")
"""What a message has in place of a sample."""


@struct(kw_only=False)
class Held:
    """plus - minus + shift in a state: the handles of its samples, by number, None for 0."""

    plus: int | None
    minus: int | None
    shift: Fraction | int
    is_integral: bool


@struct(kw_only=False)
class Fresh:
    """What a draw of noise gives: a sample that no state holds yet."""

    noise: Noise


def holds_sample(value: Any) -> bool:
    """Whether a value is a sample, or has one in it."""
    match value:
        case tuple():
            return any(map(holds_sample, value))
        case TupleValue(elements=parts) | RecordValue(values=parts):
            return any(map(holds_sample, parts))
        case _:
            return isinstance(value, Sample)


def decoded(value: Any, run: Path) -> Any:
    """The value with samples of the run in place of handles."""
    match value:
        case Held():
            return Sample(run, value.plus, value.minus, value.shift, value.is_integral)
        case tuple():
            return tuple(decoded(part, run) for part in value)
        case TupleValue():
            return TupleValue(tuple(decoded(part, run) for part in value.elements))
        case RecordValue():
            return RecordValue(value.shape, tuple(decoded(part, run) for part in value.values))
        case _:
            return value


def encoded(value: Any, carried: list[int | Noise], places: dict[int, int]) -> Any:
    """The value with handles in place of samples: numbered in order of mention, `carried` being where they were."""
    match value:
        case Fresh():
            carried.append(value.noise)
            return Held(len(carried) - 1, None, 0, value.noise.is_integral)
        case Sample():
            plus, minus = (None if end is None else _placed(end, carried, places) for end in (value.plus, value.minus))
            return Held(plus, minus, value.shift, value.is_integral)
        case tuple():
            return tuple(encoded(part, carried, places) for part in value)
        case TupleValue():
            return TupleValue(tuple(encoded(part, carried, places) for part in value.elements))
        case RecordValue():
            return RecordValue(value.shape, tuple(encoded(part, carried, places) for part in value.values))
        case _:
            return value


def _placed(handle: int, carried: list[int | Noise], places: dict[int, int]) -> int:
    if handle not in places:
        places[handle] = len(carried)
        carried.append(handle)
    return places[handle]


def without_samples(value: Any) -> Any:
    """The value with a symbol in place of each sample: what is left of samples that are not needed."""
    match value:
        case Held():
            return SAMPLE
        case tuple():
            return tuple(map(without_samples, value))
        case TupleValue():
            return TupleValue(tuple(map(without_samples, value.elements)))
        case RecordValue():
            return RecordValue(value.shape, tuple(map(without_samples, value.values)))
        case _:
            return value
