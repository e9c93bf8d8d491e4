"""Builds the expressions, types and patterns of the syntax tree from what the parser has recognised.

Each function is the builder of the production of its name in grammar/pfl.lark: it is handed the span and the values
of the parts that count.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pfl.base import codes
from pfl.base.exact_text import integer_value
from pfl.base.source import Span
from pfl.syntax.parse.lr_parser import Builder, SyntaxFault, Token
from pfl.syntax.tree import ast
from pfl.syntax.tree.ast import Expr, Pattern

LONGEST_NUMBER = 100_000
"""The most digits, and the largest exponent, of a number: `1e-100000` still has an exact value of a bearable size."""


def identifier(span: Span, token: Token) -> ast.Identifier:
    return ast.Identifier(span=Span(span.file, token.start, token.end), text=token.text)


def text(_span: Span, token: Token) -> str:
    """The spelling of a sign or a word."""
    return token.text


def name(span: Span, token: Token) -> ast.Name:
    return ast.Name(span=span, text=token.text)


def number(span: Span, token: Token) -> ast.Number:
    written = token.text
    exponent = written.lower().partition("e")[2].lstrip("+-0")
    if len(exponent) > len(str(LONGEST_NUMBER)) or int(exponent or 0) > LONGEST_NUMBER:
        raise SyntaxFault(codes.NUMBER_SIZE, span, f"the exponent of the number is beyond {LONGEST_NUMBER}")
    if len(written) > LONGEST_NUMBER:
        first = Span(span.file, span.start, span.start + 1)
        raise SyntaxFault(codes.NUMBER_SIZE, first, f"the number has more than {LONGEST_NUMBER} digits")
    return ast.Number(span=span, value=_exact(written), written=written)


@lru_cache(maxsize=4096)
def _exact(written: str) -> Fraction:
    """The value of `12`, `0.06` or `1e-5`, with any number of digits."""
    mantissa, _, exponent = written.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    shift = int(exponent or 0) - len(decimals)
    digits = integer_value(whole + decimals)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def truth(span: Span, token: Token) -> ast.Boolean:
    return ast.Boolean(span=span, value=token.text == "true")


def builtin_type(span: Span, token: Token) -> ast.BuiltinType:
    return ast.BuiltinType(span=span, name=token.text)  # type: ignore[arg-type]


def grouped(_span: Span, inner: Expr) -> Expr:
    return inner


def tuple_literal(span: Span, *elements: Expr) -> ast.TupleLiteral:
    return ast.TupleLiteral(span=span, elements=elements)


def array(span: Span, *elements: Expr) -> ast.ArrayLiteral:
    return ast.ArrayLiteral(span=span, elements=elements)


def set_literal(span: Span, *elements: Expr) -> ast.SetLiteral:
    return ast.SetLiteral(span=span, elements=elements)


def bag(span: Span, *elements: Expr) -> ast.BagLiteral:
    return ast.BagLiteral(span=span, elements=elements)


def binder(span: Span, variable: Token, domain: Expr, condition: Expr | None) -> ast.Binder:
    return ast.Binder(span=span, variable=identifier(span, variable), domain=domain, condition=condition)


def array_comprehension(span: Span, element: Expr, *binders: ast.Binder) -> ast.Comprehension:
    return ast.Comprehension(span=span, shape="array", element=element, binders=binders)


def set_comprehension(span: Span, element: Expr, *binders: ast.Binder) -> ast.Comprehension:
    return ast.Comprehension(span=span, shape="set", element=element, binders=binders)


def bag_comprehension(span: Span, element: Expr, *binders: ast.Binder) -> ast.Comprehension:
    return ast.Comprehension(span=span, shape="bag", element=element, binders=binders)


def set_filter(span: Span, membership: Expr, condition: Expr) -> ast.SetFilter:
    match membership:
        case ast.Binary(operator="in", left=ast.Name() as variable, right=domain):
            bound = ast.Identifier(span=variable.span, text=variable.text)
            return ast.SetFilter(span=span, variable=bound, domain=domain, condition=condition)
        case _:
            raise SyntaxFault(
                codes.VARIABLE_EXPECTED,
                membership.span,
                "the part of a set before `|` is not of the form `x in S`",
                "write `{x in S | condition}`",
            )


def entry(span: Span, key: Expr, weight: Expr) -> ast.DistributionEntry:
    return ast.DistributionEntry(span=span, key=key, weight=weight)


def distribution(span: Span, *entries: ast.DistributionEntry) -> ast.DistributionLiteral:
    return ast.DistributionLiteral(span=span, entries=entries)


def distribution_comprehension(
    span: Span, first: ast.DistributionEntry, *binders: ast.Binder
) -> ast.DistributionComprehension:
    return ast.DistributionComprehension(span=span, key=first.key, weight=first.weight, binders=binders)


def keyed_array(span: Span, *entries: ast.DistributionEntry) -> ast.KeyedArray:
    return ast.KeyedArray(span=span, entries=entries)


def keyed_comprehension(span: Span, first: ast.DistributionEntry, *binders: ast.Binder) -> ast.KeyedComprehension:
    return ast.KeyedComprehension(span=span, key=first.key, element=first.weight, binders=binders)


def arm(span: Span, patterns: tuple[Pattern, ...], value: Expr) -> ast.MatchArm:
    return ast.MatchArm(span=span, patterns=patterns, value=value)


def match_expression(span: Span, subject: Expr, *arms: ast.MatchArm) -> ast.Match:
    return ast.Match(span=span, subject=subject, arms=arms)


def patterns(_span: Span, *alternatives: Expr) -> tuple[Pattern, ...]:
    return tuple(pattern for alternative in alternatives for pattern in _alternatives(alternative))


def _pattern(expression: Expr) -> Pattern:
    match expression:
        case ast.Name(text="_"):
            return ast.WildcardPattern(span=expression.span)
        case ast.TupleLiteral(elements=elements):
            return ast.TuplePattern(span=expression.span, elements=tuple(_alternatives(e) for e in elements))
        case _:
            return ast.ValuePattern(span=expression.span, value=expression)


def _alternatives(expression: Expr) -> tuple[Pattern, ...]:
    members = expression.members if isinstance(expression, ast.Union) else (expression,)
    return tuple(_pattern(member) for member in members)


def argument(span: Span, label: Token | None, value: Expr) -> ast.Argument:
    return ast.Argument(span=span, name=label and identifier(span, label), value=value)


def arguments(_span: Span, *found: ast.Argument) -> tuple[ast.Argument, ...]:
    return found


def generator(span: Span, element: Expr, *binders: ast.Binder) -> tuple[ast.Argument, ...]:
    inside = Span(span.file, element.span.start, binders[-1].span.end)
    comprehension = ast.Comprehension(span=inside, shape="argument", element=element, binders=binders)
    return (ast.Argument(span=inside, name=None, value=comprehension),)


def call(span: Span, callee: Expr, given: tuple[ast.Argument, ...]) -> ast.Call:
    return ast.Call(span=span, callee=callee, arguments=given)


def index(span: Span, indexed: Expr, position: Expr) -> ast.Index:
    return ast.Index(span=span, array=indexed, index=position)


def field(span: Span, record: Expr, selected: Token) -> ast.FieldAccess:
    return ast.FieldAccess(span=span, record=record, field=identifier(span, selected))


def projection(span: Span, whole: Expr, position: Token) -> ast.Projection:
    return ast.Projection(span=span, tuple=whole, position=integer_value(position.text))


def at(span: Span, operand: Expr, moment: Expr) -> ast.At:
    return ast.At(span=span, operand=operand, moment=moment)


def with_updates(span: Span, operand: Expr, *updates: ast.FieldUpdate | ast.IndexUpdate) -> ast.With:
    return ast.With(span=span, operand=operand, updates=updates)


def field_update(span: Span, selected: Token, value: Expr) -> ast.FieldUpdate:
    return ast.FieldUpdate(span=span, field=identifier(span, selected), value=value)


def index_update(span: Span, position: Expr, value: Expr) -> ast.IndexUpdate:
    return ast.IndexUpdate(span=span, index=position, value=value)


def conditional(span: Span, condition: Expr, then: Expr, otherwise: Expr) -> ast.Conditional:
    return ast.Conditional(span=span, condition=condition, then=then, otherwise=otherwise)


def forall(span: Span, variable: Token, domain: Expr, body: Expr) -> ast.Quantified:
    bound = identifier(span, variable)
    return ast.Quantified(span=span, quantifier="forall", variable=bound, domain=domain, body=body)


def exists(span: Span, variable: Token, domain: Expr, body: Expr) -> ast.Quantified:
    bound = identifier(span, variable)
    return ast.Quantified(span=span, quantifier="exists", variable=bound, domain=domain, body=body)


def power(span: Span, base: Expr, exponent: Expr) -> ast.Binary:
    return ast.Binary(span=span, operator="^", left=base, right=exponent)


def negative(span: Span, operand: Expr) -> ast.Unary:
    return ast.Unary(span=span, operator="-", operand=operand)


def negation(span: Span, operand: Expr) -> ast.Unary:
    return ast.Unary(span=span, operator="not", operand=operand)


def operation(span: Span, *operands_and_operators: Any) -> ast.Operation:
    operators: Any = tuple(token.text for token in operands_and_operators[1::2])
    return ast.Operation(span=span, operands=operands_and_operators[::2], operators=operators)


def bounds(span: Span, low: Expr, high: Expr) -> ast.Range:
    return ast.Range(span=span, low=low, high=high)


def comparison(span: Span, left: Expr, operator: Any, right: Expr) -> ast.Binary:
    return ast.Binary(span=span, operator=operator, left=left, right=right)


def exclusion(span: Span, left: Expr, right: Expr) -> ast.Binary:
    return ast.Binary(span=span, operator="not in", left=left, right=right)


def conjunction(span: Span, *operands: Expr) -> ast.Logical:
    return ast.Logical(span=span, operator="and", operands=operands)


def disjunction(span: Span, *operands: Expr) -> ast.Logical:
    return ast.Logical(span=span, operator="or", operands=operands)


def implication(span: Span, left: Expr, right: Expr) -> ast.Binary:
    return ast.Binary(span=span, operator="=>", left=left, right=right)


def union(span: Span, *members: Expr) -> ast.Union:
    return ast.Union(span=span, members=members)


def array_type(span: Span, size: Expr, element: Expr) -> ast.ArrayType:
    match size:
        case ast.ArrayLiteral(elements=(only,)):
            return ast.ArrayType(span=span, size=only, element=element)
        case _:
            raise SyntaxFault(
                codes.ARRAY_TYPE_SIZE,
                size.span,
                "an array type has one size in its brackets",
                "write `[n] of T`, and `[n] of [m] of T` for a table",
            )


def set_type(span: Span, element: Expr) -> ast.SetType:
    return ast.SetType(span=span, element=element)


def bag_type(span: Span, capacity: Expr, element: Expr) -> ast.BagType:
    return ast.BagType(span=span, capacity=capacity, element=element)


def mechanism_type(span: Span, *inputs_and_result: Any) -> ast.MechanismType:
    return ast.MechanismType(span=span, inputs=inputs_and_result[:-1], result=inputs_and_result[-1])


BUILDERS: Mapping[str, Builder] = {
    "name": name,
    "number": number,
    "truth": truth,
    "builtin_type": builtin_type,
    "grouped": grouped,
    "tuple": tuple_literal,
    "array": array,
    "set": set_literal,
    "bag": bag,
    "binder": binder,
    "array_comprehension": array_comprehension,
    "set_comprehension": set_comprehension,
    "bag_comprehension": bag_comprehension,
    "set_filter": set_filter,
    "entry": entry,
    "distribution": distribution,
    "distribution_comprehension": distribution_comprehension,
    "keyed_array": keyed_array,
    "keyed_comprehension": keyed_comprehension,
    "arm": arm,
    "match": match_expression,
    "patterns": patterns,
    "argument": argument,
    "arguments": arguments,
    "generator": generator,
    "call": call,
    "index": index,
    "field": field,
    "projection": projection,
    "at": at,
    "with": with_updates,
    "field_update": field_update,
    "index_update": index_update,
    "conditional": conditional,
    "forall": forall,
    "exists": exists,
    "power": power,
    "negative": negative,
    "negation": negation,
    "operation": operation,
    "bounds": bounds,
    "comparison_word": text,
    "comparison": comparison,
    "exclusion": exclusion,
    "conjunction": conjunction,
    "disjunction": disjunction,
    "implication": implication,
    "union": union,
    "array_type": array_type,
    "set_type": set_type,
    "bag_type": bag_type,
    "mechanism_type": mechanism_type,
}
