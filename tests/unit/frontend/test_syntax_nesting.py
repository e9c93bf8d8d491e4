"""Five hundred levels are allowed, one more is refused before a tree is built; what is flat may be long."""

from __future__ import annotations

import pytest

from pfl.base.source import SourceFile
from pfl.syntax.parse.lr_parser import NESTING_LIMIT
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.printing.printer import format_source, print_module

NESTED = {
    "brackets": ("(", "1", ")"),
    "calls": ("f(", "1", ")"),
    "arrays": ("[", "1", "]"),
    "sets": ("{", "1", "}"),
    "distributions": ("{ 1: ", "1", " }"),
    "matches": ("match a { b => ", "1", " }"),
    "right ends": ("1 + if a then b else ", "c", ""),
    "negations": ("not ", "a", ""),
    "signs": ("- ", "a", ""),
    "signs without spaces": ("-", "a", ""),
    "implications": ("a => ", "a", ""),
    "powers": ("2 ^ ", "a", ""),
    "conditions": ("if ", "a", " then b else c"),
    "else branches": ("if a then b else ", "c", ""),
    "quantifiers": ("forall x in S: ", "a", ""),
    "set types": ("set of ", "a", ""),
    "indices": ("", "a", "[0]"),
    "fields": ("", "a", ".f"),
    "components": ("", "a", ".0"),
    "moments": ("", "a", "@0"),
    "calls of calls": ("", "f", "(1)"),
    "updates": ("", "a", " with { b = 1 }"),
}


def nested(kind: str, levels: int) -> SourceFile:
    opening, inner, closing = NESTED[kind]
    return SourceFile(name=kind, text=f"const before = 1;\nconst N = {opening * levels}{inner}{closing * levels};\n")


@pytest.mark.parametrize("kind", NESTED)
def test_five_hundred_levels_are_parsed_and_printed(kind: str) -> None:
    file = nested(kind, NESTING_LIMIT)
    module, found = parse_module(file)
    assert found == ()
    printed = SourceFile(name=kind, text=print_module(module))
    assert print_module(parse_module(printed)[0]) == printed.text


@pytest.mark.parametrize("levels", [NESTING_LIMIT + 1, 10_000])
@pytest.mark.parametrize("kind", NESTED)
def test_more_levels_are_refused(kind: str, levels: int) -> None:
    module, (diagnostic,) = parse_module(nested(kind, levels))
    assert str(diagnostic.code) == "PFL0701"
    assert diagnostic.labels[0].span.line == 2
    assert len(module.declarations) == 1


def test_a_bracket_is_refused_where_the_limit_is_passed() -> None:
    _, (diagnostic,) = parse_module(SourceFile(name="open", text="const N = " + "(" * 10_000))
    assert diagnostic.labels[0].span.start == len("const N = ") + NESTING_LIMIT


def test_levels_of_statements() -> None:
    def blocks(levels: int) -> SourceFile:
        body = "if a { " * (levels - 1) + "}" * (levels - 1)
        return SourceFile(name="blocks", text=f"mechanism m() {{ {body} }}")

    def branches(levels: int) -> SourceFile:
        return SourceFile(name="branches", text="mechanism m() { if a {} " + "else if a {} " * (levels - 2) + "}")

    for make in (blocks, branches):
        assert parse_module(make(NESTING_LIMIT))[1] == ()
        assert format_source(make(NESTING_LIMIT))
        assert [str(diagnostic.code) for diagnostic in parse_module(make(10_000))[1]] == ["PFL0701"]


@pytest.mark.parametrize(
    ("start", "part", "end"),
    [
        ("const N = 0", " + 1", ";"),
        ("const N = 1", " * -2", ";"),
        ("const N = true", " and not a", ";"),
        ("const N = true", " or a == b", ";"),
        ("const N = [0", ", (1)", "];"),
        ("type T = {a}", " | {b}", ";"),
        ("mechanism m() {", " if a { x = -1; }", " }"),
        ("mechanism m() {", " match a { b => {} }", " }"),
        ("", "const N = (((1)));\n", ""),
    ],
)
def test_flat_programs_may_be_long(start: str, part: str, end: str) -> None:
    file = SourceFile(name="long", text=start + part * 800 + end)
    module, found = parse_module(file)
    assert found == ()
    formatted = SourceFile(name="long", text=format_source(file))
    assert parse_module(formatted)[0].declarations == module.declarations
