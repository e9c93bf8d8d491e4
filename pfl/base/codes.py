"""The one table of diagnostic codes.

Families: PFL00xx files, 01xx syntax, 02xx names, 03xx types, 04xx systems,
05xx claims, 06xx engines, 07xx limits, 09xx our own faults. A number is never
reused. Every code has a page `docs/errors/PFLnnnn.md` whose wrong block raises
it and whose right block does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code: `PFL` and four digits, a stable slug, a severity, one line of meaning."""

    number: int
    slug: str
    severity: Severity
    summary: str

    def __str__(self) -> str:
        return f"PFL{self.number:04d}"


_TABLE: dict[int, Code] = {}


def _error(number: int, slug: str, summary: str) -> Code:
    return _register(Code(number, slug, "error", summary))


def _warning(number: int, slug: str, summary: str) -> Code:
    return _register(Code(number, slug, "warning", summary))


def _register(code: Code) -> Code:
    if code.number in _TABLE:
        raise ValueError(f"{code} is declared twice")
    _TABLE[code.number] = code
    return code


def all_codes() -> tuple[Code, ...]:
    """Every code, by number."""
    return tuple(_TABLE[number] for number in sorted(_TABLE))


def find_code(text: str) -> Code | None:
    """The code that a user means by `PFL0401`, `pfl0401`, `0401`, `401` or its slug; None if there is none."""
    wanted = text.strip().lower()
    for code in _TABLE.values():
        if wanted in (str(code).lower(), code.slug):
            return code
    digits = wanted.removeprefix("pfl")
    return _TABLE.get(int(digits)) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else None


# 00xx: files

# 01xx: syntax

# 02xx: names

# 03xx: types

# 04xx: systems
ROW_SUM = _error(401, "row-does-not-sum-to-one", "the probabilities of a row or distribution do not sum to 1")

# 05xx: claims

# 06xx: engines

# 07xx: limits

# 09xx: our own faults
INTERNAL_ERROR = _error(901, "internal-error", "the compiler has failed; this is a fault of pflc, not of the model")
