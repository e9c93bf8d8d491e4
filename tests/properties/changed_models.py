"""Random models of all kinds, made of those in the examples, the cases and the documentation.

Expressions are exchanged for others of their type, names for other names, numbers for others; clauses, statements and
rows are left out, repeated and moved; claims of every kind are put together of clauses that such claims have elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import TypeAlias

from pfl.base.reading import open_source
from pfl.base.source import SourceFile
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import AutomatonDecl, HmmDecl, MechanismDecl, Param
from pfl.syntax.tree.ast_module import ClaimDecl, Clause
from pfl.syntax.tree.tree_walk import descendants
from pfl.syntax.tree.vocabulary import FORMS, ClaimForm
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.program import check_program

ROOT = Path(__file__).parents[2]
LONGEST = 4_000
"""Characters of a model that is changed."""

_BLOCK = re.compile(r"```pfl\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_NAME = re.compile(r"\b[a-z_]\w*\b", re.IGNORECASE)
_NUMBERS = ("0", "1", "2", "3", "1/2", "1/3", "3/4", "-1", "7", "10", "(1 - 1/3)", "1/1000000", "2^70", "0.1")
_CONSTANTS = {
    "int": ("0", "1", "2", "-1", "3", "5"),
    "real": ("0", "1", "1/2", "1/3", "2/3", "-1/2", "3/2", "1/1000", "2"),
    "bool": ("true", "false"),
}
_KINDS: dict[type, str] = {HmmDecl: "hmm", MechanismDecl: "mechanism", AutomatonDecl: "automaton"}
_BOUNDS = {
    "epsilon": ("0", "1", "ln(2)", "2*ln(3)", "ln(3/2) + 1/2", "ln(10)"),
    "delta": ("0", "1/2", "1/10", "1"),
    "length": ("0", "1", "2", "3", "any", "1..2"),
    "equals": ("0", "1", "1/2", "{ true: 1/2, false: 1/2 }"),
    "at least": ("0", "1", "1/2", "3"),
    "at most": ("0", "1", "1/2", "3"),
    "within": ("0", "1", "3", "any"),
    "expect": ("refuted", "proved"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and what it is: the type of an expression, the keyword of a clause."""

    start: int
    end: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Anatomy:
    """What a model that checks consists of; `systems` are pairs of a kind of system and a name with its arguments."""

    expressions: tuple[Piece, ...]
    clauses: tuple[Piece, ...]
    systems: tuple[tuple[str, str], ...]
    params: tuple[str, ...]
    relations: tuple[str, ...]


