"""The example of the page on SMT-LIB is what the compiler writes."""

from __future__ import annotations

from markdown_blocks import ROOT, code_blocks

from pfl import driver
from pfl.emit.smtlib import emit_queries


def test_the_file_that_is_shown_is_the_one_that_is_written() -> None:
    page = (ROOT / "docs/reference/smtlib.md").read_text(encoding="utf-8")
    model, shown = code_blocks(page)
    (claim,) = driver.compile_text(model.text).claims
    name, text = emit_queries(claim)[0]
    assert f"`{name}`" in page
    assert shown.text == text
