"""What generated code was made from, told by its lines: for faults of code that itself knows of no place.

Code of a program with samples fails inside an operator of Python, which is given no span to point at.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from pfl.base.source import Span

_NAME = "_code_places"
"""How they are called among the names of generated code."""

_FIRST = 2
"""Code that says nothing of its place has line 1."""


class CodePlaces:
    """The spans of generated code, by line."""

    def __init__(self) -> None:
        self._spans: list[Span] = []

    @staticmethod
    def of(namespace: Mapping[str, Any]) -> CodePlaces | None:
        """Those of the code in a namespace, where it keeps them."""
        return namespace.get(_NAME)

    def enter(self, namespace: dict[str, Any]) -> None:
        """Let a namespace keep them."""
        namespace[_NAME] = self

    def put(self, tree: ast.expr | ast.stmt, span: Span) -> None:
        """Let code be made from what stands there, unless it is known already what it was made from."""
        if not hasattr(tree, "lineno"):
            self._spans.append(span)
            tree.lineno = tree.end_lineno = len(self._spans) - 1 + _FIRST
            tree.col_offset = tree.end_col_offset = 0

    def innermost(self, traceback: TracebackType | None) -> Span | None:
        """What the code was made from that was run last before an exception."""
        found = None
        while traceback is not None:
            place = traceback.tb_lineno - _FIRST
            if traceback.tb_frame.f_code.co_filename.startswith("<pfl") and 0 <= place < len(self._spans):
                found = self._spans[place]
            traceback = traceback.tb_next
        return found
