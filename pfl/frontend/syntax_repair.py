"""What a syntax error is found to be, with a way to read on."""

from __future__ import annotations

from dataclasses import dataclass

from pfl.base.diagnostics import Diagnostic
from pfl.frontend.lr_parser import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is wrong, and how to read on: signs to put in before the token, and what to read it as.

    `read_as` is a word or sign, NAME for a name, empty to skip the token, None to leave it as it is. `earlier`
    is a token before with the spelling to read it as. Without a repair the rest of the declaration is skipped.
    """

    diagnostic: Diagnostic
    insert: tuple[str, ...] = ()
    read_as: str | None = None
    earlier: tuple[Token, str] | None = None

    @property
    def has_repair(self) -> bool:
        return bool(self.insert) or self.read_as is not None or self.earlier is not None
