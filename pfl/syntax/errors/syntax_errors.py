"""Diagnostics of parsing; those of single tokens are in `token_errors`."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.syntax.spelling import did_you_mean


def _at(span: Span, label: str = "") -> tuple[Label, ...]:
    return (Label(span, label),)


# --- what the parser cannot go on with --------------------------------------------


def unexpected(span: Span, found: str, expected: str, form: str | None, *, is_reserved: bool = False) -> Diagnostic:
    """`form` is an example of what is being written; `is_reserved` a hint that the word found cannot be a name."""
    hints = [f"for example `{form}`"] if form else []
    if is_reserved:
        hints.append(f"{found} is a reserved word")
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"expected {expected}, found {found}",
        labels=_at(span),
        help="; ".join(hints) or None,
    )


def not_a_declaration(span: Span, above: Span | None, advice: str | None) -> Diagnostic:
    """`above` is the closing brace of the declaration before, if one closes there."""
    labels = _at(span, "a declaration should begin here")
    return Diagnostic(
        code=codes.NOT_A_DECLARATION,
        message=f"`{span.text}` begins no declaration",
        labels=(*labels, Label(above, "the declaration above ends here")) if above else labels,
        help=advice
        or "declarations begin with a word such as `const`, `fn`, `hmm`, `mechanism`, `automaton` or `check`",
    )


def misspelt_word(span: Span, guess: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSPELT_WORD,
        message=f"`{span.text}` is not a word of the language",
        labels=_at(span),
        help=did_you_mean(span.text, guess),
    )


def misspelt_clause(span: Span, guess: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSPELT_WORD,
        message=f"no clause begins with `{span.text}`",
        labels=_at(span),
        help=did_you_mean(span.text, guess),
    )


def reserved_word(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.RESERVED_WORD,
        message=f"`{span.text}` is a reserved word and cannot be a name",
        labels=_at(span),
        help=f"choose another name, such as `{span.text}_`",
    )


def unclosed_block(opened: Span, noticed: Span | None) -> Diagnostic:
    """`opened` is the brace; `noticed` the token where it is clear that the block must be over, None at the end."""
    line = opened.file.line(opened.line)[: opened.column].strip()
    head = line if len(line) <= 60 else f"{line[:57]}..."
    return Diagnostic(
        code=codes.UNCLOSED_BLOCK,
        message=f"the block `{head}` on line {opened.line} is never closed",
        labels=(Label(opened, "opened here"), _noticed(opened, noticed)),
        help="add `}` where the block ends",
    )


def unclosed_bracket(opened: Span, noticed: Span | None) -> Diagnostic:
    closer = {"(": ")", "[": "]", "{": "}"}[opened.text]
    return Diagnostic(
        code=codes.UNCLOSED_BRACKET,
        message=f"the bracket `{opened.text}` is not closed",
        labels=(Label(opened, "opened here"), _noticed(opened, noticed)),
        help=f"add `{closer}`",
    )


def _noticed(opened: Span, noticed: Span | None) -> Label:
    if noticed is not None:
        return Label(noticed, "and still open here")
    file = opened.file
    end = len(file.text.rstrip())
    return Label(Span(file, end, end), "and still open at the end of the file")


def stray_bracket(span: Span, above: Span | None = None) -> Diagnostic:
    return Diagnostic(
        code=codes.STRAY_BRACKET,
        message=f"`{span.text}` closes nothing",
        labels=(*_at(span), *(() if above is None else _at(above, "the declaration above ends here"))),
        help="remove it, or add the opening bracket",
    )


def stray_semicolon(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.STRAY_SEMICOLON,
        message="this `;` ends nothing",
        labels=_at(span),
        help="remove it: a block `{ .. }` is not followed by `;`",
    )


def missing_semicolon(place: Span, before: str, *, is_clause: bool = False) -> Diagnostic:
    """`before` is the text before the place, the whole of it where it is a clause of a claim."""
    return Diagnostic(
        code=codes.MISSING_SEMICOLON,
        message=f"missing `;` after the clause `{before}`" if is_clause else f"missing `;` after `{before}`",
        labels=_at(place),
        help="every clause ends in `;`"
        if is_clause
        else "every statement and every declaration without a block ends in `;`",
    )


def comma_for_semicolon(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSING_SEMICOLON,
        message="`,` stands where `;` must end what is before it",
        labels=_at(span),
        help="write `;`",
    )


def missing_comma(place: Span, before: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSING_COMMA,
        message=f"missing `,` after `{before}`",
        labels=_at(place),
        help="the entries of a list are separated by `,`",
    )


def semicolon_for_comma(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSING_COMMA,
        message="`;` stands where `,` must separate the entries of a list",
        labels=_at(span),
        help="write `,`",
    )


def wrong_equals(span: Span, correct: str, form: str | None) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_EQUALS,
        message=f"`{span.text}` stands where `{correct}` must",
        labels=_at(span),
        help=_write(correct, form),
    )


def _write(sign: str, form: str | None) -> str:
    """Advice to write a sign, with an example where it has the sign in it."""
    return f"write `{sign}`, as in `{form}`" if form and sign in form else f"write `{sign}`"


def assigns_in_condition(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_EQUALS,
        message="`=` stands inside an expression, where only `==` compares",
        labels=_at(span),
        help="write `==`",
    )


def compares_in_assignment(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_EQUALS,
        message="`==` compares, but here a value must be given by `=`",
        labels=_at(span),
        help="write `=`",
    )


def wrong_arrow(span: Span, correct: str, form: str | None) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_ARROW,
        message=f"`{span.text}` stands where `{correct}` must",
        labels=_at(span),
        help=_write(correct, form),
    )


def chained_comparison(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.CHAINED_COMPARISON,
        message=f"`{span.text}` continues a comparison, and comparisons are not chained",
        labels=_at(span),
        help="write `a < b and b < c`; to compare a truth value, put the first comparison in parentheses",
    )


def negation_as_operand(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.PARENTHESES_NEEDED,
        message="`not` binds more loosely than the operator before it",
        labels=_at(span),
        help="write `(not x)`",
    )


def union_as_operand(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.PARENTHESES_NEEDED,
        message="`|` joins types, and here it stands in the middle of an expression",
        labels=_at(span),
        help="put a union of types in parentheses; the logical operator is `or`",
    )


def missing_else(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.MISSING_ELSE,
        message="the `if` is a value here and has no `else`",
        labels=_at(span, "`else` is missing before this"),
        help="write `if c then a else b`",
    )


def text_in_quotes(span: Span) -> Diagnostic:
    name = span.text.strip('"')
    return Diagnostic(
        code=codes.UNEXPECTED,
        message="a text in quotes is not a value: only an import has one",
        labels=_at(span),
        help=f"a symbol is written without quotes: `{name}`" if name.isidentifier() else None,
    )


def one_name_in_claim(span: Span, verb: str, is_kind: bool) -> Diagnostic:
    """`is_kind` is whether the one name is that of a kind of claim, so that the system is missing."""
    example = (
        f"{verb} {span.text} noisy" if is_kind else f"{verb} {'privacy' if verb == 'check' else 'epsilon'} {span.text}"
    )
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"the claim names no {'system' if is_kind else 'kind'}",
        labels=_at(span),
        help=f"write the kind of claim, then the system: `{example} {{ .. }}`",
    )


def clause_sign(span: Span, keyword: str, form: str | None) -> Diagnostic:
    own_form = form if form and form.startswith(keyword) else f"{keyword} e;"
    return Diagnostic(
        code=codes.UNEXPECTED,
        message=f"the clause `{keyword}` takes no `{span.text}`",
        labels=_at(span),
        help=f"write `{own_form}`",
    )
