"""The grammar, its stored table, and the corpus of good programs that uses every production."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import lark
import pytest

from pfl.base.source import SourceFile
from pfl.resources import grammar_text
from pfl.syntax.parse import parse_table, parser
from pfl.syntax.parse.lr_parser import Automaton, Builder, _opens
from pfl.syntax.parse.parse_table import load_table
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.parse.scanner import scan
from pfl.syntax.printing.printer import format_source

GOOD = sorted((Path(__file__).parent / "syntax_good").glob("*.pfl"))


def good(path: Path) -> SourceFile:
    return SourceFile(name=path.name, text=path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def stock_parser() -> lark.Lark:
    """Lark's own parser of the same grammar."""
    return lark.Lark(grammar_text(), parser="lalr", lexer="contextual", start="module")


def built_names() -> set[str]:
    return {production.name for production in load_table().productions if production.kind == "build"}


def test_the_stored_table_is_of_the_grammar() -> None:
    stored = json.loads(Path(parse_table.__file__).with_name("parse_table.json").read_text(encoding="utf-8"))
    made = json.loads(json.dumps(parse_table._make(grammar_text())))
    assert stored == made, "run `python -m pfl.syntax.parse.parse_table`"


def test_a_table_of_another_grammar_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stored = tmp_path / "parse_table.json"
    stored.write_text('{"grammar": 1}', encoding="utf-8")
    monkeypatch.setattr(parse_table, "_STORED", stored)
    assert parse_table.load_table.__wrapped__().literals == load_table().literals


def test_a_state_opens_a_level_for_all_that_it_may_come_to_be() -> None:
    """What a production has opened is closed after it, whatever else its states could have become."""
    table = load_table()
    for state in range(table.size):
        opened = {_opens(item.production, item.entered_by) for item in table.items[state]}
        assert len(opened) <= 1, state


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1, 2]", b"\xff\xfe"])
def test_a_missing_or_broken_table_is_made_anew(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored = tmp_path / "parse_table.json"
    if content is not None:
        stored.write_bytes(content)
    monkeypatch.setattr(parse_table, "_STORED", stored)
    made, table = parse_table.load_table.__wrapped__(), load_table()
    assert made.size == table.size
    assert all(made.actions[state] == table.actions[state] for state in range(made.size))


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    lark.logger.setLevel(logging.DEBUG)
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.logger.propagate = True
        lark.Lark(grammar_text(), parser="lalr", lexer="basic", start="module", debug=True)
    assert "onflict" not in caplog.text


def test_a_conflict_would_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    lark.logger.setLevel(logging.DEBUG)
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.logger.propagate = True
        lark.Lark('start: start "+" start | "a"', parser="lalr", lexer="basic", debug=True)
    assert "onflict" in caplog.text


def test_every_production_has_a_builder_and_no_builder_is_idle() -> None:
    assert built_names() == set(parser._BUILDERS)


def test_the_good_programs_use_every_production(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def recording(name: str, build: Builder) -> Builder:
        def recorded(*values: Any) -> Any:
            used.add(name)
            return build(*values)

        return recorded

    automaton = Automaton({name: recording(name, build) for name, build in parser._BUILDERS.items()})
    monkeypatch.setattr(parser, "_automaton", lambda: automaton)
    for path in GOOD:
        parse_module(good(path))
    assert used == built_names()


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_program_has_no_fault(path: Path) -> None:
    module, found = parse_module(good(path))
    assert found == ()
    assert module.declarations


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_stock_lark_accepts_a_good_program(path: Path, stock_parser: lark.Lark) -> None:
    tree: Any = stock_parser.parse(good(path).text)
    assert len(tree.children) == len(parse_module(good(path))[0].declarations)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_program_survives_formatting(path: Path) -> None:
    file = good(path)
    once = format_source(file)
    formatted = SourceFile(name=file.name, text=once)
    assert parse_module(formatted)[0].declarations == parse_module(file)[0].declarations
    assert [c.text for c in scan(formatted).comments] == [c.text for c in scan(file).comments]
    assert format_source(formatted) == once
