"""Words of a witness as people read them: letters between commas, repetitions and large sets shortened."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pfl.verify.verdict import Witness

SHOWN_WORDS = 8
"""Words of a set that are shown."""
_FEWEST = 3
"""Repetitions from which on a letter is written once, where that is shorter."""


def word_text(word: Sequence[str]) -> str:
    """`bot (4 times), top`: no `x`, which would read as a product beside letters that are numbers."""
    parts: list[str] = []
    for letter, run in groupby(word):
        count = len(list(run))
        once, each = f"{letter} ({count} times)", ", ".join([letter] * count)
        parts.append(once if count >= _FEWEST and len(once) < len(each) else each)
    return ", ".join(parts) or "nothing"


def head_of(witness: Witness) -> str:
    """What stands before several words: `any of 12 words`; of one word nothing.

    Where inputs are chosen on the way, the words hold them, and are what one way of choosing them may lead to.
    """
    count, out_of = len(witness.words), witness.out_of
    if count == 1 and out_of is None:
        return ""
    head = f"any of {count:,} word{'' if count == 1 else 's'}"
    if out_of is not None:
        head += f" (out of {'infinitely many' if out_of == 'inf' else f'{out_of:,}'})"
    return f"{head} under one strategy" if any(witness.inputs) else head


def shown_words(witness: Witness) -> list[str]:
    """The words, of many the first few and how many more there are."""
    count = len(witness.words)
    shown = count if count <= SHOWN_WORDS + 1 else SHOWN_WORDS
    texts = [word_text(word) for word in witness.words[:shown]]
    return texts if shown == count else [*texts, f"and {count - shown:,} more"]
