"""The formatter: from a source file, or a syntax tree, to canonical text.

Prints declarations: systems, claims and all the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from pfl.base.diagnostics import InputRejected
from pfl.base.exceptions import deep_recursion
from pfl.base.source import SourceFile
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.parse.scanner import scan
from pfl.syntax.printing.layout_document import (
    BREAK,
    SPACE,
    Document,
    Fill,
    Group,
    IfBroken,
    Indent,
    concat,
    join,
    render,
)
from pfl.syntax.printing.printer_comments import Comments
from pfl.syntax.printing.printer_expressions import ExpressionPrinter
from pfl.syntax.printing.printer_statements import StatementPrinter
from pfl.syntax.tree import ast, ast_declarations, ast_module
from pfl.syntax.tree.ast import Expr, Union
from pfl.syntax.tree.ast_module import Module
from pfl.syntax.tree.operator_levels import CONSTRUCTED, ambiguous_union
from pfl.syntax.tree.tree_walk import descendants

_HMM_PADDING = IfBroken(" ")
"""What makes `init`, `emit` and `step` as wide as `state` and `emits` where each has a line of its own; a block that
follows needs no column."""


class DeclarationPrinter(StatementPrinter):
    """Prints declarations, the comments above them included."""

    def declaration(self, node: ast_module.TopLevel) -> Document:
        return Group(self._declaration(node, on_line=self.is_on_line(node)))

    def _declaration(self, node: ast_module.TopLevel, *, on_line: bool) -> Document:
        match node:
            case ast_declarations.Import():
                return self._import(node)
            case ast_declarations.Const(name=name, type=type_, value=value):
                return concat("const ", self.typed(name, type_), self.assigned("=", value), ";")
            case ast_declarations.Param():
                return self._param(node)
            case ast_declarations.Assume(condition=condition):
                return concat("assume ", self.expression(condition), ";")
            case ast_declarations.EnumDecl(name=name, values=values):
                broken = self._is_broken(name.span.end, values[0])
                end = node.span.end
                return concat(f"enum {name.text} ", self.braces(values, _text, end, spaced=True, broken=broken))
            case ast_declarations.TypeDecl(name=name, type=type_):
                return concat(f"type {name.text} = ", self.type(type_), ";")
            case ast_declarations.RecordDecl(name=name, fields=fields):
                broken = self._is_broken(name.span.end, fields[0])
                printed = self.braces(fields, self._parameter, node.span.end, spaced=True, broken=broken)
                return concat(f"record {name.text} ", printed)
            case ast_declarations.FnDecl(name=name, parameters=parameters, result=result, body=body):
                head = concat(f"fn {name.text}", self._parameters(parameters))
                result_type = "" if result is None else concat(": ", self.type(result))
                return concat(head, result_type, self.assigned("=", body), ";")
            case ast_declarations.DistDecl(name=name, parameters=parameters, over=over, body=body):
                head = concat(f"dist {name.text}", self._parameters(parameters))
                over_type = "" if over is None else concat(" over ", self.type(over))
                return concat(head, over_type, self.assigned("=", body), ";")
            case ast_declarations.AdjacencyDecl(name=name, parameters=parameters, body=body):
                head = concat(f"adjacency {name.text}", self._parameters(parameters))
                return concat(head, self.assigned("=", body), ";")
            case ast_declarations.HmmDecl(name=name, parameters=parameters, items=items):
                head = concat(f"hmm {name.text}", self._optional_parameters(parameters), " ")
                return concat(head, self.block(items, self._hmm_item, _after_head(node), on_line=on_line))
            case ast_declarations.PriorDecl(
                name=name, parameters=parameters, system=system, arguments=arguments, body=body
            ):
                head = concat(f"prior {name.text}", self._optional_parameters(parameters), " for ")
                target = self._system(system, arguments)
                after = arguments[-1].span.end if arguments else system.span.end
                return concat(head, target, " ", self.statements(body, after, on_line=on_line))
            case ast_declarations.MechanismDecl():
                return self._mechanism(node, on_line=on_line)
            case ast_declarations.AutomatonDecl(name=name, parameters=parameters, items=items):
                head = concat(f"automaton {name.text}", self._optional_parameters(parameters), " ")
                return concat(head, self.block(items, self._automaton_item, _after_head(node), on_line=on_line))
            case ast_declarations.RelationDecl(name=name, parameters=parameters, system=system, arguments=arguments):
                head = concat(f"relation {name.text}", self._optional_parameters(parameters), " for ")
                target = self._system(system, arguments)
                after = arguments[-1].span.end if arguments else system.span.end
                column = max((len(clause.kind.text) for clause in node.clauses), default=0)
                clauses = self.block(node.clauses, self._relation_clause_printer(column), after, on_line=on_line)
                return concat(head, target, " ", clauses)
            case ast_module.ClaimDecl():
                label = "" if node.label is None else f"{node.label.text}: "
                return concat(f"{node.verb} {label}", self._claim(node, on_line=on_line))
            case ast_module.FindDecl():
                return self._find(node, on_line=on_line)
            case _:
                assert_never(node)

    # --- heads of declarations -----------------------------------------------------

    def _import(self, node: ast_declarations.Import) -> Document:
        source = f'"{node.path}"' if node.is_file else node.path
        if node.names is None:
            return f"import {source};"
        names = self.braces(node.names, _imported_name, node.span.end, spaced=True)
        return concat(f"import {source} ", names, ";")

    def _param(self, node: ast_declarations.Param) -> Document:
        opening, closing = "(" if node.low_open else "[", ")" if node.high_open else "]"
        low = self.expression(node.low)
        high = "inf" if node.high is None else self.expression(node.high)
        return concat(f"param {node.name.text} in {opening}", low, ", ", high, f"{closing};")

    def _parameters(self, parameters: Sequence[ast_declarations.Parameter]) -> Document:
        if not parameters:
            return "()"
        return self.listed("(", parameters, ")", self._parameter, self.comments.closing(")", parameters[-1].span.end))

    def _optional_parameters(self, parameters: Sequence[ast_declarations.Parameter]) -> Document:
        return self._parameters(parameters) if parameters else ""

    def _parameter(self, node: ast_declarations.Parameter) -> Document:
        return concat("const " if node.is_const else "", self.typed(node.name, node.type))

    def _system(self, name: ast.Identifier, arguments: Sequence[Expr] | None) -> Document:
        if arguments is None:
            return name.text
        if not arguments:
            return f"{name.text}()"
        end = self.comments.closing(")", arguments[-1].span.end)
        return concat(name.text, self.listed("(", arguments, ")", self.expression, end))

    def _mechanism(self, node: ast_declarations.MechanismDecl, *, on_line: bool) -> Document:
        # A mechanism without inputs is written with empty parentheses.
        parts: list[Document] = [f"mechanism {node.name.text}", self._parameters(node.parameters)]
        after = node.parameters[-1].span.end if node.parameters else node.name.span.end
        if node.emits is not None:
            parts += [" emits ", self._emitted(node.emits)]
            after = node.emits.span.end
        if node.result is not None:
            parts += [" -> ", self.type(node.result)]
            after = node.result.span.end
        return concat(*parts, " ", self.statements(node.body, after, on_line=on_line))

    def _emitted(self, node: Expr) -> Document:
        """The type after `emits`: a mechanism type at its end would take in the `->` of the whole."""
        if not isinstance(node, ast.Union):
            return concat("(", self.type(node), ")") if _ends_in_mechanism(node) else self.type(node)
        *members, last = node.members
        first = [concat("(", self.type(m), ")") if isinstance(m, CONSTRUCTED) else self._emitted(m) for m in members]
        return join(" | ", [*first, self._emitted(last)])

    # --- parts of systems ------------------------------------------------------------

    def _hmm_item(self, node: ast_declarations.HmmItem) -> Document:
        match node:
            case ast_declarations.StateVariable():
                return self._state_variable(node)
            case ast_declarations.States(names=names):
                return concat("states ", _names(names), ";")
            case ast_declarations.Letters(type=type_):
                return concat("emits ", self.type(type_), ";")
            case ast_declarations.EmitClause(value=value):
                return concat("emit ", _HMM_PADDING, self.expression(value), ";")
            case ast_declarations.Update(when=when, body=body, is_block=True):
                block = self.statements(body, node.span.start, on_line=self.is_on_line(node))
                return concat(f"{when} ", Group(block))
            case ast_declarations.Update(when=when, body=(line,)):
                return concat(f"{when} ", _HMM_PADDING, self.statement(line))
            case ast_declarations.Row(kind="init", entries=entries):
                return concat("init ", _HMM_PADDING, self._row(entries), ";")
            case ast_declarations.Row(kind=kind, source=source, entries=entries):
                assert source is not None
                sign = "->" if kind == "step" else "emits"
                return concat(f"{source.text} {sign} ", self._row(entries), ";")
            case _:
                raise AssertionError(f"no part of an hmm: {node}")

    def _state_variable(self, node: ast_declarations.StateVariable) -> Document:
        initial = "" if node.initial is None else self.assigned("=", node.initial)
        return concat("state ", self.typed(node.name, node.type), initial, ";")

    def _row(self, entries: Sequence[ast_declarations.DistributionEntryRow]) -> Document:
        parts: list[Document] = []
        for position, entry in enumerate(entries):
            above = self.comments.take_above(entry.span.start)
            weight = "" if entry.weight is None else concat(": ", self.expression(entry.weight))
            comma = "," if position < len(entries) - 1 else ""
            parts.append(concat(above, self._key(entry), weight, comma, self._after(entry, entries, position)))
        return Group(Indent(join(SPACE, parts)))

    def _key(self, entry: ast_declarations.DistributionEntryRow) -> Document:
        return self.expression(entry.key)

    def _automaton_item(self, node: ast_declarations.AutomatonItem) -> Document:
        match node:
            case ast_declarations.StateVariable():
                return self._state_variable(node)
            case ast_declarations.States(names=names):
                return concat("states ", _names(names), ";")
            case ast_declarations.Channel(kind=kind, name=name, type=type_):
                return concat(f"{kind} ", self.typed(name, type_), ";")
            case ast_declarations.Actions(kind=kind, names=names):
                return concat(f"{kind} ", _names(names), ";")
            case ast_declarations.Letters(type=type_):
                return concat("output ", self.type(type_), ";")
            case ast_declarations.StartState(value=value):
                return concat("start ", self.expression(value), ";")
            case ast_declarations.Handler(kind=kind, channel=channel, body=body):
                on_line = self.is_on_line(node)
                head = f"on {kind} {channel.text} "
                return Group(concat(head, self.statements(body, channel.span.end, on_line=on_line)))
            case ast_declarations.TableTransition(source=source, action=action, target=target):
                return concat(f"{source.text} -- {action.text} --> ", self.expression(target), ";")
            case _:
                assert_never(node)

    def _relation_clause_printer(self, column: int) -> Callable[[ast_declarations.RelationClause], Document]:
        def print_clause(node: ast_declarations.RelationClause) -> Document:
            keyword = node.kind.text
            return concat(keyword, " ", _padding(column, keyword), Group(self.expression(node.value)), ";")

        return print_clause

    # --- claims ------------------------------------------------------------------------

    def _claim(self, node: ast_module.ClaimDecl, *, on_line: bool) -> Document:
        """A claim after its verb and label."""
        parts: list[Document] = [f"{node.kind.text} ", self._system(node.system.name, node.system.arguments)]
        clauses = node.clauses
        if node.relation is not None:
            parts.append(f" {node.relation_word} ")
            parts.append(self._system(node.relation.name, node.relation.arguments))
        elif _has_specification(node) and isinstance(clauses[0].value, Expr):
            parts.append(concat(" equals ", self.expression(clauses[0].value)))
            clauses = clauses[1:]
        after = (node.relation or node.system).span.end
        return concat(*parts, self._clauses(clauses, after, on_line=on_line))

    def _clauses(self, clauses: Sequence[ast_module.Clause], after: int, *, on_line: bool) -> Document:
        if not clauses:
            return ";"
        column = max((len(clause.keyword.text) for clause in clauses if clause.value is not None), default=0)
        return concat(" ", self.block(clauses, self._clause_printer(column), after, on_line=on_line))

    def _clause_printer(self, column: int) -> Callable[[ast_module.Clause], Document]:
        """Prints clauses; where each has a line of its own, their values begin one below the other."""

        def print_clause(node: ast_module.Clause) -> Document:
            keyword, value = node.keyword.text, node.value
            if value is None:
                return f"{keyword};"
            printed = self._versus(keyword, value) if isinstance(value, ast_module.Versus) else self._value(value)
            return concat(keyword, " ", _padding(column, keyword), Group(printed), ";")

        return print_clause

    def _versus(self, keyword: str, node: ast_module.Versus) -> Document:
        word, print_side = ("and", self.range) if keyword == "between" else ("vs", self.expression)
        left = print_side(node.left)
        after = self._after(node.left, (node.left, node.right), 0)
        return concat(left, after, Indent(concat(SPACE, f"{word} ", print_side(node.right))))

    def _value(
        self, value: Expr | ast_module.ForBinding | ast_module.Received | ast_module.Filtered | ast_module.Observations
    ) -> Document:
        match value:
            case ast_module.ForBinding(variable=variable, domain=domain):
                return concat(f"{variable.text} in ", self.type(domain))
            case ast_module.Received(relation=relation, limit=limit):
                return concat(
                    self.expression(relation), "" if limit is None else concat(" at most ", self.expression(limit))
                )
            case ast_module.Filtered(variable=variable, condition=condition):
                return concat(f"{variable.text} where ", self.expression(condition))
            case ast_module.Observations(values=values):
                return Indent(join(concat(",", SPACE), [self.expression(value) for value in values]))
            case _:
                return self.expression(value)

    def _find(self, node: ast_module.FindDecl, *, on_line: bool) -> Document:
        label = "" if node.label is None else f"{node.label.text}: "
        head = concat(f"find {label}", _names(node.names), " such that ")
        if isinstance(node.target, ast_module.ClaimDecl):
            return concat(head, self._claim(node.target, on_line=on_line))
        return concat(head, node.target.text, self._clauses(node.clauses, node.target.span.end, on_line=on_line))


def _text(node: ast.Identifier) -> Document:
    return node.text


def _names(names: Sequence[ast.Identifier]) -> Document:
    others = [name.text for name in names]
    texts = [f"{text}," for text in others[:-1]] + others[-1:]
    return Indent(Fill(texts[0], [(SPACE, text) for text in texts[1:]]))


def _padding(column: int, keyword: str) -> Document:
    """What brings the value after a keyword to its column, two spaces after the longest keyword."""
    return IfBroken(" " * (column + 1 - len(keyword)))


def _imported_name(node: ast_declarations.ImportedName) -> Document:
    return node.name.text if node.alias is None else f"{node.name.text} as {node.alias.text}"


def _after_head(node: ast_declarations.HmmDecl | ast_declarations.AutomatonDecl) -> int:
    """An offset between the head of a system and its brace."""
    return node.parameters[-1].span.end if node.parameters else node.name.span.end


def _ends_in_mechanism(node: Expr) -> bool:
    while isinstance(node, ast.ArrayType | ast.SetType | ast.BagType):
        node = node.element
    return isinstance(node, ast.MechanismType)


def _has_specification(node: ast_module.ClaimDecl) -> bool:
    """Whether a claim is written `check distribution f(2) equals d`."""
    is_first = bool(node.clauses) and node.clauses[0].keyword.text == "equals" and node.clauses[0].value is not None
    return node.kind.text == "distribution" and node.system.arguments is not None and is_first


WIDTH = 100
"""How many columns a line may have where it can be broken."""

MOST_PASSES = 100
"""How often a text is formatted until it stays as it is."""


def format_source(file: SourceFile) -> str:
    """The canonical text of a file: the same program with the same comments, and single blank lines kept.

    Formatting a text that was formatted changes nothing. Raises `InputRejected` where the syntax is wrong.
    """
    text, is_settled = _format_once(file)
    before = file.text
    for _ in range(MOST_PASSES):
        if text == before or is_settled:
            break
        before, (text, is_settled) = text, _format_once(SourceFile(name=file.name, text=text))
    return text


def _format_once(file: SourceFile) -> tuple[str, bool]:
    """The text in the layout, and whether formatting it again surely changes nothing."""
    scanned = scan(file)
    module, found = parse_module(file, scanned)
    # Printed, a union would have the parentheses that it lacks, and say something else than it seems to.
    unclear = [fault for union in _unions(module) if (fault := ambiguous_union(union))]
    if unclear or any(diagnostic.severity == "error" for diagnostic in found):
        raise InputRejected([*found, *unclear])
    comments = Comments(file.text, scanned.comments, scanned.tokens)
    printer = DeclarationPrinter(comments)
    with deep_recursion():
        text = render(printer.rows(module.declarations, printer.declaration, len(file.text)), WIDTH)
    return f"{text}\n" if text else "", not comments.may_move


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
