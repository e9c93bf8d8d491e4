"""What is public in the model, the mathematics and the engines says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_blocks import ROOT

FOLDERS = ("model", "analysis", "engines")
MODULES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for folder in FOLDERS
    for path in sorted((ROOT / "pfl" / folder).rglob("*.py"))
}


def methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (each for each in node.body if isinstance(each, ast.FunctionDef))


def classes(module: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in module.body if isinstance(node, ast.ClassDef))


def is_protocol(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)


def documented(nodes: Iterator[ast.ClassDef]) -> set[str]:
    return {method.name for node in nodes for method in methods(node) if ast.get_docstring(method)}


PROTOCOLS = documented(node for module in MODULES.values() for node in classes(module) if is_protocol(node))


def undocumented(module: ast.Module) -> Iterator[str]:
    """Public functions, classes and methods without one; a class beside a method, or a protocol, may tell of it."""
    told = PROTOCOLS | documented(classes(module))
    for node in module.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node):
            yield node.name
        if isinstance(node, ast.ClassDef):
            for method in methods(node):
                if not method.name.startswith("_") and not ast.get_docstring(method) and method.name not in told:
                    yield f"{node.name}.{method.name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_public_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(MODULES[path])
    assert list(undocumented(MODULES[path])) == []


def test_what_is_undocumented_is_found() -> None:
    module = ast.parse("def f(): ...\nclass A:\n    'a'\n    def g(self): ...\n    def _h(self): ...\nclass B: ...\n")
    assert list(undocumented(module)) == ["f", "A.g", "B"]
