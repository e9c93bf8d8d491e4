"""Diagnostics of reading and parsing."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.frontend.ast import Expr


class SyntaxFault(Exception):
    """A part of the source that the grammar allows and the language does not."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


def _at(span: Span, label: str = "") -> tuple[Label, ...]:
    return (Label(span, label),)


# --- single tokens ---------------------------------------------------------------


def foreign_spelling(span: Span, advice: str) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING, message=f"`{span.text}` is not written in PFL", labels=_at(span), help=advice
    )


def primed_name(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message="names are not primed in PFL",
        labels=_at(span),
        help="write `step x = e;`: the left side is the new value, `x` on the right side the old one",
    )


def bare_decimal_point(span: Span, correct: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MALFORMED_NUMBER,
        message=f"`{span.text}` lacks a digit on one side of the decimal point",
        labels=_at(span),
        help=f"write `{correct}`",
    )


def number_runs_into_word(span: Span, number: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MALFORMED_NUMBER,
        message=f"`{span.text}` is neither a number nor a name",
        labels=_at(span),
        help=f"write `{number}`; numbers are decimal and exact, without suffixes, and a product needs `*`",
    )


def single_quotes(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_STRING,
        message="a text stands between straight double quotes",
        labels=_at(span),
        help=f'write "{span.text[1:-1]}"',
    )


def unclosed_string(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_STRING,
        message="the text in quotes is not closed on its line",
        labels=_at(span),
        help='add `"` where the text ends',
    )


def unclosed_comment(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_COMMENT,
        message="the comment is never closed",
        labels=_at(span, "opened here"),
        help="add `*/` where the comment ends",
    )


def stray_character(span: Span) -> Diagnostic:
    return Diagnostic(code=codes.STRAY_CHARACTER, message=f"stray character `{span.text}`", labels=_at(span))


# --- parts that the grammar allows and the language does not ---------------------


def exponent_too_large(span: Span, largest: int) -> Diagnostic:
    return Diagnostic(
        code=codes.NUMBER_SIZE, message=f"the exponent of the number is beyond {largest}", labels=_at(span)
    )


def filter_without_variable(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.VARIABLE_EXPECTED,
        message="the part of a set before `|` is not of the form `x in S`",
        labels=_at(span),
        help="write `{x in S | condition}`",
    )


def where_without_variable(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.VARIABLE_EXPECTED,
        message="what stands before `where` is not a name",
        labels=_at(span),
        help="write `returns r where condition;`: `r` stands for the result",
    )


def array_type_without_size(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.ARRAY_TYPE_SIZE,
        message="an array type has one size in its brackets",
        labels=_at(span),
        help="write `[n] of T`, and `[n] of [m] of T` for a table",
    )


def not_a_place(span: Span, culprit: Expr) -> Diagnostic:
    return Diagnostic(
        code=codes.NOT_A_PLACE,
        message=f"`{culprit.span.text}` is not something that can be assigned to",
        labels=_at(span),
        help="the left side is a variable `x`, an element `a[i]` or a field `r.f`",
    )


def statement_does_nothing(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.DOES_NOTHING,
        message="the statement does nothing",
        labels=_at(span),
        help="write `x = e;` to assign, `x ~ d;` to draw, or `f(x);` to run a mechanism",
    )


def stepwise_without_call(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.STEPWISE,
        message="`stepwise` is not followed by the call of a mechanism",
        labels=_at(span),
        help="write `stepwise f(x)`",
    )


def stepwise_start(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.STEPWISE, message="`stepwise` has no meaning in a prior", labels=_at(span), help="leave it out"
    )


def output_lists_a_type(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.OUTPUT_LIST,
        message="an `output` line is one type, or a list of names",
        labels=_at(span, "this is not a name"),
        help="write `output {a, b};` or `output a, b;`",
    )


def nested_too_deeply(span: Span, limit: int) -> Diagnostic:
    return Diagnostic(
        code=codes.NESTING,
        message=f"more than {limit} levels are nested here",
        labels=_at(span),
        help="name the inner parts by functions or `let`",
    )


def unexpected(span: Span, found: str) -> Diagnostic:
    return Diagnostic(code=codes.UNEXPECTED, message=f"unexpected {found}", labels=_at(span))


def empty_file(span: Span) -> Diagnostic:
    return Diagnostic(code=codes.EMPTY_FILE, message="the file declares nothing", labels=_at(span))
