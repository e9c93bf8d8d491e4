"""Reading a certificate: plain objects, of which nothing is taken for granted, to checked records."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.exact_text import integer_value
from pfl.base.struct import struct

FORMAT = "pfl-certificate-1"

MOST_DIRECTIONS = 1_000_000
"""The search keeps far fewer; no certificate that states more is ever written."""

LONGEST_WORD = 10_000
"""Letters of the words that lead to vectors."""

DEEPEST = 20
"""How deep lists and objects stand in each other, at most; certificates need half of it."""

PARAMETRIC = "parametric"
"""The kind of those for all values of parameters, one an obligation."""
WORDS = "words"
"""The kind of those which say that all words shall be looked at, for all values of parameters."""
EXCESS_ABOVE = "excess-above"
"""The kind of those of a delta at every length, by vectors near each other."""

_KINDS = (
    *("exhaustive", "closure", "unwinding", "relation", PARAMETRIC, WORDS, "excess", EXCESS_ABOVE, "none"),
    *("exponential", "exponential-excess"),
    *("hitting", "visits", "moves", "word"),
)

BOUNDING = ("exhaustive", "closure", "unwinding")
"""Those that bound ratios."""

MOST_DIGITS = 100_000
"""Of the numerator and the denominator of a number together; models have no longer ones."""

_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")


class Malformed(Exception):
    """The object is no certificate; the text says where it departs from the format."""


class Unshown(Exception):
    """What cannot be shown here, though it may be so; the text says what."""


class Damage(str):
    """A fault of a certificate itself, whatever the model says."""


class Uncertifiable(str):
    """Why no certificate can show a claim."""


class Unproved(str):
    """What the check of a certificate cannot show, though it may be so: a sign that depends on parameters."""


@struct
class Combination:
    """A claim that a vector is at most sum y_i u_i in all futures.

    `futures` = R: the difference, after every word of R letters, has no positive entry. With `tested`, the vector's
    own mass is at most 0 after every word of the letters that remain.
    """

    multipliers: tuple[tuple[int, Fraction], ...]
    futures: int
    tested: bool


@struct
class KeptVector:
    """A vector of the closure: start M_word, or explicit (state, entry) pairs; `level` letters have been read."""

    word: tuple[int, ...] | None
    entries: tuple[tuple[int, Fraction], ...]
    level: int


@struct
class Exhaustive:
    """No prefix leads to a positive mass; prefixes lead to at most `vectors` directions."""

    bound: Fraction
    length: int | None
    vectors: int


@struct
class Closure:
    """Vectors that cover the start and, after every letter, each other."""

    bound: Fraction
    length: int | None
    vectors: tuple[KeptVector, ...]
    start: Combination
    steps: tuple[tuple[Combination, ...], ...]


Certificate: TypeAlias = Exhaustive | Closure


def read_certificate(certificate: Any) -> Certificate:
    """The certificate as a record; raises Malformed."""
    record, kind = intact(certificate)
    if kind not in ("exhaustive", "closure"):
        raise Malformed(f"a certificate of the kind `{kind}` shows nothing of this claim")
    bound = exact_rational(record.get("bound"), "`bound`")
    length = stated_length(record)
    match kind:
        case "exhaustive":
            stated = _natural(record.get("vectors"), "`vectors`")
            if stated > MOST_DIRECTIONS:
                raise Malformed(f"`vectors` states more than {MOST_DIRECTIONS:,} directions, which are never looked at")
            return Exhaustive(bound=bound, length=length, vectors=stated)
        case _:
            vectors = tuple(_kept_vector(entry, length) for entry in _list(record.get("vectors"), "`vectors`"))
            steps = tuple(
                tuple(_combination(entry, len(vectors)) for entry in _list(row, "each of the `steps`"))
                for row in _list(record.get("steps"), "`steps`")
            )
            if len(steps) != len(vectors):
                raise Malformed("there must be one list of steps a vector")
            start = _combination(record.get("start"), len(vectors))
            return Closure(bound=bound, length=length, vectors=vectors, start=start, steps=steps)


def intact(certificate: Any) -> tuple[dict[str, Any], str]:
    """The certificate and its kind, if its format is known and its digest fits; raises Malformed."""
    record = _record(certificate, "a certificate")
    if record.get("format") != FORMAT:
        raise Malformed(f"the `format` of a certificate is not `{FORMAT}`")
    if _is_deeper(record, DEEPEST):
        raise Malformed("a certificate holds lists in lists that no kind of certificate has")
    if record.get("digest") != digest_of(record):
        raise Malformed("the certificate was altered: its digest does not fit")
    kind = record.get("kind")
    if kind not in _KINDS:
        raise Malformed(f"the `kind` of a certificate is none of {', '.join(_KINDS)}")
    return record, kind


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether more lists and objects than that many stand in each other."""
    level = [value]
    for _ in range(levels):
        level = [
            part
            for whole in level
            if isinstance(whole, dict | list)
            for part in (whole.values() if isinstance(whole, dict) else whole)
        ]
    return any(isinstance(part, dict | list) for part in level)


