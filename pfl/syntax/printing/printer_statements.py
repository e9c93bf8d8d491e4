"""Prints statements and blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, assert_never

from pfl.syntax.printing.layout_document import BREAK, SPACE, Concat, Document, Group, Indent, concat, join
from pfl.syntax.printing.printer_comments import at_line_end, comment_text
from pfl.syntax.printing.printer_expressions import BRACKETED, ExpressionPrinter
from pfl.syntax.tree import ast, ast_statements
from pfl.syntax.tree.ast import Expr, Node

N = TypeVar("N", bound=Node)


class StatementPrinter(ExpressionPrinter):
    """Prints statements, each on a line of its own, with the comments and blank lines between them."""

    def rows(self, nodes: Sequence[N], print_one: Callable[[N], Document], end: int) -> Concat:
        """Things that end before `end`, a line each, with the comments around them and single blank lines kept."""
        parts: list[Document] = []
        reached: int | None = None
        for position, node in enumerate(nodes):
            for comment in self.comments.take(node.span.start):
                parts += [*self._line_breaks(reached, comment.start), comment_text(comment)]
                reached = comment.end
            parts += [*self._line_breaks(reached, node.span.start), print_one(node)]
            limit = nodes[position + 1].span.start if position + 1 < len(nodes) else end
            parts.append(at_line_end(self.comments.take(node.span.end)))
            parts.append(self.comments.take_on_line(node.span.end, limit))
            reached = max(node.span.end, self.comments.reached)
        for comment in self.comments.take(end):
            parts += [*self._line_breaks(reached, comment.start), comment_text(comment)]
            reached = comment.end
        return Concat(parts)

    def _line_breaks(self, reached: int | None, offset: int) -> tuple[Document, ...]:
        """The line breaks between what ends at `reached` and what begins at `offset`; none before the first."""
        if reached is None:
            return ()
        return (BREAK, BREAK) if self.comments.has_blank_line(reached, offset) else (BREAK,)

    def is_on_line(self, node: Node) -> bool:
        """Whether a node stands in one line of the source, and no comment in it."""
        start, end = node.span.start, node.span.end
        return not self.comments.has_break(start, end) and not self.comments.any_between(start, end)

    def block(self, nodes: Sequence[N], print_one: Callable[[N], Document], after: int, *, on_line: bool) -> Document:
        """`{ .. }`, where `after` is an offset before its brace; a line each, unless the whole around is `on_line`."""
        end = self.comments.closing("}", nodes[-1].span.end if nodes else after)
        beside = self.comments.take_beside(nodes[0].span.start if nodes else end)
        if not nodes and not beside and not self.comments.any_between(after, end):
            return "{}"
        if on_line:
            return concat("{", Indent(concat(SPACE, join(SPACE, [print_one(node) for node in nodes]))), SPACE, "}")
        rows = self.rows(nodes, print_one, end)
        below = Indent(concat(BREAK, rows)) if rows.parts else ""
        return concat("{", at_line_end(beside), below, BREAK, "}")

    def statements(self, body: Sequence[ast_statements.Statement], after: int, *, on_line: bool) -> Document:
        return self.block(body, self.statement, after, on_line=on_line)

    def assigned(self, sign: str, value: Expr | ast_statements.Stepwise) -> Document:
        """` = e`, ` ~ d`: on the next line if there is no room for it."""
        if isinstance(value, ast_statements.Stepwise):
            return concat(f" {sign} ", self.value(value))
        if isinstance(value, BRACKETED):
            return concat(f" {sign} ", self.expression(value))
        return Group(concat(f" {sign}", Indent(concat(SPACE, self.hanging(value)))))

    def value(self, node: Expr | ast_statements.Stepwise) -> Document:
        if isinstance(node, ast_statements.Stepwise):
            return concat("stepwise ", self.expression(node.call))
        return self.expression(node)

    def typed(self, name: ast.Identifier, type_: Expr | None) -> Document:
        """`x`, or `x: T`."""
        return name.text if type_ is None else concat(name.text, ": ", self.type(type_))

    def statement(self, node: ast_statements.Statement) -> Document:
        return Group(self._statement(node, on_line=self.is_on_line(node)))

    def _statement(self, node: ast_statements.Statement, *, on_line: bool) -> Document:
        match node:
            case ast_statements.Let(name=name, type=type_, value=value, drawn=drawn):
                return concat("let ", self.typed(name, type_), self.assigned(_sign(drawn), value), ";")
            case ast_statements.Var(name=name, type=type_, value=None):
                return concat("var ", self.typed(name, type_), ";")
            case ast_statements.Var(name=name, type=type_, value=value, drawn=drawn):
                assert value is not None
                return concat("var ", self.typed(name, type_), self.assigned(_sign(drawn), value), ";")
            case ast_statements.Assign(place=place, value=value, drawn=drawn):
                return concat(self.expression(place), self.assigned(_sign(drawn), value), ";")
            case ast_statements.Start(place=place, value=value, drawn=drawn):
                return concat("start ", self.expression(place), self.assigned(_sign(drawn), value), ";")
            case ast_statements.If():
                return self._if(node, on_line=on_line)
            case ast_statements.MatchStatement(subject=subject, arms=arms):
                head = concat("match ", self.expression(subject), " ")
                return concat(head, self.block(arms, self._arm_printer(on_line), subject.span.end, on_line=on_line))
            case ast_statements.For(variable=variable, domain=domain, body=body):
                head = concat(f"for {variable.text} in ", self.type(domain), " ")
                return concat(head, self.statements(body, domain.span.end, on_line=on_line))
            case ast_statements.While(condition=condition, body=body):
                head = concat("while ", self.expression(condition), " ")
                return concat(head, self.statements(body, condition.span.end, on_line=on_line))
            case ast_statements.Forever(body=body):
                return concat("forever ", self.statements(body, node.span.start, on_line=on_line))
            case ast_statements.Block(body=body):
                return self.statements(body, node.span.start, on_line=on_line)
            case ast_statements.Emit(value=value):
                return concat("emit ", self.expression(value), ";")
            case ast_statements.Return(value=None):
                return "return;"
            case ast_statements.Return(value=value):
                assert value is not None
                return concat("return ", self.expression(value), ";")
            case ast_statements.Respond(value=value):
                return concat("respond ", self.value(value), ";")
            case ast_statements.Receive(name=name, type=type_):
                return concat("receive ", self.typed(name, type_), ";")
            case ast_statements.Assert(condition=condition):
                return concat("assert ", self.expression(condition), ";")
            case ast_statements.Tick(cost=cost):
                return concat("tick ", self.expression(cost), ";")
            case ast_statements.CallStatement(call=call):
                return concat(self.value(call), ";")
            case _:
                assert_never(node)

    def _if(self, node: ast_statements.If, *, on_line: bool) -> Document:
        head = concat("if ", self.expression(node.condition), " ")
        then = self.statements(node.then, node.condition.span.end, on_line=on_line)
        match node.otherwise:
            case None:
                return concat(head, then)
            case (ast_statements.If() as only,) if self.is_else_if(node, only):
                return concat(head, then, " else ", self._if(only, on_line=on_line))
            case otherwise:
                after = node.then[-1].span.end if node.then else node.condition.span.end
                after = self.comments.closing("}", after) + 1
                return concat(head, then, " else ", self.statements(otherwise, after, on_line=on_line))

    def is_else_if(self, outer: ast_statements.If, inner: ast_statements.If) -> bool:
        """Whether the `if` in an `else` has no braces around it: then both end at the same place."""
        return inner.span.end == outer.span.end

    def _arm_printer(self, on_line: bool) -> Callable[[ast_statements.MatchStatementArm], Document]:
        def print_arm(arm: ast_statements.MatchStatementArm) -> Document:
            head = concat(self.patterns(arm.patterns), " => ")
            after = arm.patterns[-1].span.end
            return concat(head, self.statements(arm.body, after, on_line=on_line or self.is_on_line(arm)))

        return print_arm


def _sign(drawn: bool) -> str:
    return "~" if drawn else "="
