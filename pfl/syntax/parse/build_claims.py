"""Builds the claims of the syntax tree; see `build_expressions` for how builders work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pfl.base import codes
from pfl.base.source import Span
from pfl.syntax.parse.build_expressions import identifier, text
from pfl.syntax.parse.lr_parser import Builder, SyntaxFault, Token
from pfl.syntax.tree import ast, ast_module
from pfl.syntax.tree.ast import Expr, Identifier


class Subject(NamedTuple):
    """`privacy noisy_max`: the kind of a claim, and the system it is about."""

    kind: Identifier
    system: ast_module.SystemRef


class Compared(NamedTuple):
    """`of slots(2, 1)`, `by near`."""

    word: Literal["of", "by"]
    system: ast_module.SystemRef


class NamedTarget(NamedTuple):
    """What follows `such that` where it is the name of a claim."""

    name: Identifier
    clauses: tuple[ast_module.Clause, ...]


def claim_label(span: Span, name: Token) -> Identifier:
    return identifier(span, name)


def claim_subject(span: Span, kind: Token, system: Token, arguments: tuple[Expr, ...] | None) -> Subject:
    reference = ast_module.SystemRef(
        span=Span(span.file, system.start, span.end), name=identifier(span, system), arguments=arguments
    )
    return Subject(identifier(span, kind), reference)


def long_claim_subject(
    span: Span, first: Token, second: Token, system: Token, arguments: tuple[Expr, ...] | None
) -> Subject:
    kind = Identifier(span=Span(span.file, first.start, second.end), text=f"{first.text} {second.text}")
    return Subject(kind, claim_subject(span, first, system, arguments).system)


def compared_system(_span: Span, word: Literal["of", "by"], system: ast_module.SystemRef) -> Compared:
    return Compared(word, system)


def specification(span: Span, value: Expr) -> ast_module.Clause:
    return _clause(span, "equals", value)


def clauses(_span: Span, *found: ast_module.Clause) -> tuple[ast_module.Clause, ...]:
    return found


def _claim(
    span: Span,
    verb: Literal["check", "compute"],
    label: Identifier | None,
    subject: Subject,
    middle: Compared | ast_module.Clause | None,
    found: tuple[ast_module.Clause, ...],
) -> ast_module.ClaimDecl:
    word, relation = None, None
    if isinstance(middle, Compared):
        word, relation = middle
    elif middle is not None:
        found = (middle, *found)
    return ast_module.ClaimDecl(
        span=span,
        verb=verb,
        label=label,
        kind=subject.kind,
        system=subject.system,
        relation=relation,
        relation_word=word,
        clauses=found,
    )


def find_claim(
    span: Span, subject: Subject, middle: Compared | ast_module.Clause | None, found: tuple[ast_module.Clause, ...]
) -> ast_module.ClaimDecl:
    return _claim(span, "check", None, subject, middle, found)


def find_name(span: Span, name: Token, found: tuple[ast_module.Clause, ...]) -> NamedTarget:
    return NamedTarget(identifier(span, name), found)


def find_decl(span: Span, label: Identifier | None, *names_and_target: Any) -> ast_module.FindDecl:
    *names, target = names_and_target
    found: tuple[ast_module.Clause, ...] = ()
    if isinstance(target, NamedTarget):
        target, found = target
    return ast_module.FindDecl(
        span=span,
        label=label,
        names=tuple(identifier(span, name) for name in names),
        target=target,
        clauses=found,
    )


# --- clauses ---------------------------------------------------------------------


def _clause(span: Span, keyword: str, value: ast_module.ClauseValue) -> ast_module.Clause:
    """A clause whose keyword, in one spelling, is the first thing in its span."""
    return ast_module.Clause(
        span=span,
        keyword=Identifier(span=Span(span.file, span.start, span.start + len(keyword)), text=keyword),
        value=value,
    )


def prior_clause(span: Span, value: Expr) -> ast_module.Clause:
    return _clause(span, "prior", value)


def for_clause(span: Span, variable: Token, domain: Expr) -> ast_module.Clause:
    bound = ast_module.ForBinding(
        span=Span(span.file, variable.start, domain.span.end), variable=identifier(span, variable), domain=domain
    )
    return _clause(span, "for", bound)


def secrets_clause(span: Span, left: Expr, right: Expr) -> ast_module.Clause:
    return _clause(span, "secrets", ast_module.Versus(span=left.span.to(right.span), left=left, right=right))


def between_clause(span: Span, left: Expr, right: Expr) -> ast_module.Clause:
    return _clause(span, "between", ast_module.Versus(span=left.span.to(right.span), left=left, right=right))


def received_clause(span: Span, relation: Expr, limit: Expr | None) -> ast_module.Clause:
    whole = relation.span if limit is None else relation.span.to(limit.span)
    return _clause(span, "received", ast_module.Received(span=whole, relation=relation, limit=limit))


def returns_clause(span: Span, value: Expr, condition: Expr | None) -> ast_module.Clause:
    if condition is None:
        return _clause(span, "returns", value)
    if not isinstance(value, ast.Name):
        raise SyntaxFault(
            codes.VARIABLE_EXPECTED,
            value.span,
            "what stands before `where` is not a name",
            "write `returns r where condition;`: `r` stands for the result",
        )
    filtered = ast_module.Filtered(
        span=value.span.to(condition.span),
        variable=Identifier(span=value.span, text=value.text),
        condition=condition,
    )
    return _clause(span, "returns", filtered)


def observations_clause(span: Span, *values: Expr) -> ast_module.Clause:
    whole = values[0].span.to(values[-1].span)
    return _clause(span, "observations", ast_module.Observations(span=whole, values=values))


def one_way_clause(span: Span) -> ast_module.Clause:
    keyword = Identifier(span=Span(span.file, span.start, span.start + len(span.text[:-1].rstrip())), text="one way")
    return ast_module.Clause(span=span, keyword=keyword, value=None)


def limit_clause(span: Span, word: Token, value: Expr) -> ast_module.Clause:
    keyword = Identifier(span=Span(span.file, span.start, word.end), text=f"at {word.text}")
    return ast_module.Clause(span=span, keyword=keyword, value=value)


def clause(span: Span, keyword: Token, value: Expr | None) -> ast_module.Clause:
    return ast_module.Clause(span=span, keyword=identifier(span, keyword), value=value)


def limit_word(_span: Span, word: Token) -> Token:
    return word


BUILDERS: Mapping[str, Builder] = {
    "claim_decl": _claim,
    "claim_verb": text,
    "claim_label": claim_label,
    "claim_subject": claim_subject,
    "long_claim_subject": long_claim_subject,
    "compared_system": compared_system,
    "compared_word": text,
    "specification": specification,
    "no_clauses": clauses,
    "clauses": clauses,
    "find_decl": find_decl,
    "find_claim": find_claim,
    "find_name": find_name,
    "prior_clause": prior_clause,
    "for_clause": for_clause,
    "secrets_clause": secrets_clause,
    "between_clause": between_clause,
    "received_clause": received_clause,
    "returns_clause": returns_clause,
    "observations_clause": observations_clause,
    "one_way_clause": one_way_clause,
    "limit_clause": limit_clause,
    "limit_word": limit_word,
    "clause": clause,
}
