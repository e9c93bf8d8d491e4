"""Diagnostics as text for people: headline, source lines with marks, help and notes.

Source lines with the places of labels marked under them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import SourceFile
from pfl.base.struct import struct
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap

TAB = 4
CLIPPED = "..."


@struct
class Mark:
    """A label on one line: a half-open range of cells, at least one cell wide."""

    start: int
    end: int
    text: str
    is_primary: bool

    @property
    def style(self) -> Style:
        return "error" if self.is_primary else "strong"

    def shifted(self, cells_to_the_right: int, limit: int) -> Mark:
        start = max(0, min(self.start + cells_to_the_right, limit - 1))
        end = max(start + 1, min(self.end + cells_to_the_right, limit))
        return Mark(start=start, end=end, text=self.text, is_primary=self.is_primary)


@struct
class Block:
    """A label over several lines, drawn as a bracket in its own column left of the text."""

    first: int
    last: int
    text: str
    is_primary: bool

    @property
    def style(self) -> Style:
        return "error" if self.is_primary else "strong"


def snippet(file: SourceFile, labels: Sequence[Label], primary: Label, gutter: int, width: int) -> list[StyledLine]:
    """The lines of `file` that `labels` touch, numbered in a margin of `gutter` digits, with `width` cells for text."""
    blocks: list[Block] = []
    marks: dict[int, list[Mark]] = {}
    for label in labels:
        (line, start), (end_line, end) = _extent(label)
        is_primary = label is primary
        if line == end_line:
            mark = _mark(file.line(line), start, end, visible(label.text), is_primary)
            marks.setdefault(line, []).append(mark)
        else:
            blocks.append(Block(first=line, last=end_line, text=visible(label.text), is_primary=is_primary))
    shown = sorted({*marks, *(block.first for block in blocks), *(block.last for block in blocks)})
    lines: list[StyledLine] = []
    previous: int | None = None
    for number in shown:
        if previous is not None and number == previous + 2:
            lines += _numbered(file, previous + 1, [], blocks, gutter, width)
        elif previous is not None and number > previous + 2:
            lines.append((Piece("...".ljust(gutter + 2), "faint"), *_brackets(previous + 1, blocks, gutter)[1:]))
        lines += _numbered(file, number, marks.get(number, []), blocks, gutter, width)
        previous = number
    return lines


def margin(gutter: int) -> Piece:
    """The margin of a line that has no number."""
    return Piece(" " * (gutter + 1) + "|", "faint")


def _extent(label: Label) -> tuple[tuple[int, int], tuple[int, int]]:
    """(line, column) of the start and of the end; an end at the very start of a line belongs to the line before."""
    file = label.span.file
    start, end = file.position(label.span.start), label.span.end_position
    if end[0] > start[0] and end[1] == 1:
        end = end[0] - 1, len(file.line(end[0] - 1)) + 1
    return start, end


def _mark(line: str, start: int, end: int, text: str, is_primary: bool) -> Mark:
    left = _cells_before(line, start - 1)
    return Mark(start=left, end=max(left + 1, _cells_before(line, end - 1)), text=text, is_primary=is_primary)


def _cells_before(line: str, offset: int) -> int:
    return cells(_expanded(line[:offset]))


def _expanded(line: str) -> str:
    """The line with tabs filled up to the next tab stop, other control characters spelled out."""
    if "\t" not in line:
        return visible(line)
    result = ""
    for part_number, part in enumerate(line.split("\t")):
        if part_number:
            result += " " * (TAB - cells(result) % TAB)
        result += visible(part)
    return result


def _numbered(
    file: SourceFile, number: int, marks: list[Mark], blocks: list[Block], gutter: int, width: int
) -> list[StyledLine]:
    """One source line, the marks below it, and the closing of blocks that end on it."""
    text, shift, limit = _clip(_expanded(file.line(number)), marks, width)
    head = Piece(f"{number:>{gutter}} |", "faint")
    brackets = _brackets(number, blocks, gutter)[1:]
    lines: list[StyledLine] = [(head, *brackets, Piece(" " + text))]
    lines += [
        (*_brackets(number, blocks, gutter, below=True), Piece(" "), *pieces)
        for pieces in _underlines([mark.shifted(shift, limit) for mark in marks])
    ]
    lines += [_closing(block, blocks, gutter) for block in blocks if block.last == number]
    return lines


def _clip(text: str, marks: list[Mark], width: int) -> tuple[str, int, int]:
    """A window of `width` cells on a long line that shows its primary mark; the shift of cells; their number."""
    total = cells(text)
    if total <= width:
        return text, 0, total + 1
    focus = next((mark for mark in marks if mark.is_primary), marks[0] if marks else None)
    start = 0
    if focus is not None and focus.end > width - len(CLIPPED):
        wanted = min(focus.end - focus.start, width // 2)
        start = min(focus.start - (width - wanted) // 2, total - width + len(CLIPPED))
    left, right = CLIPPED if start > 0 else "", CLIPPED if start + width < total else ""
    room = width - len(left) - len(right)
    window, used, position = "", 0, 0
    for character in text:
        size = cells(character)
        if position >= start and used + size <= room:
            window, used = window + character, used + size
        position += size
    return left + window + right, len(left) - max(start, 0), len(left) + used + 1


def _brackets(number: int, blocks: list[Block], gutter: int, *, below: bool = False) -> StyledLine:
    """The margin, and for every block one column that says whether it starts at this line or goes on through it."""
    pieces = [margin(gutter)]
    for block in blocks:
        starts = block.first == number and not below
        inside = block.first < number <= block.last or (block.first == number and below)
        pieces.append(Piece(" /" if starts else " |" if inside else "  ", block.style))
    return tuple(pieces)


def _closing(block: Block, blocks: list[Block], gutter: int) -> StyledLine:
    column = blocks.index(block)
    before = _brackets(block.last, blocks, gutter, below=True)[: column + 1]
    reach = "_" * (2 * (len(blocks) - column) + 3)
    return (*before, Piece(f" |{reach}{'^' if block.is_primary else '-'} {block.text}".rstrip(), block.style))


def _underlines(marks: list[Mark]) -> list[StyledLine]:
    """The row of carets; the text of the rightmost mark beside it, the texts of the others hanging below."""
    if not marks:
        return []
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end))
    beside = ordered[-1] if all(mark.end <= ordered[-1].start for mark in ordered[:-1]) else None
    row = _paint([(mark.start, ("^" if mark.is_primary else "-") * (mark.end - mark.start), mark) for mark in ordered])
    if beside is not None and beside.text:
        row = (*row, Piece(" " + beside.text, beside.style))
    rows = [row]
    hanging = [mark for mark in ordered if mark.text and mark is not beside]
    while hanging:
        if len(rows) == 1:
            rows.append(_paint([(mark.start, "|", mark) for mark in hanging]))
        mark = hanging.pop()
        rows.append(_paint([*((other.start, "|", other) for other in hanging if other.start < mark.start),
                            (mark.start, mark.text, mark)]))  # fmt: skip
    return rows


def _paint(texts: list[tuple[int, str, Mark]]) -> StyledLine:
    """Texts at their columns; where two overlap the primary one is seen, else the later one."""
    row: list[tuple[str, Style]] = []
    for start, text, mark in sorted(texts, key=lambda item: item[2].is_primary):
        row += [(" ", "plain")] * (start + len(text) - len(row))
        row[start : start + len(text)] = [(character, mark.style) for character in text]
    pieces: list[Piece] = []
    for character, style in row:
        if pieces and pieces[-1].style == style:
            pieces[-1] = Piece(pieces[-1].text + character, style)
        else:
            pieces.append(Piece(character, style))
    return tuple(pieces)


PIPED_WIDTH = 160
"""Longest piece of a source line that is shown where nobody knows the reader's width, in cells."""


