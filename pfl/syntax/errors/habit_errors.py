"""Diagnostics of mistakes that come of the habits of other languages, or of the other form of a system."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span


def _at(span: Span) -> tuple[Label, ...]:
    return (Label(span),)


def type_before_name(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"`{span.text}` stands before the name that it is the type of",
        labels=_at(span),
        help=f"write `let {name}: {span.text} = ..;`, or `var` if it changes later",
    )


def drawn_by_arrow(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message="`<-` is not written in PFL",
        labels=_at(span),
        help="write `x ~ d;` to draw, `x = e;` to assign",
    )


def condition_after_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message="`a if c else b` is not written in PFL",
        labels=_at(span),
        help="write `if c then a else b`",
    )


def absolute_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message="an absolute value is not written between bars in PFL",
        labels=_at(span),
        help="write `abs(x)`; the number of elements is `size(x)`",
    )


def call_without_brackets(span: Span, function: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"the argument of `{function}` stands without brackets",
        labels=_at(span),
        help=f"write `{function}({span.text})`",
    )


def no_part_of_hmm(span: Span, advice: str, *, is_table: bool) -> Diagnostic:
    form = "table" if is_table else "program"
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"no part of an hmm in {form} form begins with `{span.text}`",
        labels=_at(span),
        help=advice,
    )


def start_in_braces(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="the block after `init` has statements, not probabilities",
        labels=_at(span),
        help="write `init rainy: 3/5, sunny: 2/5;` in a table, `init x ~ { 0: 1/2, 1: 1/2 };` in a program",
    )


def param_with_value(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="a param has an interval, not a value",
        labels=_at(span),
        help=f"write `const {name} = ..;` for a number that is fixed, `param {name} in (0, 1);` for any in an interval",
    )


def bound_without_words(span: Span, words: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"no clause begins with `{span.text}`",
        labels=_at(span),
        help=f"write `{words} 1/2;`",
    )


def no_part_of_automaton(span: Span, advice: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"no part of an automaton in program form begins with `{span.text}`",
        labels=_at(span),
        help=advice,
    )


def emits_after_result(span: Span, result: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="`emits` stands after the type of the result",
        labels=_at(span),
        help=f"what is emitted comes first: write `emits .. -> {result}`",
    )


def no_transition(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_ARROW,
        message="`-` stands where `--` must",
        labels=_at(span),
        help="write a transition with spaces: `idle -- ask --> asked;`",
    )


def target_without_braces(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="a transition leads to a state or to a distribution in braces",
        labels=_at(span),
        help="write `asked -- wait --> { yes: 3/4, no: 1/4 };`",
    )


def versus_in_between(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="`vs` stands where `and` must",
        labels=_at(span),
        help="write `between { 0: 1 } and { 1: 1 };`; secrets are compared by `vs`",
    )


def let_without_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="a `let` gets its value at once",
        labels=_at(span),
        help="write `var x: T;` for what gets its value later",
    )


def no_statement(span: Span, advice: str) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message=f"no statement begins with `{span.text}`",
        labels=_at(span),
        help=advice,
    )


def type_of_other_name(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="`of` stands where no type of elements can",
        labels=_at(span),
        help="write `[n] of T` for arrays, `set of T` for sets, `bag[n] of T` for bags of at most n elements",
    )
