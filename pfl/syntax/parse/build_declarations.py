"""Builds the declarations of the syntax tree, hmms and automata included; see `build_expressions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pfl.base import codes
from pfl.base.source import Span
from pfl.syntax.parse.build_expressions import identifier, text
from pfl.syntax.parse.lr_parser import Builder, SyntaxFault, Token
from pfl.syntax.tree import ast, ast_declarations, ast_module, ast_statements
from pfl.syntax.tree.ast import Expr, Identifier, Name


def _identifiers(span: Span, tokens: tuple[Token, ...]) -> tuple[Identifier, ...]:
    return tuple(identifier(span, token) for token in tokens)


# --- small declarations --------------------------------------------------------


def import_decl(
    span: Span, source: str | Token, names: tuple[ast_declarations.ImportedName, ...] | None
) -> ast_declarations.Import:
    is_file = isinstance(source, Token)
    path = source.text[1:-1] if isinstance(source, Token) else source
    return ast_declarations.Import(span=span, path=path, is_file=is_file, names=names)


def library_path(_span: Span, *parts: Token) -> str:
    return ".".join(part.text for part in parts)


def imported_names(_span: Span, *names: ast_declarations.ImportedName) -> tuple[ast_declarations.ImportedName, ...]:
    return names


def imported_name(span: Span, name: Token, alias: Token | None) -> ast_declarations.ImportedName:
    return ast_declarations.ImportedName(
        span=span, name=identifier(span, name), alias=alias and identifier(span, alias)
    )


def const_decl(span: Span, name: Token, type_: Expr | None, value: Expr) -> ast_declarations.Const:
    return ast_declarations.Const(span=span, name=identifier(span, name), type=type_, value=value)


def param_decl(span: Span, name: Token, opening: str, low: Expr, high: Expr, closing: str) -> ast_declarations.Param:
    return ast_declarations.Param(
        span=span,
        name=identifier(span, name),
        low=low,
        high=None if isinstance(high, Name) and high.text == "inf" else high,
        low_open=opening == "(",
        high_open=closing == ")",
    )


def assume_decl(span: Span, condition: Expr) -> ast_declarations.Assume:
    return ast_declarations.Assume(span=span, condition=condition)


def enum_decl(span: Span, name: Token, *values: Token) -> ast_declarations.EnumDecl:
    return ast_declarations.EnumDecl(span=span, name=identifier(span, name), values=_identifiers(span, values))


def type_decl(span: Span, name: Token, type_: Expr) -> ast_declarations.TypeDecl:
    return ast_declarations.TypeDecl(span=span, name=identifier(span, name), type=type_)


def record_decl(span: Span, name: Token, *fields: ast_declarations.Parameter) -> ast_declarations.RecordDecl:
    return ast_declarations.RecordDecl(span=span, name=identifier(span, name), fields=fields)


def fn_decl(
    span: Span, name: Token, parameters: tuple[ast_declarations.Parameter, ...], result: Expr | None, body: Expr
) -> ast_declarations.FnDecl:
    return ast_declarations.FnDecl(
        span=span, name=identifier(span, name), parameters=parameters, result=result, body=body
    )


def dist_decl(
    span: Span, name: Token, parameters: tuple[ast_declarations.Parameter, ...], over: Expr | None, body: Expr
) -> ast_declarations.DistDecl:
    return ast_declarations.DistDecl(
        span=span, name=identifier(span, name), parameters=parameters, over=over, body=body
    )


def parameters(_span: Span, *found: ast_declarations.Parameter) -> tuple[ast_declarations.Parameter, ...]:
    return found


def parameter(span: Span, name: Token, type_: Expr) -> ast_declarations.Parameter:
    return ast_declarations.Parameter(span=span, name=identifier(span, name), type=type_)


def const_parameter(span: Span, name: Token, type_: Expr) -> ast_declarations.Parameter:
    return ast_declarations.Parameter(span=span, name=identifier(span, name), type=type_, is_const=True)


def system(span: Span, name: Token, arguments: tuple[Expr, ...] | None) -> ast_module.SystemRef:
    return ast_module.SystemRef(span=span, name=identifier(span, name), arguments=arguments)


def system_arguments(_span: Span, *arguments: Expr) -> tuple[Expr, ...]:
    return arguments


def prior_decl(
    span: Span,
    name: Token,
    found: tuple[ast_declarations.Parameter, ...] | None,
    target: ast_module.SystemRef,
    body: tuple[ast_statements.Statement, ...],
) -> ast_declarations.PriorDecl:
    return ast_declarations.PriorDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        body=body,
    )


def adjacency_decl(
    span: Span, name: Token, found: tuple[ast_declarations.Parameter, ...], body: Expr
) -> ast_declarations.AdjacencyDecl:
    return ast_declarations.AdjacencyDecl(span=span, name=identifier(span, name), parameters=found, body=body)


def mechanism_decl(
    span: Span,
    name: Token,
    found: tuple[ast_declarations.Parameter, ...] | None,
    emits: Expr | None,
    result: Expr | None,
    body: tuple[ast_statements.Statement, ...],
) -> ast_declarations.MechanismDecl:
    return ast_declarations.MechanismDecl(
        span=span, name=identifier(span, name), parameters=found or (), emits=emits, result=result, body=body
    )


def relation_decl(
    span: Span,
    name: Token,
    found: tuple[ast_declarations.Parameter, ...] | None,
    target: ast_module.SystemRef,
    *clauses: ast_declarations.RelationClause,
) -> ast_declarations.RelationDecl:
    return ast_declarations.RelationDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        clauses=clauses,
    )


def relation_clause(span: Span, kind: Token, value: Expr) -> ast_declarations.RelationClause:
    return ast_declarations.RelationClause(span=span, kind=identifier(span, kind), value=value)


# --- hmm -------------------------------------------------------------------------


def hmm_decl(
    span: Span, name: Token, found: tuple[ast_declarations.Parameter, ...] | None, *items: ast_declarations.HmmItem
) -> ast_declarations.HmmDecl:
    return ast_declarations.HmmDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def state_variable(span: Span, name: Token, type_: Expr, initial: Expr | None) -> ast_declarations.StateVariable:
    return ast_declarations.StateVariable(span=span, name=identifier(span, name), type=type_, initial=initial)


def states(span: Span, *names: Token) -> ast_declarations.States:
    return ast_declarations.States(span=span, names=_identifiers(span, names))


def letters(span: Span, type_: Expr) -> ast_declarations.Letters:
    return ast_declarations.Letters(span=span, type=type_)


def emit_clause(span: Span, value: Expr) -> ast_declarations.EmitClause:
    return ast_declarations.EmitClause(span=span, value=value)


def init_block(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_declarations.Update:
    return ast_declarations.Update(span=span, when="init", body=body, is_block=True)


def init_line(span: Span, line: ast_statements.Assign) -> ast_declarations.Update:
    return ast_declarations.Update(span=span, when="init", body=(line,), is_block=False)


def step_block(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_declarations.Update:
    return ast_declarations.Update(span=span, when="step", body=body, is_block=True)


def step_line(span: Span, line: ast_statements.Assign) -> ast_declarations.Update:
    return ast_declarations.Update(span=span, when="step", body=(line,), is_block=False)


def init_row(span: Span, *entries: ast_declarations.DistributionEntryRow) -> ast_declarations.Row:
    return ast_declarations.Row(span=span, kind="init", source=None, entries=entries)


def step_row(span: Span, source: Token, *entries: ast_declarations.DistributionEntryRow) -> ast_declarations.Row:
    return ast_declarations.Row(span=span, kind="step", source=identifier(span, source), entries=entries)


def emits_row(span: Span, source: Token, *entries: ast_declarations.DistributionEntryRow) -> ast_declarations.Row:
    return ast_declarations.Row(span=span, kind="emits", source=identifier(span, source), entries=entries)


def init_entry(span: Span, state: Token, weight: Expr | None) -> ast_declarations.DistributionEntryRow:
    key = ast.Name(span=Span(span.file, state.start, state.end), text=state.text)
    return ast_declarations.DistributionEntryRow(span=span, key=key, weight=weight)


def row_entry(span: Span, key: Expr, weight: Expr | None) -> ast_declarations.DistributionEntryRow:
    return ast_declarations.DistributionEntryRow(span=span, key=key, weight=weight)


def token(_span: Span, found: Token) -> Token:
    return found


# --- automaton -------------------------------------------------------------------


def automaton_decl(
    span: Span,
    name: Token,
    found: tuple[ast_declarations.Parameter, ...] | None,
    *items: ast_declarations.AutomatonItem,
) -> ast_declarations.AutomatonDecl:
    # `output yes;` names an action in a table, and a type among handlers.
    if any(isinstance(item, ast_declarations.States) for item in items):
        items = tuple(_action(item) for item in items)
    return ast_declarations.AutomatonDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def _action(item: ast_declarations.AutomatonItem) -> ast_declarations.AutomatonItem:
    match item:
        case ast_declarations.Letters(type=ast.Name() as only):
            return ast_declarations.Actions(
                span=item.span, kind="output", names=(Identifier(span=only.span, text=only.text),)
            )
        case _:
            return item


def channel(span: Span, kind: Any, name: Token, type_: Expr) -> ast_declarations.Channel:
    return ast_declarations.Channel(span=span, kind=kind, name=identifier(span, name), type=type_)


def channels(span: Span, kind: Any, *names: Token) -> list[ast_declarations.Channel]:
    return [ast_declarations.Channel(span=span, kind=kind, name=identifier(span, name), type=None) for name in names]


def output(span: Span, *types: Expr) -> ast_declarations.Letters | ast_declarations.Actions:
    if len(types) == 1:
        return ast_declarations.Letters(span=span, type=types[0])
    names = [Identifier(span=type_.span, text=type_.text) for type_ in types if isinstance(type_, ast.Name)]
    if len(names) < len(types):
        others = [type_.span for type_ in types if not isinstance(type_, ast.Name)]
        listed = ["{" + ", ".join(name.text for name in names) + "}"] if names else []
        one_type = " | ".join([*listed, *(other.text for other in others)])
        raise SyntaxFault(
            codes.OUTPUT_LIST,
            others[0],
            "an `output` line is one type, or a list of names",
            f"write `output {one_type};`; only the actions of a table are listed, `output yes, no;`",
            "this is not a name",
        )
    return ast_declarations.Actions(span=span, kind="output", names=tuple(names))


def hidden(span: Span, *names: Token) -> ast_declarations.Actions:
    return ast_declarations.Actions(span=span, kind="hidden", names=_identifiers(span, names))


def start_state(span: Span, value: Expr) -> ast_declarations.StartState:
    return ast_declarations.StartState(span=span, value=value)


def handler(span: Span, kind: Any, name: Token, body: tuple[ast_statements.Statement, ...]) -> ast_declarations.Handler:
    return ast_declarations.Handler(span=span, kind=kind, channel=identifier(span, name), body=body)


def transition(span: Span, source: Token, action: Token, target: Expr) -> ast_declarations.TableTransition:
    return ast_declarations.TableTransition(
        span=span, source=identifier(span, source), action=identifier(span, action), target=target
    )


BUILDERS: Mapping[str, Builder] = {
    "import_decl": import_decl,
    "library_path": library_path,
    "imported_names": imported_names,
    "imported_name": imported_name,
    "const_decl": const_decl,
    "param_decl": param_decl,
    "interval_start": text,
    "interval_end": text,
    "assume_decl": assume_decl,
    "enum_decl": enum_decl,
    "type_decl": type_decl,
    "record_decl": record_decl,
    "fn_decl": fn_decl,
    "dist_decl": dist_decl,
    "parameters": parameters,
    "mechanism_parameters": parameters,
    "parameter": parameter,
    "const_parameter": const_parameter,
    "system": system,
    "system_arguments": system_arguments,
    "prior_decl": prior_decl,
    "adjacency_decl": adjacency_decl,
    "mechanism_decl": mechanism_decl,
    "relation_decl": relation_decl,
    "relation_clause": relation_clause,
    "hmm_decl": hmm_decl,
    "state_variable": state_variable,
    "states": states,
    "letters": letters,
    "emit_clause": emit_clause,
    "init_block": init_block,
    "init_line": init_line,
    "init_row": init_row,
    "step_block": step_block,
    "step_line": step_line,
    "step_row": step_row,
    "emits_row": emits_row,
    "init_entry": init_entry,
    "row_entry": row_entry,
    "hmm_state": token,
    "automaton_decl": automaton_decl,
    "channel": channel,
    "channels": channels,
    "output": output,
    "hidden": hidden,
    "start_state": start_state,
    "handler": handler,
    "transition": transition,
    "channel_kind": text,
    "automaton_state": token,
}
