"""The page about the standard library names exactly the items of its modules, with their parameters."""

from __future__ import annotations

import re

from markdown_blocks import ROOT

from pfl.base.source import SourceFile
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, AutomatonDecl, DistDecl, FnDecl, MechanismDecl, Param

Item = FnDecl | DistDecl | MechanismDecl | AdjacencyDecl | AutomatonDecl | Param
_ROW = re.compile(r"^\| `(\w+)(?:\(([^)]*)\))?` \|", re.MULTILINE)


def items() -> dict[str, list[Item]]:
    """What each module of the standard library declares, by the module's name."""
    found = {}
    for file in (ROOT / "stdlib").glob("*.pfl"):
        module, _ = parse_module(SourceFile(name=file.name, text=file.read_text(encoding="utf-8")))
        assert module is not None
        found[f"std.{file.stem}"] = [declared for declared in module.declarations if isinstance(declared, Item)]
    return found


def test_the_page_names_every_item_and_no_other() -> None:
    text = (ROOT / "docs/reference/stdlib.md").read_text(encoding="utf-8")
    sections = [section.split("\n", 1) for section in re.split(r"^## ", text, flags=re.MULTILINE)]
    named = {
        title: {name: _names(listed) for name, listed in _ROW.findall(rows)}
        for title, rows in sections
        if title.startswith("std.")
    }
    assert named == {
        module: {
            item.name.text: [] if isinstance(item, Param) else [parameter.name.text for parameter in item.parameters]
            for item in declared
        }
        for module, declared in items().items()
    }


def test_every_item_is_documented() -> None:
    assert [item.name.text for declared in items().values() for item in declared if not item.doc] == []


def _names(listed: str) -> list[str]:
    return [part.strip() for part in listed.split(",") if part]
