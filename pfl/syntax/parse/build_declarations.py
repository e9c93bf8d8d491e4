"""Builds the declarations of the syntax tree, hmms and automata included; see `build_expressions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pfl.base import codes
from pfl.base.source import Span
from pfl.syntax.parse.build_expressions import identifier, text
from pfl.syntax.parse.lr_parser import Builder, SyntaxFault, Token
from pfl.syntax.tree import ast, ast_statements
from pfl.syntax.tree import ast_declarations as ast_globals
from pfl.syntax.tree import ast_declarations as ast_systems
from pfl.syntax.tree import ast_module as ast_claims
from pfl.syntax.tree.ast import Expr, Identifier


def _identifiers(span: Span, tokens: tuple[Token, ...]) -> tuple[Identifier, ...]:
    return tuple(identifier(span, token) for token in tokens)


# --- small declarations --------------------------------------------------------


def import_decl(
    span: Span, source: str | Token, names: tuple[ast_globals.ImportedName, ...] | None
) -> ast_globals.Import:
    is_file = isinstance(source, Token)
    path = source.text[1:-1] if isinstance(source, Token) else source
    return ast_globals.Import(span=span, path=path, is_file=is_file, names=names)


def library_path(_span: Span, *parts: Token) -> str:
    return ".".join(part.text for part in parts)


def imported_names(_span: Span, *names: ast_globals.ImportedName) -> tuple[ast_globals.ImportedName, ...]:
    return names


def imported_name(span: Span, name: Token, alias: Token | None) -> ast_globals.ImportedName:
    return ast_globals.ImportedName(span=span, name=identifier(span, name), alias=alias and identifier(span, alias))


def const_decl(span: Span, name: Token, type_: Expr | None, value: Expr) -> ast_globals.Const:
    return ast_globals.Const(span=span, name=identifier(span, name), type=type_, value=value)


def param_decl(span: Span, name: Token, opening: str, low: Expr, high: Expr, closing: str) -> ast_globals.Param:
    return ast_globals.Param(
        span=span,
        name=identifier(span, name),
        low=low,
        high=high,
        low_open=opening == "(",
        high_open=closing == ")",
    )


def assume_decl(span: Span, condition: Expr) -> ast_globals.Assume:
    return ast_globals.Assume(span=span, condition=condition)


def enum_decl(span: Span, name: Token, *values: Token) -> ast_globals.EnumDecl:
    return ast_globals.EnumDecl(span=span, name=identifier(span, name), values=_identifiers(span, values))


def type_decl(span: Span, name: Token, type_: Expr) -> ast_globals.TypeDecl:
    return ast_globals.TypeDecl(span=span, name=identifier(span, name), type=type_)


def record_decl(span: Span, name: Token, *fields: ast_globals.Parameter) -> ast_globals.RecordDecl:
    return ast_globals.RecordDecl(span=span, name=identifier(span, name), fields=fields)


def fn_decl(
    span: Span, name: Token, parameters: tuple[ast_globals.Parameter, ...], result: Expr | None, body: Expr
) -> ast_globals.FnDecl:
    return ast_globals.FnDecl(span=span, name=identifier(span, name), parameters=parameters, result=result, body=body)


def dist_decl(
    span: Span, name: Token, parameters: tuple[ast_globals.Parameter, ...], over: Expr | None, body: Expr
) -> ast_globals.DistDecl:
    return ast_globals.DistDecl(span=span, name=identifier(span, name), parameters=parameters, over=over, body=body)


def parameters(_span: Span, *found: ast_globals.Parameter) -> tuple[ast_globals.Parameter, ...]:
    return found


def parameter(span: Span, name: Token, type_: Expr) -> ast_globals.Parameter:
    return ast_globals.Parameter(span=span, name=identifier(span, name), type=type_)


def const_parameter(span: Span, name: Token, type_: Expr) -> ast_globals.Parameter:
    return ast_globals.Parameter(span=span, name=identifier(span, name), type=type_, is_const=True)


def system(span: Span, name: Token, arguments: tuple[Expr, ...] | None) -> ast_claims.SystemRef:
    return ast_claims.SystemRef(span=span, name=identifier(span, name), arguments=arguments)


def system_arguments(_span: Span, *arguments: Expr) -> tuple[Expr, ...]:
    return arguments


def prior_decl(
    span: Span,
    name: Token,
    found: tuple[ast_globals.Parameter, ...] | None,
    target: ast_claims.SystemRef,
    body: tuple[ast_statements.Statement, ...],
) -> ast_systems.PriorDecl:
    return ast_systems.PriorDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        body=body,
    )


def adjacency_decl(
    span: Span, name: Token, found: tuple[ast_globals.Parameter, ...], body: Expr
) -> ast_systems.AdjacencyDecl:
    return ast_systems.AdjacencyDecl(span=span, name=identifier(span, name), parameters=found, body=body)


def mechanism_decl(
    span: Span,
    name: Token,
    found: tuple[ast_globals.Parameter, ...] | None,
    emits: Expr | None,
    result: Expr | None,
    body: tuple[ast_statements.Statement, ...],
) -> ast_systems.MechanismDecl:
    return ast_systems.MechanismDecl(
        span=span, name=identifier(span, name), parameters=found or (), emits=emits, result=result, body=body
    )


def relation_decl(
    span: Span,
    name: Token,
    found: tuple[ast_globals.Parameter, ...] | None,
    target: ast_claims.SystemRef,
    *clauses: ast_systems.RelationClause,
) -> ast_systems.RelationDecl:
    return ast_systems.RelationDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        clauses=clauses,
    )


def relation_clause(span: Span, kind: Token, value: Expr) -> ast_systems.RelationClause:
    return ast_systems.RelationClause(span=span, kind=identifier(span, kind), value=value)


# --- hmm -------------------------------------------------------------------------


def hmm_decl(
    span: Span, name: Token, found: tuple[ast_globals.Parameter, ...] | None, *items: ast_systems.HmmItem
) -> ast_systems.HmmDecl:
    return ast_systems.HmmDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def state_variable(span: Span, name: Token, type_: Expr, initial: Expr | None) -> ast_systems.StateVariable:
    return ast_systems.StateVariable(span=span, name=identifier(span, name), type=type_, initial=initial)


def states(span: Span, *names: Token) -> ast_systems.States:
    return ast_systems.States(span=span, names=_identifiers(span, names))


def letters(span: Span, type_: Expr) -> ast_systems.Letters:
    return ast_systems.Letters(span=span, type=type_)


def emit_clause(span: Span, value: Expr) -> ast_systems.EmitClause:
    return ast_systems.EmitClause(span=span, value=value)


def init_block(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_systems.Update:
    return ast_systems.Update(span=span, when="init", body=body, is_block=True)


def init_line(span: Span, line: ast_statements.Assign) -> ast_systems.Update:
    return ast_systems.Update(span=span, when="init", body=(line,), is_block=False)


def step_block(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_systems.Update:
    return ast_systems.Update(span=span, when="step", body=body, is_block=True)


def step_line(span: Span, line: ast_statements.Assign) -> ast_systems.Update:
    return ast_systems.Update(span=span, when="step", body=(line,), is_block=False)


def init_row(span: Span, *entries: ast_systems.DistributionEntryRow) -> ast_systems.Row:
    return ast_systems.Row(span=span, kind="init", source=None, entries=entries)


def step_row(span: Span, source: Token, *entries: ast_systems.DistributionEntryRow) -> ast_systems.Row:
    return ast_systems.Row(span=span, kind="step", source=identifier(span, source), entries=entries)


def emits_row(span: Span, source: Token, *entries: ast_systems.DistributionEntryRow) -> ast_systems.Row:
    return ast_systems.Row(span=span, kind="emits", source=identifier(span, source), entries=entries)


def init_entry(span: Span, state: Token, weight: Expr | None) -> ast_systems.DistributionEntryRow:
    key = ast.Name(span=Span(span.file, state.start, state.end), text=state.text)
    return ast_systems.DistributionEntryRow(span=span, key=key, weight=weight)


def row_entry(span: Span, key: Expr, weight: Expr | None) -> ast_systems.DistributionEntryRow:
    return ast_systems.DistributionEntryRow(span=span, key=key, weight=weight)


def token(_span: Span, found: Token) -> Token:
    return found


# --- automaton -------------------------------------------------------------------


def automaton_decl(
    span: Span, name: Token, found: tuple[ast_globals.Parameter, ...] | None, *items: ast_systems.AutomatonItem
) -> ast_systems.AutomatonDecl:
    # `output yes;` names an action in a table, and a type among handlers.
    if any(isinstance(item, ast_systems.States) for item in items):
        items = tuple(_action(item) for item in items)
    return ast_systems.AutomatonDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def _action(item: ast_systems.AutomatonItem) -> ast_systems.AutomatonItem:
    match item:
        case ast_systems.Letters(type=ast.Name() as only):
            return ast_systems.Actions(
                span=item.span, kind="output", names=(Identifier(span=only.span, text=only.text),)
            )
        case _:
            return item


def channel(span: Span, kind: Any, name: Token, type_: Expr) -> ast_systems.Channel:
    return ast_systems.Channel(span=span, kind=kind, name=identifier(span, name), type=type_)


def channels(span: Span, kind: Any, *names: Token) -> list[ast_systems.Channel]:
    return [ast_systems.Channel(span=span, kind=kind, name=identifier(span, name), type=None) for name in names]


def output(span: Span, *types: Expr) -> ast_systems.Letters | ast_systems.Actions:
    if len(types) == 1:
        return ast_systems.Letters(span=span, type=types[0])
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
    return ast_systems.Actions(span=span, kind="output", names=tuple(names))


def hidden(span: Span, *names: Token) -> ast_systems.Actions:
    return ast_systems.Actions(span=span, kind="hidden", names=_identifiers(span, names))


def start_state(span: Span, value: Expr) -> ast_systems.StartState:
    return ast_systems.StartState(span=span, value=value)


def handler(span: Span, kind: Any, name: Token, body: tuple[ast_statements.Statement, ...]) -> ast_systems.Handler:
    return ast_systems.Handler(span=span, kind=kind, channel=identifier(span, name), body=body)


def transition(span: Span, source: Token, action: Token, target: Expr) -> ast_systems.TableTransition:
    return ast_systems.TableTransition(
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
