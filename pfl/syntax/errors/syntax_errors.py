"""Diagnostics of parsing; those of single tokens are in `token_errors`."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.syntax.spelling import did_you_mean

# --- what the parser cannot go on with --------------------------------------------


def unexpected(span: Span, found: str, expected: str, form: str | None, *, is_reserved: bool = False) -> Diagnostic:
    """`form` is an example of what is being written; `is_reserved` a hint that the word found cannot be a name."""
    hints = [f"for example `{form}`"] if form else []
    if is_reserved:
        hints.append(f"{found} is a reserved word")
    return Diagnostic.at(codes.UNEXPECTED, span, f"expected {expected}, found {found}", help="; ".join(hints) or None)


def not_a_declaration(span: Span, above: Span | None, advice: str | None) -> Diagnostic:
    """`above` is the closing brace of the declaration before, if one closes there."""
    return Diagnostic.at(
        codes.NOT_A_DECLARATION,
        span,
        f"`{span.text}` begins no declaration",
        *_closed(above),
        label="a declaration should begin here",
        help=advice
        or "declarations begin with a word such as `const`, `fn`, `hmm`, `mechanism`, `automaton` or `check`",
    )


def _closed(above: Span | None) -> tuple[Label, ...]:
    return () if above is None else (Label(above, "the declaration above ends here"),)


def misspelt_word(span: Span, guess: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSPELT_WORD, span, f"`{span.text}` is not a word of the language", help=did_you_mean(span.text, guess)
    )


def misspelt_clause(span: Span, guess: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSPELT_WORD, span, f"no clause begins with `{span.text}`", help=did_you_mean(span.text, guess)
    )


def reserved_word(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.RESERVED_WORD,
        span,
        f"`{span.text}` is a reserved word and cannot be a name",
        help=f"choose another name, such as `{span.text}_`",
    )


def unclosed_block(opened: Span, noticed: Span | None) -> Diagnostic:
    """`opened` is the brace; `noticed` the token where it is clear that the block must be over, None at the end."""
    line = opened.file.line(opened.line)[: opened.column].strip()
    head = line if len(line) <= 60 else f"{line[:57]}..."
    return Diagnostic.at(
        codes.UNCLOSED_BLOCK,
        opened,
        f"the block `{head}` on line {opened.line} is never closed",
        _noticed(opened, noticed),
        label="opened here",
        help="add `}` where the block ends",
    )


def unclosed_bracket(opened: Span, noticed: Span | None) -> Diagnostic:
    closer = {"(": ")", "[": "]", "{": "}"}[opened.text]
    return Diagnostic.at(
        codes.UNCLOSED_BRACKET,
        opened,
        f"the bracket `{opened.text}` is not closed",
        _noticed(opened, noticed),
        label="opened here",
        help=f"add `{closer}`",
    )


def _noticed(opened: Span, noticed: Span | None) -> Label:
    if noticed is not None:
        return Label(noticed, "and still open here")
    file = opened.file
    end = len(file.text.rstrip())
    return Label(Span(file, end, end), "and still open at the end of the file")


def stray_bracket(span: Span, above: Span | None = None) -> Diagnostic:
    return Diagnostic.at(
        codes.STRAY_BRACKET,
        span,
        f"`{span.text}` closes nothing",
        *_closed(above),
        help="remove it, or add the opening bracket",
    )


def stray_semicolon(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.STRAY_SEMICOLON, span, "this `;` ends nothing", help="remove it: a block `{ .. }` is not followed by `;`"
    )


def missing_semicolon(place: Span, before: str, *, is_clause: bool = False) -> Diagnostic:
    """`before` is the text before the place, the whole of it where it is a clause of a claim."""
    return Diagnostic.at(
        codes.MISSING_SEMICOLON,
        place,
        f"missing `;` after the clause `{before}`" if is_clause else f"missing `;` after `{before}`",
        help="every clause ends in `;`"
        if is_clause
        else "every statement and every declaration without a block ends in `;`",
    )


def comma_for_semicolon(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSING_SEMICOLON, span, "`,` stands where `;` must end what is before it", help="write `;`"
    )


def missing_comma(place: Span, before: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSING_COMMA, place, f"missing `,` after `{before}`", help="the entries of a list are separated by `,`"
    )


def semicolon_for_comma(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSING_COMMA, span, "`;` stands where `,` must separate the entries of a list", help="write `,`"
    )


def wrong_equals(span: Span, correct: str, form: str | None) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_EQUALS, span, f"`{span.text}` stands where `{correct}` must", help=_write(correct, form)
    )


def _write(sign: str, form: str | None) -> str:
    """Advice to write a sign, with an example where it has the sign in it."""
    return f"write `{sign}`, as in `{form}`" if form and sign in form else f"write `{sign}`"


def assigns_in_condition(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_EQUALS, span, "`=` stands inside an expression, where only `==` compares", help="write `==`"
    )


def compares_in_assignment(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_EQUALS, span, "`==` compares, but here a value must be given by `=`", help="write `=`"
    )


def wrong_arrow(span: Span, correct: str, form: str | None) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_ARROW, span, f"`{span.text}` stands where `{correct}` must", help=_write(correct, form)
    )


def chained_comparison(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.CHAINED_COMPARISON,
        span,
        f"`{span.text}` continues a comparison, and comparisons are not chained",
        help="write `a < b and b < c`; to compare a truth value, put the first comparison in parentheses",
    )


def negation_as_operand(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.PARENTHESES_NEEDED, span, "`not` binds more loosely than the operator before it", help="write `(not x)`"
    )


def union_as_operand(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.PARENTHESES_NEEDED,
        span,
        "`|` joins types, and here it stands in the middle of an expression",
        help="put a union of types in parentheses; the logical operator is `or`",
    )


def missing_else(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.MISSING_ELSE,
        span,
        "the `if` is a value here and has no `else`",
        label="`else` is missing before this",
        help="write `if c then a else b`",
    )


def text_in_quotes(span: Span) -> Diagnostic:
    name = span.text.strip('"')
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        "a text in quotes is not a value: only an import has one",
        help=f"a symbol is written without quotes: `{name}`" if name.isidentifier() else None,
    )


def one_name_in_claim(span: Span, verb: str, is_kind: bool) -> Diagnostic:
    """`is_kind` is whether the one name is that of a kind of claim, so that the system is missing."""
    example = (
        f"{verb} {span.text} noisy" if is_kind else f"{verb} {'privacy' if verb == 'check' else 'epsilon'} {span.text}"
    )
    return Diagnostic.at(
        codes.UNEXPECTED,
        span,
        f"the claim names no {'system' if is_kind else 'kind'}",
        help=f"write the kind of claim, then the system: `{example} {{ .. }}`",
    )


def clause_sign(span: Span, keyword: str, form: str | None) -> Diagnostic:
    own_form = form if form and form.startswith(keyword) else f"{keyword} e;"
    return Diagnostic.at(
        codes.UNEXPECTED, span, f"the clause `{keyword}` takes no `{span.text}`", help=f"write `{own_form}`"
    )
