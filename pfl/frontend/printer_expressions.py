"""Prints expressions, types and patterns, with as few parentheses as the grammar allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TypeVar, assert_never

from pfl.frontend import ast
from pfl.frontend.ast import Expr, Node, Pattern
from pfl.frontend.layout_document import (
    BREAK,
    EDGE,
    SPACE,
    Concat,
    Document,
    Fill,
    Group,
    IfBroken,
    Indent,
    Line,
    concat,
    join,
)
from pfl.frontend.printer_comments import Comments, at_line_end, comment_text

N = TypeVar("N", bound=Node)


_BRACKETS = {"array": ("[", "]"), "set": ("{", "}"), "bag": ("bag {", "}"), "argument": ("(", ")")}
"""What stands around a comprehension of each shape."""


class Level(IntEnum):
    """How tightly an expression holds together; grammar/README.md has the table."""

    UNION = 0
    EXPRESSION = 1
    DISJUNCTION = 2
    CONJUNCTION = 3
    NEGATION = 4
    COMPARISON = 5
    RANGE = 6
    SUM = 7
    PRODUCT = 8
    SIGN = 9
    POWER = 10
    POSTFIX = 11
    ATOM = 12


def level(node: Expr) -> Level:
    """The level of the outermost operator of an expression."""
    match node:
        case ast.Union():
            return Level.UNION
        case ast.Binary(operator="=>") | ast.Conditional() | ast.Quantified():
            return Level.EXPRESSION
        case ast.Logical(operator=operator):
            return Level.DISJUNCTION if operator == "or" else Level.CONJUNCTION
        case ast.Unary(operator=operator):
            return Level.NEGATION if operator == "not" else Level.SIGN
        case ast.Binary(operator=operator):
            return Level.POWER if operator == "^" else Level.COMPARISON
        case ast.Range() | ast.ArrayType() | ast.SetType() | ast.BagType() | ast.MechanismType():
            return Level.RANGE
        case ast.Operation(operators=operators):
            return Level.SUM if operators[0] in ("+", "-") else Level.PRODUCT
        case ast.Call() | ast.Index() | ast.FieldAccess() | ast.Projection() | ast.At() | ast.With():
            return Level.POSTFIX
        case _:
            return Level.ATOM


def extends_right(node: Expr) -> bool:
    """Whether an expression ends in an `if`, `forall` or `exists`, and so takes in all that follows."""
    while True:
        match node:
            case ast.Conditional() | ast.Quantified():
                return True
            case ast.Logical(operands=(*_, last)) | ast.Binary(operator="=>", right=last):
                node = last
            case ast.Unary(operator="not", operand=operand):
                node = operand
            case _:
                return False


class ExpressionPrinter:
    """Prints expressions, and the comments among them."""

    def __init__(self, comments: Comments) -> None:
        self.comments = comments

    def expression(self, node: Expr, at_least: Level = Level.EXPRESSION, *, last: bool = True) -> Document:
        """An expression, in parentheses if it is looser than `at_least`; `last` if nothing after it could join it."""
        above = self.comments.take_inline(node.span.start)
        printed = self._bare(node)
        loose = level(node) < at_least
        # What extends to the right may also end a tighter operand, so long as nothing follows it.
        if loose and last and Level.EXPRESSION < at_least <= Level.NEGATION:
            loose = not isinstance(node, ast.Conditional | ast.Quantified)
        if loose or (not last and extends_right(node)):
            printed = Group(concat("(", Indent(concat(EDGE, printed)), EDGE, ")"))
        return concat(above, printed)

    def hanging(self, node: Expr) -> Document:
        """An expression at the start of a line that is indented already: its own lines are not indented once more."""
        above = self.comments.take_above(node.span.start)
        printed = None if isinstance(node, ast.Union) else self._operators(node)
        return concat(above, self.expression(node) if printed is None else printed)

    def type(self, node: Expr) -> Document:
        """A type or domain: a union of ranges."""
        return self.expression(node) if isinstance(node, ast.Union) else self.expression(node, Level.RANGE)

    def member(self, node: Expr) -> Document:
        """What may stand alone in parentheses: an expression or a union."""
        return self.expression(node, Level.UNION)

    def _bare(self, node: Expr) -> Document:
        printed = self._operators(node)
        return self._closed(node) if printed is None else Indent(printed)

    def _operators(self, node: Expr) -> Document | None:
        """An expression that may be broken at its operators; None for any other."""
        match node:
            case ast.Operation():
                return self._operation(node, tight=False)
            case ast.Logical(operator=operator, operands=operands):
                inner = Level.CONJUNCTION if operator == "or" else Level.NEGATION
                return self._chain(operands, inner, operator)
            case ast.Union(members=members):
                return self._chain(members, Level.RANGE, "|")
            case ast.Binary():
                return self._binary(node)
            case ast.Conditional():
                return Group(self._conditional(node))
            case _:
                return None

    def _closed(self, node: Expr) -> Document:
        match node:
            case ast.Operation() | ast.Logical() | ast.Union() | ast.Binary() | ast.Conditional():
                raise AssertionError("operators are printed elsewhere")
            case ast.Name(text=text):
                return text
            case ast.Number(written=written):
                return written
            case ast.Boolean(value=value):
                return "true" if value else "false"
            case ast.BuiltinType(name=name):
                return name
            case ast.Unary(operator="not", operand=operand):
                return concat("not ", self.expression(operand, Level.NEGATION))
            case ast.Unary(operand=operand):
                inner = Level.POWER if isinstance(operand, ast.Unary) else Level.SIGN
                return concat("-", self.expression(operand, inner))
            case ast.Range(low=low, high=high):
                return concat(self._bound(low), "..", self._bound(high))
            case ast.Quantified(quantifier=word, variable=variable, domain=domain, body=body):
                head = concat(f"{word} {variable.text} in ", self.type(domain), ":")
                return Group(concat(head, Indent(concat(SPACE, self.hanging(body)))))
            case ast.Match(subject=subject, arms=arms):
                head = concat("match ", self.expression(subject), " ")
                broken = self._is_broken(subject.span.end, arms[0])
                return concat(head, self.braces(arms, self._arm, node.span.end, spaced=True, broken=broken))
            case ast.DistributionLiteral(entries=entries):
                broken = self._is_broken(node.span.start, entries[0])
                return self.braces(entries, self._entry, node.span.end, spaced=True, broken=broken)
            case ast.SetLiteral(elements=elements):
                return self.braces(elements, self.expression, node.span.end)
            case ast.BagLiteral(elements=elements):
                return concat("bag ", self.braces(elements, self.expression, node.span.end))
            case ast.ArrayLiteral(elements=elements):
                return self.listed("[", elements, "]", self.expression, node.span.end)
            case ast.TupleLiteral(elements=elements):
                return self.listed("(", elements, ")", self.member, node.span.end)
            case ast.Comprehension() | ast.DistributionComprehension() | ast.SetFilter():
                return self._comprehension(node)
            case ast.Call(callee=callee, arguments=arguments):
                return concat(self._postfix(callee), self._arguments(arguments, node.span.end))
            case ast.Index(array=array, index=index):
                return concat(self._postfix(array), "[", self.expression(index), "]")
            case ast.FieldAccess(record=record, field=field):
                return concat(self._before_dot(record), f".{field.text}")
            case ast.Projection(tuple=whole, position=position):
                return concat(self._before_dot(whole), f".{position}")
            case ast.At(operand=operand, moment=moment):
                return concat(self._postfix(operand), "@", self._moment(moment))
            case ast.With(operand=operand, updates=updates):
                return concat(
                    self._postfix(operand), " with ", self.braces(updates, self._update, node.span.end, spaced=True)
                )
            case ast.ArrayType(size=size, element=element):
                return concat("[", self.expression(size), "] of ", self.expression(element, Level.RANGE))
            case ast.SetType(element=element):
                return concat("set of ", self.expression(element, Level.RANGE))
            case ast.BagType(capacity=capacity, element=element):
                return concat("bag[", self.expression(capacity), "] of ", self.expression(element, Level.RANGE))
            case ast.MechanismType(inputs=inputs, result=result):
                end = result.span.start if result else node.span.end
                head = concat("mechanism", self.listed("(", inputs, ")", self.type, end))
                return head if result is None else concat(head, " -> ", self.expression(result, Level.RANGE))
            case _:
                assert_never(node)

    # --- operators -----------------------------------------------------------

    def _chain(self, operands: Sequence[Expr], inner: Level, operator: str) -> Document:
        """Operands with an operator between them, all on one line or each on its own."""
        parts: list[Document] = []
        for position, operand in enumerate(operands):
            is_last = position == len(operands) - 1
            lead: Document = concat(SPACE, self._above(operand), f"{operator} ") if position else ""
            printed = self.expression(operand, inner, last=is_last)
            parts.append(concat(lead, printed, self._after(operand, operands, position)))
        return Group(concat(*parts))

    def _operation(self, node: ast.Operation, *, tight: bool) -> Document:
        inner = Level(level(node) + 1)
        parts: list[tuple[Line, Document]] = []
        for position, operand in enumerate(node.operands):
            needs_parentheses = position > 0 and isinstance(operand, ast.Unary)
            printed = self.expression(operand, Level.POSTFIX if needs_parentheses else inner, last=False)
            after = self._after(operand, node.operands, position)
            operator = node.operators[position - 1] if position else ""
            is_tight = tight or (operator in ("*", "/") and "div" not in node.operators and "mod" not in node.operators)
            lead = operator if is_tight else f"{operator} "
            parts.append((EDGE if is_tight else SPACE, concat(lead if position else "", printed, after)))
        return Fill(parts[0][1], parts[1:])

    def _binary(self, node: ast.Binary) -> Document:
        if node.operator == "^":
            exponent = Level.POSTFIX if isinstance(node.right, ast.Unary) else Level.SIGN
            return concat(self._postfix(node.left), "^", self.expression(node.right, exponent, last=False))
        if node.operator == "=>":
            left = self.expression(node.left, Level.DISJUNCTION, last=False)
            after = self._after(node.left, (node.left, node.right), 0)
            right = self.expression(node.right)
            return Group(concat(left, after, SPACE, "=> ", right))
        left = self.expression(node.left, Level.RANGE, last=False)
        after = self._after(node.left, (node.left, node.right), 0)
        right = self.expression(node.right, Level.RANGE, last=False)
        return Group(concat(left, after, f" {node.operator}", SPACE, right))

    def _bound(self, node: Expr) -> Document:
        """An end of a range: a sum in it has no spaces."""
        if isinstance(node, ast.Operation) and level(node) == Level.SUM:
            return concat(self.comments.take_inline(node.span.start), self._operation(node, tight=True))
        return self.expression(node, Level.SUM)

    def _conditional(self, node: ast.Conditional) -> Document:
        condition = self.expression(node.condition)
        after_condition = self._after(node.condition, (node.condition, node.then), 0)
        then = self.expression(node.then)
        after_then = self._after(node.then, (node.then, node.otherwise), 0)
        head = concat("if ", condition, after_condition, SPACE, "then ", then, after_then, SPACE, "else ")
        if isinstance(node.otherwise, ast.Conditional):
            return concat(head, self.comments.take_inline(node.otherwise.span.start), self._conditional(node.otherwise))
        return concat(head, self.expression(node.otherwise))

    # --- what follows an operand -----------------------------------------------

    def _postfix(self, node: Expr) -> Document:
        return self.expression(node, Level.POSTFIX)

    def _before_dot(self, node: Expr) -> Document:
        """A number before a dot would run into it."""
        return concat("(", self._postfix(node), ")") if isinstance(node, ast.Number) else self._postfix(node)

    def _moment(self, node: Expr) -> Document:
        is_short = isinstance(node, ast.Name) or (isinstance(node, ast.Number) and node.written.isdigit())
        return self.expression(node) if is_short else concat("(", self.expression(node), ")")

    def _arguments(self, arguments: Sequence[ast.Argument], end: int) -> Document:
        match arguments:
            case (ast.Argument(name=None, value=ast.Comprehension(shape="argument") as generator),):
                return self._comprehension(generator)
            case _:
                return self.listed("(", arguments, ")", self._argument, end)

    def _argument(self, node: ast.Argument) -> Document:
        return concat("" if node.name is None else f"{node.name.text} = ", self.member(node.value))

    def _update(self, node: ast.FieldUpdate | ast.IndexUpdate) -> Document:
        match node:
            case ast.FieldUpdate(field=field, value=value):
                return concat(f"{field.text} = ", self.expression(value))
            case ast.IndexUpdate(index=index, value=value):
                return concat("[", self.expression(index), "] = ", self.expression(value))
            case _:
                assert_never(node)

    # --- what stands in brackets -------------------------------------------------

    def listed(
        self,
        opening: str,
        nodes: Sequence[N],
        closing: str,
        print_one: Callable[[N], Document],
        end: int,
        *,
        edge: Line = EDGE,
        broken: bool = False,
    ) -> Document:
        """Entries between brackets, separated by commas: on one line, or each on its own."""
        if not nodes:
            return concat(opening, at_line_end(self.comments.take(end)), closing)
        parts: list[Document] = []
        for position, node in enumerate(nodes):
            above = self.comments.take_above(node.span.start)
            printed = print_one(node)
            comma: Document = "," if position < len(nodes) - 1 else IfBroken(",")
            limit = nodes[position + 1].span.start if position < len(nodes) - 1 else end
            parts.append(concat(above, printed, comma, self.comments.take_on_line(node.span.end, limit)))
        below = [concat(BREAK, comment_text(comment)) for comment in self.comments.take(end)]
        inside = Indent(concat(edge, join(SPACE, parts), *below))
        return Group(concat(opening, inside, edge, closing), broken=broken)

    def braces(
        self,
        nodes: Sequence[N],
        print_one: Callable[[N], Document],
        end: int,
        *,
        spaced: bool = False,
        broken: bool = False,
    ) -> Document:
        return self.listed("{", nodes, "}", print_one, end, edge=SPACE if spaced else EDGE, broken=broken)

    def _is_broken(self, start: int, first: Node) -> bool:
        """Whether the source has a line break between a brace that opens after `start` and the first entry."""
        return self.comments.has_break(start, first.span.start)

    def _entry(self, node: ast.DistributionEntry) -> Document:
        return concat(self.expression(node.key), ": ", self.expression(node.weight))

    def _arm(self, node: ast.MatchArm) -> Document:
        return concat(self.patterns(node.patterns), " => ", self.expression(node.value))

    def patterns(self, alternatives: Sequence[Pattern]) -> Document:
        """Patterns joined by `|`."""
        return join(" | ", [self._pattern(pattern) for pattern in alternatives])

    def _pattern(self, node: Pattern) -> Document:
        match node:
            case ast.WildcardPattern():
                return concat(self.comments.take_inline(node.span.start), "_")
            case ast.ValuePattern(value=value):
                return self.expression(value, Level.RANGE)
            case ast.TuplePattern(elements=elements):
                above = self.comments.take_inline(node.span.start)
                return concat(above, "(", join(", ", [self.patterns(element) for element in elements]), ")")
            case _:
                assert_never(node)

    def _comprehension(self, node: ast.Comprehension | ast.DistributionComprehension | ast.SetFilter) -> Document:
        match node:
            case ast.SetFilter(variable=variable, domain=domain, condition=condition):
                opening, edge, closing = "{", EDGE, "}"
                first: Document = concat(f"{variable.text} in ", self.expression(domain, Level.RANGE), " |")
                parts: list[Document] = [first, self.expression(condition)]
            case ast.DistributionComprehension(key=key, weight=weight, binders=binders):
                opening, edge, closing = "{", SPACE, "}"
                first = concat(self.expression(key), ": ", self.expression(weight))
                parts = [first, *(self._binder(binder) for binder in binders)]
            case ast.Comprehension(shape=shape, element=element, binders=binders):
                opening, closing = _BRACKETS[shape]
                edge = EDGE
                first = self.member(element) if shape == "argument" else self.expression(element)
                parts = [first, *(self._binder(binder) for binder in binders)]
            case _:
                assert_never(node)
        return Group(concat(opening, Indent(concat(edge, join(SPACE, parts))), edge, closing))

    def _binder(self, node: ast.Binder) -> Document:
        above = self._above(node)
        head = concat(f"for {node.variable.text} in ", self.type(node.domain))
        if node.condition is None:
            return concat(above, head)
        return concat(above, head, SPACE, "if ", self.expression(node.condition))

    # --- comments ------------------------------------------------------------------

    def _above(self, node: Node) -> Document:
        """Comments before something that begins a line wherever lines are broken."""
        return self.comments.take_above(node.span.start)

    def _after(self, node: Node, siblings: Sequence[Node], position: int) -> Document:
        """Comments after an operand on its line, before the next one."""
        if position + 1 == len(siblings):
            return Concat(())
        return self.comments.take_on_line(node.span.end, siblings[position + 1].span.start)
