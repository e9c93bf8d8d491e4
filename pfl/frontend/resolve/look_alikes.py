"""Letters that look like Latin ones and are not: a name that contains one is another name than it seems."""

from __future__ import annotations

import unicodedata

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
