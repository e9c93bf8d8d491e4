"""What CONTRIBUTING and the pages for newcomers say of the code is so."""

from __future__ import annotations

import re

import pytest
from markdown_blocks import ROOT

from pfl.lower import claims
from pfl.syntax.tree.vocabulary import FORMS

DECLARATIONS = {"hmm": "HmmDecl", "mechanism": "MechanismDecl", "automaton": "AutomatonDecl"}
SOURCES = [path for folder in ("pfl", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
CODE = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "test_recipes.py")
ENDINGS = (".md", ".pfl", ".toml", ".py", ".lark")


def test_every_form_of_claim_is_lowered() -> None:
    forms = {(form.verb, form.kind, DECLARATIONS[form.system]) for form in FORMS}
    assert set(claims._LOWERINGS) == forms


NAME = re.compile(r"`(_?[A-Za-z]+(?:[._][A-Za-z]+)+|[A-Z][a-z]+[A-Za-z]*)(?:\([^`]*)?`")
PAGES = ["CONTRIBUTING.md", "docs/architecture.md", "docs/odd.md"]
PAGES += [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs/theory").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_names_of_code_on_a_page_are_names_in_the_code(page: str) -> None:
    """`TwoRuns`, `side_by_side`, `Measure.chain`, `total(v)`: whatever looks like a name of Python is one."""
    named = NAME.findall((ROOT / page).read_text(encoding="utf-8"))
    parts = {part for name in named if not name.endswith(ENDINGS) for part in name.split(".")}
    assert sorted(part for part in parts if not re.search(rf"\b_?{re.escape(part)}\b", CODE)) == []
