"""Undeclared symbols: a warning for one that is likely to be a misspelling of another."""

from __future__ import annotations

from collections import Counter

from pfl.frontend.bindings import Global
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.look_alikes import as_it_looks
from pfl.frontend.resolve.scope import Owner, SymbolUse
from pfl.frontend.resolve.spelling import is_one_edit
from pfl.frontend.typecheck.checker import Checker

_SHORTEST = 3
"""Names shorter than this are all one edit apart."""


def settle_symbols(checker: Checker, declaration: Global, owner: Owner) -> set[str]:
    """The symbols that a checked declaration can produce, with those of what it calls; warns of misspellings."""
    symbols = {*owner.letters, *(use.name.text for use in owner.uses)}
    for identity in owner.callees:
        symbols |= checker.symbols.get(identity, set())
    checker.symbols[id(declaration)] = symbols
    _report_misspellings(checker, owner)
    return symbols


def _report_misspellings(checker: Checker, owner: Owner) -> None:
    """Warns of a symbol that occurs once in its declaration and is one edit from another.

    Two keys of one distribution are both meant, and so are names that differ in a digit (`top1`, `top2`).
    """
    counts = Counter(use.name.text for use in owner.uses)
    groups: dict[str, set[int]] = {}
    for use in owner.uses:
        groups.setdefault(use.name.text, set()).update(() if use.group is None else (use.group,))
    suspects: set[str] = set()
    _report_look_alikes(checker, owner)
    for use in reversed(owner.uses):
        if counts[use.name.text] > 1 or len(use.name.text) < _SHORTEST:
            continue
        other = _neighbour(use, owner, counts, groups, suspects)
        if other is not None:
            suspects.add(use.name.text)
            checker.found.add(name_errors.likely_misspelling(use.name, other.name))


def _report_look_alikes(checker: Checker, owner: Owner) -> None:
    """Warns of symbols that cannot be told apart by eye, however often they occur."""
    first: dict[str, SymbolUse] = {}
    told: set[str] = set()
    for use in owner.uses:
        other = first.setdefault(as_it_looks(use.name.text), use)
        if other.name.text != use.name.text and use.name.text not in told:
            told.add(use.name.text)
            checker.found.add(name_errors.look_alikes(use.name, other.name))


def _neighbour(
    use: SymbolUse, owner: Owner, counts: Counter[str], groups: dict[str, set[int]], suspects: set[str]
) -> SymbolUse | None:
    text = use.name.text
    near = [
        other
        for other in owner.uses
        if is_one_edit(text, other.name.text)
        and as_it_looks(text) != as_it_looks(other.name.text)
        and other.name.text not in suspects
        and _without_digits(text) != _without_digits(other.name.text)
        and not groups[text] & groups[other.name.text]
    ]
    return max(near, key=lambda other: counts[other.name.text], default=None)


def _without_digits(text: str) -> str:
    return "".join(letter for letter in text if not letter.isdigit())
