"""Diagnostics of mistakes that come of the habits of other languages, or of the other form of a system."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.base.source import Span


def type_before_name(span: Span, name: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        f"`{span.text}` stands before the name that it is the type of",
        help=f"write `let {name}: {span.text} = ..;`, or `var` if it changes later",
    )


def drawn_by_arrow(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.FOREIGN_SPELLING, span, "`<-` is not written in PFL", help="write `x ~ d;` to draw, `x = e;` to assign"
    )


def condition_after_value(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.FOREIGN_SPELLING, span, "`a if c else b` is not written in PFL", help="write `if c then a else b`"
    )


def absolute_value(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.FOREIGN_SPELLING,
        span,
        "an absolute value is not written between bars in PFL",
        help="write `abs(x)`; the number of elements is `size(x)`",
    )


def call_without_brackets(span: Span, function: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        f"the argument of `{function}` stands without brackets",
        help=f"write `{function}({span.text})`",
    )


def no_part_of_hmm(span: Span, advice: str, *, is_table: bool) -> Diagnostic:
    form = "table" if is_table else "program"
    return Diagnostic.at(
        codes.UNEXPECTED, span, f"no part of an hmm in {form} form begins with `{span.text}`", help=advice
    )


def start_in_braces(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "the block after `init` has statements, not probabilities",
        help="write `init rainy: 3/5, sunny: 2/5;` in a table, `init x ~ { 0: 1/2, 1: 1/2 };` in a program",
    )


def param_with_value(span: Span, name: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "a param has an interval, not a value",
        help=f"write `const {name} = ..;` for a number that is fixed, `param {name} in (0, 1);` for any in an interval",
    )


def bound_without_words(span: Span, words: str) -> Diagnostic:
    return Diagnostic.at(codes.UNEXPECTED, span, f"no clause begins with `{span.text}`", help=f"write `{words} 1/2;`")


def no_part_of_automaton(span: Span, advice: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED, span, f"no part of an automaton in program form begins with `{span.text}`", help=advice
    )


def emits_after_result(span: Span, result: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "`emits` stands after the type of the result",
        help=f"what is emitted comes first: write `emits .. -> {result}`",
    )


def no_transition(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_ARROW,
        span,
        "`-` stands where `--` must",
        help="write a transition with spaces: `idle -- ask --> asked;`",
    )


def target_without_braces(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "a transition leads to a state or to a distribution in braces",
        help="write `asked -- wait --> { yes: 3/4, no: 1/4 };`",
    )


def versus_in_between(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "`vs` stands where `and` must",
        help="write `between { 0: 1 } and { 1: 1 };`; secrets are compared by `vs`",
    )


def let_without_value(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED, span, "a `let` gets its value at once", help="write `var x: T;` for what gets its value later"
    )


def no_statement(span: Span, advice: str) -> Diagnostic:
    return Diagnostic.at(codes.FOREIGN_SPELLING, span, f"no statement begins with `{span.text}`", help=advice)


def type_of_other_name(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "`of` stands where no type of elements can",
        help="write `[n] of T` for arrays, `set of T` for sets, `bag[n] of T` for bags of at most n elements",
    )
