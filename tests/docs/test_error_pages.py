"""Every code has a page whose wrong block raises exactly that code, and whose right block does not."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import special_pages
from markdown_blocks import ROOT, CodeBlock, code_blocks
from reported_codes import reported_codes

from pfl.base.codes import Code, all_codes

PAGES = ROOT / "docs/errors"


def page_of(code: Code) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def sections(code: Code) -> dict[str, list[CodeBlock]]:
    found: dict[str, list[CodeBlock]] = {}
    for block in code_blocks(page_of(code)):
        assert block.language == "pfl", f"line {block.line}: only PFL is shown on error pages"
        found.setdefault(block.heading, []).append(block)
    return found


def codes_of(blocks: list[CodeBlock], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> set[str]:
    """The codes that the main block of a section raises, the other blocks being files beside it."""
    monkeypatch.chdir(folder)
    main = [block for block in blocks if not block.directive.startswith("file ")]
    for block in blocks:
        if block not in main:
            Path(block.directive.removeprefix("file ")).write_text(block.text, encoding="utf-8")
    (block,) = main
    kind, _, argument = block.directive.partition(" ")
    match kind:
        case "by":
            with monkeypatch.context() as patch:
                return set(getattr(special_pages, argument)(block.text, patch))
        case "encoded":
            Path("model.pfl").write_bytes(block.text.encode(argument.removeprefix("as ")))
            return reported_codes(["model.pfl"], capsys)
        case "" | "pflc":
            Path("model.pfl").write_text(block.text, encoding="utf-8")
            options = shlex.split(argument)
            assert options[:1] in ([], ["check"])
            return reported_codes(["model.pfl", *options[1:]], capsys)
        case _:
            raise ValueError(f"line {block.line}: nobody knows `test: {block.directive}`")


def test_pages_and_codes_are_the_same() -> None:
    assert {path.stem for path in PAGES.glob("PFL*.md")} == {str(code) for code in all_codes()}


@pytest.mark.parametrize("code", all_codes(), ids=str)
def test_an_error_page(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert page_of(code).startswith(f"# {code}: {code.summary}\n")
    found = sections(code)
    assert set(found) == {"Wrong", "Right"}
    wrong, right = tmp_path / "wrong", tmp_path / "right"
    wrong.mkdir()
    right.mkdir()
    assert codes_of(found["Wrong"], wrong, monkeypatch, capsys) == {str(code)}
    assert str(code) not in codes_of(found["Right"], right, monkeypatch, capsys)
