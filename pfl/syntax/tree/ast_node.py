"""The syntax tree: what all nodes have."""

from __future__ import annotations

from dataclasses import dataclass, field

from pfl.base.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What every node has: the text it stands for."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier(Node):
    """A name where it is declared or used as a label: `sick`."""

    text: str
