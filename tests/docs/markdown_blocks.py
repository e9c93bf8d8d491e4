"""The fenced code blocks of a Markdown page, each with its heading and the test comment above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[\w-]*)\s*$")
_DIRECTIVE = re.compile(r"^\s*<!-- test: (?P<text>.*?) -->\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """A block: `language` after the fence, `directive` of the comment above it or empty, `line` of its text."""

    language: str
    text: str
    heading: str
    directive: str
    line: int


def code_blocks(page: str) -> list[CodeBlock]:
    """The blocks in order; raises ValueError for one that is never closed, or a directive that stands above none."""
    blocks: list[CodeBlock] = []
    heading, directive = "", ""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if fence := _FENCE.match(line):
            end = next((n for n in range(number, len(lines)) if lines[n].strip() == fence["fence"]), None)
            if end is None:
                raise ValueError(f"line {number}: a code block that is never closed")
            indent = len(fence["indent"])
            text = "".join(f"{inner[indent:]}\n" for inner in lines[number:end])
            blocks.append(
                CodeBlock(language=fence["language"], text=text, heading=heading, directive=directive, line=number + 1)
            )
            directive, number = "", end + 1
        elif found := _DIRECTIVE.match(line):
            directive = found["text"]
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.strip() and directive:
            raise ValueError(f"line {number}: the comment `test: {directive}` stands above no block")
    return blocks
