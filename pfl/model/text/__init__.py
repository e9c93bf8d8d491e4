"""The text of models and questions. Its form: docs/reference/model-text.md."""

from __future__ import annotations

import re

FIRST_WORDS, VERSION = "pfl model", "1"
"""What the first line of a text is made of."""

_FIRST_LINE = re.compile(rf"{FIRST_WORDS}\b")


def is_model_text(text: str) -> bool:
    """Whether a text says of itself that it is that of a model; no source of a model begins so."""
    return _FIRST_LINE.match(text) is not None
