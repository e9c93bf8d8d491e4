"""The syntax tree: what all nodes have."""

from __future__ import annotations

from dataclasses import field

from pfl.base.source import Span
from pfl.base.struct import struct


@struct
class Node:
    """What every node has: the text it stands for."""

    span: Span = field(compare=False, repr=False)


@struct
class Identifier(Node):
    """A name where it is declared or used as a label: `sick`."""

    text: str
