"""Suggestions for misspelt names.

Letters that look like Latin ones and are not: a name that contains one is another name than it seems.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LATIN = str.maketrans(
    # Cyrillic, Greek, Armenian and other Latin letters, each above the one it looks like.
    "аеорсухіјѕһԁԛԝӏ" "АВЕКМНОРСТУХІЈЅԌ" "ονρυικϲ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ" "օսհց" "ıɑɡ",
    "aeopcyxijshdqwl" "ABEKMHOPCTYXIJSG" "ovpuikc" "ABEZHIKMNOPTYXC" "ouhg" "iag",
)  # fmt: skip


def as_it_looks(name: str) -> str:
    """The name with Latin letters in place of those that look like them; compatible forms (full width) count, too."""
    return unicodedata.normalize("NFKC", name).translate(_LATIN)


def look_alike(wrong: str, right: str) -> str | None:
    """What tells two names apart that look alike: the first letter that differs; None if they do not look alike."""
    if wrong == right or as_it_looks(wrong) != as_it_looks(right):
        return None
    found, meant = next((pair for pair in zip(wrong, right) if pair[0] != pair[1]), ("", ""))
    if not found:
        return None
    return f"`{wrong}` has {_described(found)} where `{right}` has {_described(meant)}, and they look alike"


def _described(letter: str) -> str:
    if letter.isascii():
        return f"the Latin letter `{letter}`"
    return f"`{letter}` (U+{ord(letter):04X}, {unicodedata.name(letter, 'a letter without a name')})"


FOREIGN_NAMES: dict[str, str] = {
    "log": "a logarithm is written `ln`, and only in an epsilon",
    "sqrt": "numbers are exact rationals: declare a `param` for an irrational number",
    "pow": "a power is written `x ^ n`, with an int `n`",
    "len": "the number of elements is `size(x)`",
    "length": "the number of elements is `size(x)`",
    "range": "a range is written `lo..hi`, both ends included",
    "round": "use `floor` or `ceil`; `floor(x + 1/2)` rounds to the nearest int",
    "int": "use `floor` or `ceil`",
    "any": "write `exists x in S: condition`",
    "all": "write `forall x in S: condition`",
    "print": "a program of PFL shows only what it emits, returns or responds",
    "flip": "a coin is written `bernoulli(p)`",
    "Bernoulli": "a coin is written `bernoulli(p)`",
    "choice": "a uniform choice is written `uniform(S)`",
    "randint": "a uniform choice is written `uniform(lo..hi)`",
    "random": "a uniform choice is written `uniform(S)`, a coin `bernoulli(p)`",
    "poisson": "noise without bounds is listed in docs/reference/noise.md; `binomial(n, p)` counts successes",
    **dict.fromkeys(("Laplace", "Lap", "lap"), "Laplace noise is written `laplace(mean, scale)`"),
    **dict.fromkeys(
        ("Gaussian", "normal", "Normal", "gauss"),
        "Gaussian noise is written `gaussian(mean, sd)`, of integers `discrete_gaussian(mean, sd)`",
    ),
}
"""What to write instead of functions that people bring from elsewhere."""


def closest(wrong: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was most likely meant, or None where nothing is close. Case counts for little.

    What the candidate alone begins with is close to it too, `eps` to `epsilon`, and the other way round; what looks
    like it is closest of all.
    """
    from difflib import get_close_matches

    candidates = set(candidates) - {wrong}
    alike = sorted(candidate for candidate in candidates if as_it_looks(candidate) == as_it_looks(wrong))
    if alike:
        return alike[0]
    by_lower = {candidate.lower(): candidate for candidate in sorted(candidates)}
    near = [candidate for candidate in by_lower if len(wrong) > 3 and is_one_edit(wrong.lower(), candidate)]
    matches = near if len(near) == 1 else get_close_matches(wrong.lower(), by_lower, n=1, cutoff=0.67)
    if not matches and len(wrong) <= 3:
        matches = [candidate for candidate in by_lower if len(candidate) > 1 and is_one_edit(wrong.lower(), candidate)]
    if not matches and len(wrong) >= 3:
        longer = [candidate for candidate in by_lower if candidate.startswith(wrong.lower())]
        shorter = [candidate for candidate in by_lower if len(candidate) >= 3 and wrong.lower().startswith(candidate)]
        matches = longer if len(longer) == 1 else shorter if len(shorter) == 1 else []
    return by_lower[matches[0]] if matches else None


def did_you_mean(wrong: str, guess: str) -> str:
    """The question whether a name was meant, or the letter that makes a difference which cannot be seen."""
    return look_alike(wrong, guess) or f"did you mean `{guess}`?"


def is_one_edit(left: str, right: str) -> bool:
    """Whether one letter put in, left out or changed, or two neighbours exchanged, turn one word into the other."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    shorter, longer = sorted((left, right), key=len)
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    if len(shorter) < len(longer):
        return shorter[start:] == longer[start + 1 :]
    exchanged = shorter[start : start + 2] == longer[start : start + 2][::-1]
    return shorter[start + 1 :] == longer[start + 1 :] or (exchanged and shorter[start + 2 :] == longer[start + 2 :])
