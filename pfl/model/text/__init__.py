"""The text of models and questions. Its form: docs/reference/model-text.md."""

from __future__ import annotations

import re

VERSION = "1"
FIRST_LINE = f"pfl model {VERSION}"

_BLOCKS = "chain|enum|graph|hmm|interactive|outcomes|parameters|plts|program|record|runs|set|system|text|two_systems"
"""The words of `NUMBERED`, which it would take too long to import."""

_BEGINNING = re.compile(
    rf"""\ufeff* (?: \s++ | //[^\r\n]*+ )*+  # what says nothing
    (?: pfl\s+model\b | (?: (?:{_BLOCKS})[ ]+[0-9]+ | claim ) [ ]* (?: [\r\n] | $ ) )""",
    re.VERBOSE,
)


def is_model_text(text: str) -> bool:
    """Whether a text is meant to be that of a model, be its first line wrong or missing: no source begins so."""
    return _BEGINNING.match(text) is not None
