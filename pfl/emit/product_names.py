"""Names of files, and identifiers, for what is written out of claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pfl.base.exponential import Exponential
from pfl.model.claims import Claim


def file_stem(claim: Claim) -> str:
    """The name of a claim as a part of a file name: letters, digits and `_`, all else a hyphen; two claims may share
    one."""
    return "-".join(
        "".join(character if character.isalnum() or character == "_" else " " for character in claim.name).split()
    )


def word_for(name: str) -> str:
    """What stands for a name of a number where only letters, digits and `_` do: `exp_minus_eps_over_4`."""
    held = Exponential.of(name)
    if held is None:
        return name
    return f"exp_minus_{held.base}" + (f"_over_{held.unit}" if held.unit > 1 else "")


def identifiers(names: Iterable[str], reserved: Collection[str] = ()) -> dict[str, str]:
    """An identifier of ASCII letters, digits and `_` for each name; all are different, also from `reserved`."""
    found: dict[str, str] = {}
    taken = set(reserved)
    for name in names:
        word = word_for(name)
        legal = "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"_u{ord(c):x}_" for c in word)
        base = legal if legal and not legal[0].isdigit() else f"x{legal}"
        identifier, number = base, 1
        while identifier in taken:
            number += 1
            identifier = f"{base}_{number}"
        taken.add(identifier)
        found[name] = identifier
    return found