@cache
def corpus() -> tuple[str, ...]:
    """The models that are changed, in a fixed order: those that check without an error."""
    files = [*sorted((ROOT / "examples").glob("*.pfl")), *sorted((ROOT / "tests/cases").rglob("*.pfl"))]
    pages = sorted((ROOT / "docs").rglob("*.md"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    texts += [block for page in pages for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]
    return tuple(text for text in dict.fromkeys(texts) if len(text) <= LONGEST and anatomy(text) is not None)


@lru_cache(2_000)
def anatomy(text: str) -> Anatomy | None:
    """The parts of a text, None where it does not check."""
    try:
        loaded = load_program(SourceFile(name="model.pfl", text=text), open_source)
        program, _ = check_program(loaded)
    except Exception:  # that is for the test to find, which gives the text to the driver
        return None
    return (
        None if program is None or any(found.severity == "error" for found in loaded.diagnostics) else _anatomy(program)
    )


def _anatomy(program: CheckedProgram) -> Anatomy:
    expressions: list[Piece] = []
    clauses: list[Piece] = []
    systems: dict[tuple[str, str], None] = {}
    relations: list[str] = []
    for declaration in program.main.declarations:
        if isinstance(declaration, HmmDecl | MechanismDecl | AutomatonDecl) and not declaration.parameters:
            systems[_KINDS[type(declaration)], declaration.name.text] = None
        for node in descendants(declaration):
            if isinstance(node, Clause):
                clauses.append(Piece(node.span.start, node.span.end, node.keyword.text, node.span.text.rstrip(";")))
            elif isinstance(node, ClaimDecl):
                systems[_KINDS[type(program.target(node.system.name))], node.system.span.text] = None
                if node.relation is not None:
                    relations.append(node.relation.span.text)
            elif isinstance(node, Expr) and node.span.file is program.main.file:
                try:
                    kind = str(program.type_of(node))
                except KeyError:  # a name that stands for no value
                    continue
                expressions.append(Piece(node.span.start, node.span.end, kind, node.span.text))
    params = tuple(d.name.text for d in program.main.declarations if isinstance(d, Param))
    return Anatomy(tuple(expressions), tuple(clauses), tuple(systems), params, tuple(dict.fromkeys(relations)))


Clauses: TypeAlias = Mapping[str, Sequence[str]]
"""How clauses may be written, by their keywords."""


def clauses_of(models: Iterable[str]) -> Clauses:
    """How clauses are written in some models."""
    found: dict[str, dict[str, None]] = {}
    for parts in filter(None, map(anatomy, models)):
        for piece in parts.clauses:
            found.setdefault(piece.kind, {})[piece.text] = None
    return {keyword: tuple(texts) for keyword, texts in found.items()}


def changed_model(text: str, clauses: Clauses, source: Random) -> str:
    """A model with a few changes, and up to four new claims; what does not check is mostly taken back."""
    for _ in range(source.choice((0, 1, 1, 2, 3, 4))):
        text = _kept(text, source.choice(_CHANGES)(text, source), source)
    for _ in range(source.choice((0, 1, 2, 3, 4))):
        parts = anatomy(text)
        if parts is not None and parts.systems:
            text = _kept(text, f"{text}\n{_new_claim(parts, clauses, source)}", source)
    return text


def _kept(before: str, after: str, source: Random) -> str:
    return before if anatomy(after) is None and source.random() < 0.9 else after


def _exchanged_expression(text: str, source: Random) -> str:
    """An expression is exchanged for another one of its type, from the same model, or a constant."""
    parts = anatomy(text)
    if parts is None or not parts.expressions:
        return _other_number(text, source)
    piece = source.choice(parts.expressions)
    others = [other.text for other in parts.expressions if other.kind == piece.kind]
    others += _CONSTANTS.get(piece.kind, ()) * 2
    if piece.kind == "bool":
        others.append(f"not ({piece.text})")
    if piece.kind in ("int", "real"):
        others.append(f"({piece.text} + 1)")
        others += parts.params if piece.kind == "real" else ()
    return text[: piece.start] + source.choice(others) + text[piece.end :]


def _other_number(text: str, source: Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    number = source.choice(found)
    return text[: number.start()] + source.choice(_NUMBERS) + text[number.end() :]


def _other_name(text: str, source: Random) -> str:
    found = list(_NAME.finditer(text))
    if not found:
        return text
    one, other = source.choice(found), source.choice(found)
    return text[: one.start()] + other.group() + text[one.end() :]


def _pieces(text: str) -> list[tuple[int, int]]:
    """What ends with a semicolon: clauses, statements, rows, short declarations."""
    ends = [match.end() for match in re.finditer(";", text)]
    return [(max((text.rfind(mark, 0, end - 1) for mark in ";{}"), default=-1) + 1, end) for end in ends]


def _without_a_piece(text: str, source: Random) -> str:
    pieces = _pieces(text)
    if not pieces:
        return text
    start, end = source.choice(pieces)
    return text[:start] + text[end:]


def _moved_piece(text: str, source: Random) -> str:
    """A piece is repeated behind another one, or somewhere else than it was."""
    pieces = _pieces(text)
    if not pieces:
        return text
    (start, end), (_, place) = source.choice(pieces), source.choice(pieces)
    moved = text[:place] + text[start:end] + text[place:]
    return moved if source.random() < 0.5 or place <= end else moved[:start] + moved[end:]


def _claim_of_another_kind(text: str, source: Random) -> str:
    """The kind or the verb of a claim is another one."""
    found = list(re.finditer(r"\b(check|compute)\s+(?:\w+:\s*)?([a-z]+(?: steps| cost)?)\s", text))
    if not found:
        return text
    claim, form = source.choice(found), source.choice(FORMS)
    group, word = source.choice(((1, form.verb), (2, form.kind)))
    return text[: claim.start(group)] + word + text[claim.end(group) :]


def _with_a_parameter(text: str, source: Random) -> str:
    """A number becomes a parameter, alone or in an expression."""
    parts = anatomy(text)
    numbers = [] if parts is None else [piece for piece in parts.expressions if piece.kind == "real"]
    if not numbers or parts is None or "free" in parts.params:
        return _exchanged_expression(text, source)
    piece = source.choice(numbers)
    number = source.choice(("free", "free", "1 - free", "free/2", "(1 + free)/3", "free*(1 - free)", "(1 - 2*free)^2"))
    interval = source.choice(("(0, 1)", "[0, 1]", "(0, 1/2)", "[1/4, 3/4)"))
    return f"param free in {interval};\n{text[: piece.start]}({number}){text[piece.end :]}"


_CHANGES: tuple[Callable[[str, Random], str], ...] = (
    *(_exchanged_expression, _exchanged_expression, _exchanged_expression, _other_number, _other_name),
    *(_without_a_piece, _moved_piece, _claim_of_another_kind, _with_a_parameter),
)


def _new_claim(parts: Anatomy, clauses: Clauses, source: Random) -> str:
    """A claim about one of the systems of a model, with clauses that it or others have."""
    kind, system = source.choice(parts.systems)
    form = source.choice([form for form in FORMS if form.system == kind])
    chosen = sorted(form.required)
    chosen += [clause for clause in sorted(form.optional) if source.random() < 0.25]
    for group in (*form.one_of, *form.some_of):
        chosen.append(source.choice(sorted(group)))
    if source.random() < 0.15:
        chosen.append("for")
    if form.verb == "check" and source.random() < 0.3:
        chosen.append("expect")
    written = " ".join(f"{_clause(keyword, parts, clauses, source)};" for keyword in chosen)
    relative = f" {form.relation} {_relative(form, parts, source)}" if form.relation else ""
    claim = f"{form.kind} {system}{relative} {{ {written} }}"
    if parts.params and source.random() < 0.15:
        return f"find {source.choice(parts.params)} such that {claim}"
    return f"{form.verb} {claim}"


def _relative(form: ClaimForm, parts: Anatomy, source: Random) -> str:
    others = [system for kind, system in parts.systems if kind == form.system]
    return source.choice([*parts.relations, *others])


def _clause(keyword: str, parts: Anatomy, clauses: Clauses, source: Random) -> str:
    own = [piece.text for piece in parts.clauses if piece.kind == keyword]
    if keyword in _BOUNDS and source.random() < 0.6:
        return f"{keyword} {source.choice(_BOUNDS[keyword])}"
    if keyword in ("posterior", "terminates", "one way"):
        return keyword
    if keyword == "for":
        return source.choice(("for k in 0..1", "for k in {1, 2}", "for b in bool"))
    if own and source.random() < 0.7:
        return source.choice(own)
    tests = [piece.text for piece in parts.expressions if piece.kind == "bool"]
    if keyword in ("secrets", "reach", "until", "from") and tests:
        one, other = source.choice(tests), source.choice(tests)
        return f"{keyword} {one} vs {other}" if keyword == "secrets" else f"{keyword} {one}"
    return source.choice(clauses.get(keyword, (keyword,)))