def render_diagnostics(
    diagnostics: Iterable[Diagnostic], width: int | None, explained: set[Code] | None = None
) -> list[StyledLine]:
    """All diagnostics, a blank line after each; the first of each code says how to read more about it.

    Codes in `explained` have been told of before, and others enter it.
    """
    lines: list[StyledLine] = []
    explained = set() if explained is None else explained
    for diagnostic in diagnostics:
        lines += render_diagnostic(diagnostic, width, explain=diagnostic.code not in explained)
        lines.append(())
        explained.add(diagnostic.code)
    return lines


def render_diagnostic(diagnostic: Diagnostic, width: int | None, *, explain: bool = True) -> list[StyledLine]:
    """One diagnostic in the style of rustc, `width` cells wide (None: unlimited, only source lines are clipped)."""
    severity = diagnostic.severity
    head = f"{severity}[{diagnostic.code}]"
    first, *rest = wrap(visible(diagnostic.message), width, first=f"{head}: ", rest="  ")
    lines: list[StyledLine] = [(Piece(head, severity), Piece(first[len(head) :], "strong"))]
    lines += [(Piece(text, "strong"),) for text in rest]
    gutter = max((len(str(label.span.end_position[0])) for label in diagnostic.labels), default=1)
    gutter = max(gutter, 2)
    lines += _places(diagnostic, gutter, width)
    indent = " " * (gutter + 1)
    explanation = f"`pflc explain {diagnostic.code}`" if explain else ""
    help_text = visible(diagnostic.help or "")
    joint = "" if not help_text or not explanation else " " if help_text.endswith("?") else "; "
    cure = help_text + joint + explanation
    facts = [("help", cure)] if cure else []
    facts += [("note", visible(note)) for note in diagnostic.notes]
    for word, text in facts:
        start, *more = wrap(text, width, first=f"{indent}= {word}: ", rest=indent + " " * (len(word) + 4))
        lines.append(
            (Piece(f"{indent}= ", "faint"), Piece(word, "strong"), Piece(start[len(indent) + 2 + len(word) :]))
        )
        lines += [(Piece(line),) for line in more]
    return lines


def _places(diagnostic: Diagnostic, gutter: int, width: int | None) -> list[StyledLine]:
    primary = diagnostic.primary
    if primary is None:
        if diagnostic.file is None or diagnostic.file in diagnostic.message:
            return []
        return [(Piece(" " * gutter + "--> ", "faint"), Piece(visible(diagnostic.file)))]
    room = max(30, (width or PIPED_WIDTH) - gutter - 4)
    lines: list[StyledLine] = []
    for position, (file, labels) in enumerate(_by_file(diagnostic.labels)):
        arrow = ":::" if position else "-->"
        place = file.position(labels[0].span.start)
        name = f"{visible(file.name)}:{place[0]}:{place[1]}"
        lines.append((Piece(f"{' ' * gutter}{arrow} ", "faint"), Piece(name)))
        lines.append((margin(gutter),))
        lines += snippet(file, labels, primary, gutter, room)
    return lines


def _by_file(labels: Sequence[Label]) -> list[tuple[SourceFile, list[Label]]]:
    """Labels by their file, the file of the primary label first."""
    files: dict[int, tuple[SourceFile, list[Label]]] = {}
    for label in labels:
        files.setdefault(id(label.span.file), (label.span.file, []))[1].append(label)
    return list(files.values())