def stated_length(record: dict[str, Any]) -> int | None:
    """The `length` of a certificate, None for `any`; raises Malformed."""
    length = record.get("length")
    return None if length == "any" else _natural(length, "`length`, where it is not `any`,")


def digest_of(record: dict[str, Any]) -> str:
    """SHA-256 of the compact JSON text with sorted keys, without the digest itself."""
    import hashlib

    rest = {key: value for key, value in record.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _kept_vector(entry: Any, length: int | None) -> KeptVector:
    record = _record(entry, "a vector")
    level = 0 if length is None else _natural(record.get("level"), "`level`")
    if length is not None and level > length:
        raise Malformed("a vector has a level beyond the length")
    if "word" in record:
        letters = _list(record["word"], "`word`")
        if len(letters) > LONGEST_WORD:
            raise Malformed(f"a `word` has more than {LONGEST_WORD:,} letters")
        word = tuple(_natural(letter, "a letter of `word`") for letter in letters)
        return KeptVector(word=word, entries=(), level=level)
    entries = []
    for pair in _list(record.get("entries"), "`entries`"):
        state, value = _pair(pair, "`entries`")
        entries.append((_natural(state, "a state of `entries`"), exact_rational(value, "a number of `entries`")))
    return KeptVector(word=None, entries=tuple(entries), level=level)


def _combination(entry: Any, vectors: int) -> Combination:
    record = _record(entry, "a combination")
    multipliers = []
    for pair in _list(record.get("of", []), "`of`"):
        index, multiplier = _pair(pair, "`of`")
        kept, weight = _natural(index, "a vector of `of`"), exact_rational(multiplier, "a multiplier of `of`")
        if kept >= vectors:
            raise Malformed(f"there is no vector {kept}")
        if weight < 0:
            raise Malformed("a multiplier is negative")
        multipliers.append((kept, weight))
    tested = record.get("tested", False)
    if not isinstance(tested, bool):
        raise Malformed("`tested` must be true or false")
    return Combination(
        multipliers=tuple(multipliers), futures=_natural(record.get("futures", 0), "`futures`"), tested=tested
    )


def _record(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"{where} must be an object")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed(f"{where} must be a list")
    return value


def _pair(value: Any, where: str) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise Malformed(f"{where} must hold pairs")
    return value[0], value[1]


def _natural(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Malformed(f"{where} must be a whole number that is not negative")
    return value


def exact_rational(value: Any, where: str) -> Fraction:
    """The rational that a text of a certificate spells. Raises Malformed, also where it has too many digits."""
    return Fraction(*whole_parts(value, where))


def whole_parts(value: Any, where: str) -> tuple[int, int]:
    """The numerator and the denominator that such a text spells, as they stand there. Raises Malformed."""
    if not isinstance(value, str) or not _RATIONAL.fullmatch(value):
        raise Malformed(f'{where} must be an exact rational such as "-3/4"')
    if len(value) > MOST_DIGITS:
        raise Malformed(f"{where} has more than {MOST_DIGITS:,} digits")
    above, slash, below = value.partition("/")
    parts = integer_value(above), integer_value(below) if slash else 1
    if not parts[1]:
        raise Malformed(f"{where}: the denominator is 0")
    return parts
