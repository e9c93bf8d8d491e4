"""Prints expressions, types and patterns, with as few parentheses as the grammar allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, assert_never

from pfl.syntax.printing.layout_document import (
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
from pfl.syntax.printing.printer_comments import Comments, at_line_end, comment_text
from pfl.syntax.tree import ast
from pfl.syntax.tree.ast import Expr, Node, Pattern
from pfl.syntax.tree.operator_levels import CONSTRUCTED, OPEN, Level, begins_with_sign, extends_right, is_compact, level

N = TypeVar("N", bound=Node)


_BRACKETS = {"array": ("[", "]"), "set": ("{", "}"), "bag": ("bag {", "}"), "argument": ("(", ")")}
"""What stands around a comprehension of each shape."""


BRACKETED = (
    ast.ArrayLiteral
    | ast.SetLiteral
    | ast.BagLiteral
    | ast.TupleLiteral
    | ast.DistributionLiteral
    | ast.KeyedArray
    | ast.Match
    | ast.Call
    | ast.With
)
"""Expressions that are broken inside their brackets, and so can begin on the line of an `=` or `else`."""


class ExpressionPrinter:
    """Prints expressions, and the comments among them."""

    def __init__(self, comments: Comments) -> None:
        self.comments = comments

    def expression(self, node: Expr, at_least: Level = Level.EXPRESSION, *, last: bool = True) -> Document:
        """An expression, in parentheses if it is looser than `at_least`; `last` if nothing after it could join it."""
        above = self.comments.take_inline(node.span.start)
        printed = self._bare(node)
        # What extends to the right may end any operator, so long as nothing follows it.
        is_open_end = isinstance(node, OPEN) and last and at_least < Level.POSTFIX
        if (level(node) < at_least and not is_open_end) or (not last and extends_right(node)):
            printed = Group(concat("(", Indent(concat(EDGE, printed)), EDGE, ")"))
        return concat(above, printed)

    def hanging(self, node: Expr) -> Document:
        """An expression at the start of a line that is indented already: its own lines are not indented once more."""
        above = self.comments.take_above(node.span.start)
        printed = None if isinstance(node, ast.Union) else self._operators(node)
        return concat(above, self.expression(node) if printed is None else printed)

    def type(self, node: Expr) -> Document:
        """A type or domain: a union of ranges."""
        return self.expression(node, Level.UNION) if isinstance(node, ast.Union) else self.range(node)

    def range(self, node: Expr) -> Document:
        """A type without `|`."""
        return self.expression(node, Level.RANGE, last=False)

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
                sign = "- " if begins_with_sign(operand) else "-"
                return concat(sign, self.expression(operand, Level.SIGN))
            case ast.Range(low=low, high=high):
                return concat(self._bound(low, last=False), "..", self._bound(high, last=True))
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
            case ast.KeyedArray(entries=entries):
                return self.listed("[", entries, "]", self._entry, node.span.end)
            case ast.TupleLiteral(elements=elements):
                return self.listed("(", elements, ")", self.member, node.span.end)
            case ast.Comprehension() | ast.DistributionComprehension() | ast.KeyedComprehension() | ast.SetFilter():
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
                return concat("[", self.expression(size), "] of ", self.range(element))
            case ast.SetType(element=element):
                return concat("set of ", self.range(element))
            case ast.BagType(capacity=capacity, element=element):
                return concat("bag[", self.expression(capacity), "] of ", self.range(element))
            case ast.MechanismType(inputs=inputs, result=result):
                end = result.span.start if result else node.span.end
                head = concat("mechanism", self.listed("(", inputs, ")", self.type, end))
                return head if result is None else concat(head, " -> ", self.range(result))
            case _:
                assert_never(node)

    # --- operators -----------------------------------------------------------

    def _chain(self, operands: Sequence[Expr], inner: Level, operator: str) -> Document:
        """Operands with an operator between them, all on one line or each on its own."""
        parts: list[Document] = []
        for position, operand in enumerate(operands):
            is_last = position == len(operands) - 1 and operator != "|"
            lead: Document = concat(SPACE, self._above(operand), f"{operator} ") if position else ""
            # `([2] of {a}) | 0..2`: without parentheses it looks like an array of the union.
            is_ambiguous = operator == "|" and operand is not operands[-1] and isinstance(operand, CONSTRUCTED)
            printed = self.expression(operand, Level.SUM if is_ambiguous else inner, last=is_last)
            parts.append(concat(lead, printed, self._after(operand, operands, position)))
        return Group(concat(*parts))

    def _operation(self, node: ast.Operation, *, tight: bool) -> Document:
        inner = Level(level(node) + 1)
        is_compact_product = level(node) == Level.PRODUCT and is_compact(node)
        first, *others = node.operands
        printed = concat(self.expression(first, inner, last=False), self._after(first, node.operands, 0))
        parts: list[tuple[Line, Document]] = []
        for position, (operator, operand) in enumerate(zip(node.operators, others), 1):
            is_tight = (tight and operator not in ("div", "mod")) or is_compact_product
            # `a- -b`, `a/ /* c */ b`: two signs must not become one.
            is_apart = (
                not is_tight or (tight and begins_with_sign(operand)) or self.comments.has_any(operand.span.start)
            )
            right = self.expression(operand, inner, last=position == len(others))
            lead = f"{operator} " if is_apart else operator
            part = concat(lead, right, self._after(operand, node.operands, position))
            parts.append((EDGE if is_tight else SPACE, part))
        return Fill(printed, parts)

    def _binary(self, node: ast.Binary) -> Document:
        if node.operator == "^":
            sign = "^" if is_compact(node) else " ^ "
            return concat(self._postfix(node.left), sign, self.expression(node.right, Level.SIGN))
        if node.operator == "=>":
            left = self.expression(node.left, Level.DISJUNCTION, last=False)
            after = self._after(node.left, (node.left, node.right), 0)
            right = self.expression(node.right)
            return Group(concat(left, after, SPACE, "=> ", right))
        left = self.expression(node.left, Level.RANGE, last=False)
        after = self._after(node.left, (node.left, node.right), 0)
        right = self.expression(node.right, Level.RANGE)
        return Group(concat(left, after, f" {node.operator}", SPACE, right))

    def _bound(self, node: Expr, *, last: bool) -> Document:
        """An end of a range: a sum in it has no spaces."""
        stands_alone = level(node) == Level.SUM and (last or not extends_right(node))
        if isinstance(node, ast.Operation) and stands_alone:
            return concat(self.comments.take_inline(node.span.start), self._operation(node, tight=True))
        return self.expression(node, Level.SUM, last=last)

    def _conditional(self, node: ast.Conditional) -> Document:
        """Each branch on a line of its own where not all fit on one, `else if` beside each other."""
        branches: list[Document] = []
        lead: Document = "if "
        while True:
            condition = concat(lead, self.expression(node.condition))
            after = self._after(node.condition, (node.condition, node.then), 0)
            is_beside = isinstance(node.then, ast.Match) and self._adjoin(node.condition, node.then)
            then = (
                concat(" ", self.expression(node.then)) if is_beside else Indent(concat(SPACE, self.hanging(node.then)))
            )
            after_then = self._after(node.then, (node.then, node.otherwise), 0)
            branches.append(concat(Group(concat(condition, " then", after, then)), after_then))
            if not isinstance(node.otherwise, ast.Conditional):
                break
            node = node.otherwise
            lead = concat(self._above(node), "else if ")
        if isinstance(node.otherwise, BRACKETED) and self._adjoin(node.then, node.otherwise):
            branches.append(concat("else ", self.expression(node.otherwise)))
        else:
            branches.append(Group(concat("else", Indent(concat(SPACE, self.hanging(node.otherwise))))))
        return join(SPACE, branches)

    def _adjoin(self, node: Expr, following: Expr) -> bool:
        """Whether no comment stands between two expressions."""
        return not self.comments.any_between(node.span.end, following.span.start)

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
                return self.range(value)
            case ast.TuplePattern(elements=elements):
                above = self.comments.take_inline(node.span.start)
                return concat(above, "(", join(", ", [self.patterns(element) for element in elements]), ")")
            case _:
                assert_never(node)

    def _comprehension(
        self, node: ast.Comprehension | ast.DistributionComprehension | ast.KeyedComprehension | ast.SetFilter
    ) -> Document:
        match node:
            case ast.SetFilter(variable=variable, domain=domain, condition=condition):
                opening, edge, closing = "{", EDGE, "}"
                first: Document = concat(f"{variable.text} in ", self.expression(domain, Level.RANGE), " |")
                parts: list[Document] = [first, self.expression(condition)]
            case ast.DistributionComprehension(key=key, weight=weight, binders=binders):
                opening, edge, closing = "{", SPACE, "}"
                first = concat(self.expression(key), ": ", self.expression(weight))
                parts = [first, *(self._binder(binder) for binder in binders)]
            case ast.KeyedComprehension(key=key, element=element, binders=binders):
                opening, edge, closing = "[", EDGE, "]"
                first = concat(self.expression(key), ": ", self.expression(element))
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
