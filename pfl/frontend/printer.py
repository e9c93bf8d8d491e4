"""The formatter: from a source file, or a syntax tree, to canonical text."""

from __future__ import annotations

from collections.abc import Iterator

from pfl.base.diagnostics import InputRejected
from pfl.base.recursion import deep_recursion
from pfl.base.source import SourceFile
from pfl.frontend.ast import Expr, Union
from pfl.frontend.ast_module import Module
from pfl.frontend.layout_document import BREAK, Document, concat, join, render
from pfl.frontend.parser import parse_module
from pfl.frontend.printer_comments import Comments
from pfl.frontend.printer_declarations import DeclarationPrinter
from pfl.frontend.printer_expressions import ExpressionPrinter
from pfl.frontend.scanner import scan
from pfl.frontend.tree_walk import descendants
from pfl.frontend.typecheck.union_types import ambiguous_union

WIDTH = 100
"""How many columns a line may have where it can be broken."""

MOST_PASSES = 10
"""How often a text is formatted until it stays as it is."""


def format_source(file: SourceFile) -> str:
    """The canonical text of a file: the same program with the same comments, and single blank lines kept.

    Formatting a text that was formatted changes nothing. Raises `InputRejected` where the syntax is wrong.
    """
    text = _format_once(file)
    # A comment in the middle of something moves to the end of a line, and may then find a better place.
    for _ in range(MOST_PASSES):
        again = _format_once(SourceFile(name=file.name, text=text))
        if again == text:
            break
        text = again
    return text


def _format_once(file: SourceFile) -> str:
    module, found = parse_module(file)
    # Printed, a union would have the parentheses that it lacks, and say something else than it seems to.
    unclear = [fault for union in _unions(module) if (fault := ambiguous_union(union))]
    if unclear or any(diagnostic.severity == "error" for diagnostic in found):
        raise InputRejected([*found, *unclear])
    scanned = scan(file)
    printer = DeclarationPrinter(Comments(file.text, scanned.comments, scanned.tokens))
    with deep_recursion():
        text = render(printer.rows(module.declarations, printer.declaration, len(file.text)), WIDTH)
    return f"{text}\n" if text else ""


def _unions(module: Module) -> Iterator[Union]:
    if "|" in module.file.text:
        for declaration in module.declarations:
            yield from (node for node in descendants(declaration) if isinstance(node, Union))


def print_module(module: Module) -> str:
    """The text of a tree, without comments except those that document something."""
    printer = DeclarationPrinter(Comments())
    parts: list[Document] = [_doc(module.doc)] if module.doc is not None else []
    with deep_recursion():
        for node in module.declarations:
            above = concat(_doc(node.doc), BREAK) if node.doc is not None else ""
            parts.append(concat(above, printer.declaration(node)))
        text = render(join(concat(BREAK, BREAK), parts), WIDTH)
    return f"{text}\n" if text else ""


def print_expression(node: Expr) -> str:
    """The text of an expression or type; more than one line if it is long."""
    with deep_recursion():
        printer = ExpressionPrinter(Comments())
        return render(printer.expression(node), WIDTH)


def _doc(text: str) -> Document:
    return join(BREAK, [f"/// {line}".rstrip() for line in text.split("\n")])
