"""Builds the declarations of the syntax tree, hmms and automata included; see `build_expressions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pfl.base.source import Span
from pfl.frontend import ast, syntax_errors
from pfl.frontend import ast_declarations as tree
from pfl.frontend.ast import Expr, Identifier
from pfl.frontend.build_expressions import identifier, text
from pfl.frontend.lr_parser import Builder, Token


def _identifiers(span: Span, tokens: tuple[Token, ...]) -> tuple[Identifier, ...]:
    return tuple(identifier(span, token) for token in tokens)


# --- small declarations --------------------------------------------------------


def import_decl(span: Span, source: str | Token, names: tuple[tree.ImportedName, ...] | None) -> tree.Import:
    is_file = isinstance(source, Token)
    path = source.text[1:-1] if isinstance(source, Token) else source
    return tree.Import(span=span, path=path, is_file=is_file, names=names)


def library_path(_span: Span, *parts: Token) -> str:
    return ".".join(part.text for part in parts)


def imported_names(_span: Span, *names: tree.ImportedName) -> tuple[tree.ImportedName, ...]:
    return names


def imported_name(span: Span, name: Token, alias: Token | None) -> tree.ImportedName:
    return tree.ImportedName(span=span, name=identifier(span, name), alias=alias and identifier(span, alias))


def const_decl(span: Span, name: Token, type_: Expr | None, value: Expr) -> tree.Const:
    return tree.Const(span=span, name=identifier(span, name), type=type_, value=value)


def param_decl(span: Span, name: Token, opening: str, low: Expr, high: Expr, closing: str) -> tree.Param:
    return tree.Param(
        span=span,
        name=identifier(span, name),
        low=low,
        high=high,
        low_open=opening == "(",
        high_open=closing == ")",
    )


def assume_decl(span: Span, condition: Expr) -> tree.Assume:
    return tree.Assume(span=span, condition=condition)


def enum_decl(span: Span, name: Token, *values: Token) -> tree.EnumDecl:
    return tree.EnumDecl(span=span, name=identifier(span, name), values=_identifiers(span, values))


def type_decl(span: Span, name: Token, type_: Expr) -> tree.TypeDecl:
    return tree.TypeDecl(span=span, name=identifier(span, name), type=type_)


def record_decl(span: Span, name: Token, *fields: tree.Parameter) -> tree.RecordDecl:
    return tree.RecordDecl(span=span, name=identifier(span, name), fields=fields)


def fn_decl(
    span: Span, name: Token, parameters: tuple[tree.Parameter, ...], result: Expr | None, body: Expr
) -> tree.FnDecl:
    return tree.FnDecl(span=span, name=identifier(span, name), parameters=parameters, result=result, body=body)


def dist_decl(
    span: Span, name: Token, parameters: tuple[tree.Parameter, ...], over: Expr | None, body: Expr
) -> tree.DistDecl:
    return tree.DistDecl(span=span, name=identifier(span, name), parameters=parameters, over=over, body=body)


def parameters(_span: Span, *found: tree.Parameter) -> tuple[tree.Parameter, ...]:
    return found


def parameter(span: Span, name: Token, type_: Expr) -> tree.Parameter:
    return tree.Parameter(span=span, name=identifier(span, name), type=type_)


def const_parameter(span: Span, name: Token, type_: Expr) -> tree.Parameter:
    return tree.Parameter(span=span, name=identifier(span, name), type=type_, is_const=True)


def system(span: Span, name: Token, arguments: tuple[Expr, ...] | None) -> tree.SystemRef:
    return tree.SystemRef(span=span, name=identifier(span, name), arguments=arguments)


def system_arguments(_span: Span, *arguments: Expr) -> tuple[Expr, ...]:
    return arguments


def prior_decl(
    span: Span,
    name: Token,
    found: tuple[tree.Parameter, ...] | None,
    target: tree.SystemRef,
    body: tuple[tree.Statement, ...],
) -> tree.PriorDecl:
    return tree.PriorDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        body=body,
    )


def adjacency_decl(span: Span, name: Token, found: tuple[tree.Parameter, ...], body: Expr) -> tree.AdjacencyDecl:
    return tree.AdjacencyDecl(span=span, name=identifier(span, name), parameters=found, body=body)


def mechanism_decl(
    span: Span,
    name: Token,
    found: tuple[tree.Parameter, ...] | None,
    emits: Expr | None,
    result: Expr | None,
    body: tuple[tree.Statement, ...],
) -> tree.MechanismDecl:
    return tree.MechanismDecl(
        span=span, name=identifier(span, name), parameters=found or (), emits=emits, result=result, body=body
    )


def relation_decl(
    span: Span,
    name: Token,
    found: tuple[tree.Parameter, ...] | None,
    target: tree.SystemRef,
    *clauses: tree.RelationClause,
) -> tree.RelationDecl:
    return tree.RelationDecl(
        span=span,
        name=identifier(span, name),
        parameters=found or (),
        system=target.name,
        arguments=target.arguments,
        clauses=clauses,
    )


def relation_clause(span: Span, kind: Token, value: Expr) -> tree.RelationClause:
    return tree.RelationClause(span=span, kind=identifier(span, kind), value=value)


# --- hmm -------------------------------------------------------------------------


def hmm_decl(span: Span, name: Token, found: tuple[tree.Parameter, ...] | None, *items: tree.HmmItem) -> tree.HmmDecl:
    return tree.HmmDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def state_variable(span: Span, name: Token, type_: Expr, initial: Expr | None) -> tree.StateVariable:
    return tree.StateVariable(span=span, name=identifier(span, name), type=type_, initial=initial)


def states(span: Span, *names: Token) -> tree.States:
    return tree.States(span=span, names=_identifiers(span, names))


def letters(span: Span, type_: Expr) -> tree.Letters:
    return tree.Letters(span=span, type=type_)


def emit_clause(span: Span, value: Expr) -> tree.EmitClause:
    return tree.EmitClause(span=span, value=value)


def init_block(span: Span, body: tuple[tree.Statement, ...]) -> tree.Update:
    return tree.Update(span=span, when="init", body=body, is_block=True)


def init_line(span: Span, line: tree.Assign) -> tree.Update:
    return tree.Update(span=span, when="init", body=(line,), is_block=False)


def step_block(span: Span, body: tuple[tree.Statement, ...]) -> tree.Update:
    return tree.Update(span=span, when="step", body=body, is_block=True)


def step_line(span: Span, line: tree.Assign) -> tree.Update:
    return tree.Update(span=span, when="step", body=(line,), is_block=False)


def init_row(span: Span, *entries: tree.DistributionEntryRow) -> tree.Row:
    return tree.Row(span=span, kind="init", source=None, entries=entries)


def step_row(span: Span, source: Token, *entries: tree.DistributionEntryRow) -> tree.Row:
    return tree.Row(span=span, kind="step", source=identifier(span, source), entries=entries)


def emits_row(span: Span, source: Token, *entries: tree.DistributionEntryRow) -> tree.Row:
    return tree.Row(span=span, kind="emits", source=identifier(span, source), entries=entries)


def init_entry(span: Span, state: Token, weight: Expr | None) -> tree.DistributionEntryRow:
    key = ast.Name(span=Span(span.file, state.start, state.end), text=state.text)
    return tree.DistributionEntryRow(span=span, key=key, weight=weight)


def row_entry(span: Span, key: Expr, weight: Expr | None) -> tree.DistributionEntryRow:
    return tree.DistributionEntryRow(span=span, key=key, weight=weight)


def token(_span: Span, found: Token) -> Token:
    return found


# --- automaton -------------------------------------------------------------------


def automaton_decl(
    span: Span, name: Token, found: tuple[tree.Parameter, ...] | None, *items: tree.AutomatonItem
) -> tree.AutomatonDecl:
    # `output yes;` names an action in a table, and a type among handlers.
    if any(isinstance(item, tree.States) for item in items):
        items = tuple(_action(item) for item in items)
    return tree.AutomatonDecl(span=span, name=identifier(span, name), parameters=found or (), items=items)


def _action(item: tree.AutomatonItem) -> tree.AutomatonItem:
    match item:
        case tree.Letters(type=ast.Name() as only):
            return tree.Actions(span=item.span, kind="output", names=(Identifier(span=only.span, text=only.text),))
        case _:
            return item


def channel(span: Span, kind: Any, name: Token, type_: Expr) -> tree.Channel:
    return tree.Channel(span=span, kind=kind, name=identifier(span, name), type=type_)


def channels(span: Span, kind: Any, *names: Token) -> list[tree.Channel]:
    return [tree.Channel(span=span, kind=kind, name=identifier(span, name), type=None) for name in names]


def output(span: Span, *types: Expr) -> tree.Letters | tree.Actions:
    if len(types) == 1:
        return tree.Letters(span=span, type=types[0])
    names = [Identifier(span=type_.span, text=type_.text) for type_ in types if isinstance(type_, ast.Name)]
    if len(names) < len(types):
        other = next(type_ for type_ in types if not isinstance(type_, ast.Name))
        raise syntax_errors.SyntaxFault(syntax_errors.output_lists_a_type(other.span))
    return tree.Actions(span=span, kind="output", names=tuple(names))


def hidden(span: Span, *names: Token) -> tree.Actions:
    return tree.Actions(span=span, kind="hidden", names=_identifiers(span, names))


def start_state(span: Span, value: Expr) -> tree.StartState:
    return tree.StartState(span=span, value=value)


def handler(span: Span, kind: Any, name: Token, body: tuple[tree.Statement, ...]) -> tree.Handler:
    return tree.Handler(span=span, kind=kind, channel=identifier(span, name), body=body)


def transition(span: Span, source: Token, action: Token, target: Expr) -> tree.TableTransition:
    return tree.TableTransition(
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
