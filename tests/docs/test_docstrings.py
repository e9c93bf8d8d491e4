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


def classes(module: ast.Module) -> list[ast.ClassDef]:
    return [node for node in module.body if isinstance(node, ast.ClassDef)]


def base_names(node: ast.ClassDef) -> list[str]:
    """The names of its bases, without what they are parametrized by."""
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return [base.id for base in bases if isinstance(base, ast.Name)]


CLASSES = {node.name: node for module in MODULES.values() for node in classes(module)}


def methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [each for each in node.body if isinstance(each, ast.FunctionDef)]


def told_by(node: ast.ClassDef) -> Iterator[str]:
    """The methods that a class tells of, or a base of it."""
    yield from (method.name for method in methods(node) if ast.get_docstring(method))
    for name in base_names(node):
        if name in CLASSES and CLASSES[name] is not node:
            yield from told_by(CLASSES[name])


PROTOCOLS = {name for node in CLASSES.values() if "Protocol" in base_names(node) for name in told_by(node)}


def undocumented(module: ast.Module) -> Iterator[str]:
    """Public functions, classes and methods without one; a class beside, a base or a protocol may tell of a method."""
    told = PROTOCOLS | {name for node in classes(module) for name in told_by(node)}
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
