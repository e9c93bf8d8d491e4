"""Random syntax trees: whatever the grammar can produce."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from pfl.base.source import SourceFile, Span
from pfl.syntax.tree import ast, ast_declarations, ast_module, ast_statements

FILE = SourceFile(name="random", text="")
SPAN = Span(FILE, 0, 0)

WORDS = (
    *("x", "y", "noise", "é", "x1", "_", "Data", "data", "query", "output", "hidden", "start", "on", "init", "step"),
    *(
        "vs",
        "at",
        "most",
        "least",
        "over",
        "as",
        "such",
        "that",
        "where",
        "equals",
        "returns",
        "received",
        "one",
        "way",
    ),
    *("record", "relation", "secrets", "between", "observations", "left", "length", "epsilon", "sum", "std"),
    *(
        "set",
        "bag",
        "dist",
        "match",
        "state",
        "states",
        "type",
        "check",
        "emits",
        "enum",
        "fn",
        "const",
        "prior",
        "while",
    ),
)
"""Names, among them words of the language that can be names wherever a name can stand."""


def node(made: Any, /, **parts: Any) -> st.SearchStrategy[Any]:
    return st.builds(made, span=st.just(SPAN), **parts)


def some(strategy: st.SearchStrategy[Any], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


texts = st.sampled_from(WORDS)
identifiers = node(ast.Identifier, text=texts)
names = node(ast.Name, text=texts)
numbers = st.sampled_from(["0", "3", "12", "0.50", "2.5", "1e-5", "1.5E+2", "7" * 30]).flatmap(
    lambda written: node(ast.Number, value=st.just(Fraction(written)), written=st.just(written))
)
atoms = (
    names
    | numbers
    | node(ast.Boolean, value=st.booleans())
    | node(ast.BuiltinType, name=st.sampled_from(["bool", "int", "real"]))
    | st.just(ast.SetLiteral(span=SPAN, elements=()))
)


def operations(inner: st.SearchStrategy[Any], signs: list[str]) -> st.SearchStrategy[Any]:
    return some(inner, 2, 4).flatmap(
        lambda operands: node(
            ast.Operation,
            operands=st.just(operands),
            operators=some(st.sampled_from(signs), len(operands) - 1, len(operands) - 1),
        )
    )


def patterns_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def is_value(value: Any) -> bool:
        return not isinstance(value, ast.TupleLiteral | ast.Union) and value != ast.Name(span=SPAN, text="_")

    simple = node(ast.WildcardPattern) | node(ast.ValuePattern, value=inner.filter(is_value))
    pairs = node(ast.TuplePattern, elements=some(some(simple, 1, 2), 2, 3))
    return simple | pairs


def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    binders = some(node(ast.Binder, variable=identifiers, domain=inner, condition=optional(inner)), 1, 2)
    entries = node(ast.DistributionEntry, key=inner, weight=inner)
    arguments = node(ast.Argument, name=optional(identifiers), value=inner)
    generators = node(ast.Comprehension, shape=st.just("argument"), element=inner, binders=binders)
    generator = st.tuples(node(ast.Argument, name=st.none(), value=generators))
    updates = node(ast.FieldUpdate, field=identifiers, value=inner) | node(ast.IndexUpdate, index=inner, value=inner)
    arms = node(ast.MatchArm, patterns=some(patterns_of(inner), 1, 2), value=inner)
    binary = st.sampled_from(["=>", "^", "==", "!=", "<", "<=", ">", ">=", "in", "not in"])
    shapes = st.sampled_from(["array", "set", "bag"])
    return st.one_of(
        operations(inner, ["+", "-"]),
        operations(inner, ["*", "/", "div", "mod"]),
        node(ast.Logical, operator=st.sampled_from(["and", "or"]), operands=some(inner, 2, 4)),
        node(ast.Unary, operator=st.sampled_from(["not", "-"]), operand=inner),
        node(ast.Binary, operator=binary, left=inner, right=inner),
        node(ast.Range, low=inner, high=inner),
        node(ast.Union, members=some(inner, 2, 3)),
        node(ast.Call, callee=names | inner, arguments=some(arguments) | generator),
        node(ast.Index, array=inner, index=inner),
        node(ast.FieldAccess, record=inner, field=identifiers),
        node(ast.Projection, tuple=inner, position=st.integers(0, 12)),
        node(ast.At, operand=inner, moment=inner),
        node(ast.Conditional, condition=inner, then=inner, otherwise=inner),
        node(
            ast.Quantified,
            quantifier=st.sampled_from(["forall", "exists"]),
            variable=identifiers,
            domain=inner,
            body=inner,
        ),
        node(ast.Match, subject=inner, arms=some(arms, 1, 3)),
        node(ast.TupleLiteral, elements=some(inner, 2, 3)),
        node(ast.ArrayLiteral, elements=some(inner)),
        node(ast.SetLiteral, elements=some(inner)),
        node(ast.BagLiteral, elements=some(inner)),
        node(ast.Comprehension, shape=shapes, element=inner, binders=binders),
        node(ast.SetFilter, variable=identifiers, domain=inner, condition=inner),
        node(ast.DistributionLiteral, entries=some(entries, 1, 3)),
        node(ast.DistributionComprehension, key=inner, weight=inner, binders=binders),
        node(ast.KeyedArray, entries=some(entries, 1, 3)),
        node(ast.KeyedComprehension, key=inner, element=inner, binders=binders),
        node(ast.With, operand=inner, updates=some(updates, 1, 2)),
        node(ast.ArrayType, size=inner, element=inner),
        node(ast.SetType, element=inner),
        node(ast.BagType, capacity=inner, element=inner),
        node(ast.MechanismType, inputs=some(inner, 0, 2), result=optional(inner)),
    )


expressions = st.recursive(atoms, larger, max_leaves=10)
short = st.recursive(atoms, larger, max_leaves=4)

# --- statements ----------------------------------------------------------------

places = st.recursive(
    names,
    lambda inner: node(ast.Index, array=inner, index=short) | node(ast.FieldAccess, record=inner, field=identifiers),
    max_leaves=2,
)
called = node(ast.Call, callee=names, arguments=some(node(ast.Argument, name=st.none(), value=short)))
stepwise = node(ast_statements.Stepwise, call=called)
assigns = node(ast_statements.Assign, place=places, value=short | stepwise, drawn=st.booleans())
simple_statements = st.one_of(
    node(ast_statements.Let, name=identifiers, type=optional(short), value=short | stepwise, drawn=st.booleans()),
    node(ast_statements.Var, name=identifiers, type=optional(short), value=short | stepwise, drawn=st.booleans()),
    node(ast_statements.Var, name=identifiers, type=optional(short), value=st.none(), drawn=st.just(False)),
    assigns,
    node(ast_statements.Start, place=places, value=short, drawn=st.booleans()),
    node(ast_statements.Emit, value=short),
    node(ast_statements.Return, value=optional(short)),
    node(ast_statements.Respond, value=short | stepwise),
    node(ast_statements.Receive, name=identifiers, type=short),
    node(ast_statements.Assert, condition=short),
    node(ast_statements.Tick, cost=short),
    node(ast_statements.CallStatement, call=called | stepwise),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    body = some(inner, 0, 2)
    arms = node(ast_statements.MatchStatementArm, patterns=some(patterns_of(short), 1, 2), body=body)
    ifs = node(ast_statements.If, condition=short, then=body, otherwise=optional(body))
    return st.one_of(
        ifs,
        node(ast_statements.If, condition=short, then=body, otherwise=st.tuples(ifs)),
        node(ast_statements.MatchStatement, subject=short, arms=some(arms, 0, 2)),
        node(ast_statements.For, variable=identifiers, domain=short, body=body),
        node(ast_statements.While, condition=short, body=body),
        node(ast_statements.Forever, body=body),
        node(ast_statements.Block, body=body),
    )


statements = st.recursive(simple_statements, nested, max_leaves=4)
bodies = some(statements)

# --- declarations --------------------------------------------------------------

parameters = some(node(ast_declarations.Parameter, name=identifiers, type=short))
mechanism_parameters = some(node(ast_declarations.Parameter, name=identifiers, type=short, is_const=st.booleans()))
systems = node(ast_module.SystemRef, name=identifiers, arguments=optional(some(short, 0, 2)))
entry_rows = some(node(ast_declarations.DistributionEntryRow, key=short, weight=optional(short)), 1, 3)
state_entry_rows = some(node(ast_declarations.DistributionEntryRow, key=names, weight=optional(short)), 1, 3)
state_variables = node(ast_declarations.StateVariable, name=identifiers, type=short, initial=optional(short))
states = node(ast_declarations.States, names=some(identifiers, 1, 4))
updates = st.sampled_from(["init", "step"])

hmm_items = st.one_of(
    state_variables,
    states,
    node(ast_declarations.Letters, type=short),
    node(ast_declarations.EmitClause, value=short),
    node(ast_declarations.Update, when=updates, body=bodies, is_block=st.just(True)),
    node(ast_declarations.Update, when=updates, body=st.tuples(assigns), is_block=st.just(False)),
    node(ast_declarations.Row, kind=st.just("init"), source=st.none(), entries=state_entry_rows),
    node(ast_declarations.Row, kind=st.sampled_from(["step", "emits"]), source=identifiers, entries=entry_rows),
)
automaton_items = st.one_of(
    state_variables,
    node(ast_declarations.Channel, kind=st.sampled_from(["data", "query"]), name=identifiers, type=optional(short)),
    node(ast_declarations.Actions, kind=st.just("hidden"), names=some(identifiers, 1, 3)),
    node(ast_declarations.Actions, kind=st.just("output"), names=some(identifiers, 2, 3)),
    node(ast_declarations.Letters, type=short.filter(lambda type_: not isinstance(type_, ast.Name))),
    node(ast_declarations.StartState, value=short),
    node(ast_declarations.Handler, kind=st.sampled_from(["data", "query"]), channel=identifiers, body=bodies),
    node(ast_declarations.TableTransition, source=identifiers, action=identifiers, target=short),
)
one_output = node(ast_declarations.Actions, kind=st.just("output"), names=some(identifiers, 1, 1))
automata = some(automaton_items) | st.tuples(states, one_output) | st.tuples(node(ast_declarations.Letters, type=names))

_SHAPED = frozenset({"secrets", "between", "received", "returns", "observations", "one", "at"})
keywords = node(ast.Identifier, text=st.sampled_from([word for word in WORDS if word not in _SHAPED]))


def clause(keyword: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return node(ast_module.Clause, keyword=node(ast.Identifier, text=st.just(keyword)), value=value)


clauses = some(
    st.one_of(
        node(ast_module.Clause, keyword=keywords, value=optional(short)),
        clause("prior", short),
        clause("for", node(ast_module.ForBinding, variable=identifiers, domain=short)),
        clause("secrets", node(ast_module.Versus, left=short, right=short)),
        clause("between", node(ast_module.Versus, left=short, right=short)),
        clause("received", node(ast_module.Received, relation=short, limit=optional(short))),
        clause("returns", short | node(ast_module.Filtered, variable=identifiers, condition=short)),
        clause("observations", node(ast_module.Observations, values=some(short, 1, 3))),
        clause("one way", st.none()),
        clause("at least", short),
        clause("at most", short),
    )
)
kinds = node(ast.Identifier, text=texts | st.just("expected steps") | st.just("distribution"))
relations = st.just((None, None)) | st.tuples(st.sampled_from(["of", "by"]), systems)


def claims(verbs: list[str], labels: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return relations.flatmap(
        lambda pair: node(
            ast_module.ClaimDecl,
            verb=st.sampled_from(verbs),
            label=labels,
            kind=kinds,
            system=systems,
            relation_word=st.just(pair[0]),
            relation=st.just(pair[1]),
            clauses=clauses,
        )
    )


specified = node(
    ast_module.ClaimDecl,
    verb=st.just("check"),
    label=optional(identifiers),
    kind=node(ast.Identifier, text=st.just("distribution")),
    system=node(ast_module.SystemRef, name=identifiers, arguments=some(short, 0, 2)),
    relation=st.none(),
    clauses=st.tuples(clause("equals", short), clause("expect", names)),
)
imported = some(node(ast_declarations.ImportedName, name=identifiers, alias=optional(identifiers)), 1, 3)

declarations = st.one_of(
    node(
        ast_declarations.Import,
        path=st.sampled_from(["std.noise", "std"]),
        is_file=st.just(False),
        names=optional(imported),
    ),
    node(
        ast_declarations.Import,
        path=st.sampled_from(["a.pfl", "../b c.pfl"]),
        is_file=st.just(True),
        names=optional(imported),
    ),
    node(ast_declarations.Const, name=identifiers, type=optional(short), value=expressions),
    node(
        ast_declarations.Param, name=identifiers, low=short, high=short, low_open=st.booleans(), high_open=st.booleans()
    ),
    node(ast_declarations.Assume, condition=expressions),
    node(ast_declarations.EnumDecl, name=identifiers, values=some(identifiers, 1, 4)),
    node(ast_declarations.TypeDecl, name=identifiers, type=expressions),
    node(ast_declarations.RecordDecl, name=identifiers, fields=parameters.filter(bool)),
    node(ast_declarations.FnDecl, name=identifiers, parameters=parameters, result=optional(short), body=expressions),
    node(ast_declarations.DistDecl, name=identifiers, parameters=parameters, over=optional(short), body=expressions),
    node(ast_declarations.HmmDecl, name=identifiers, parameters=parameters, items=some(hmm_items)),
    node(
        ast_declarations.PriorDecl,
        name=identifiers,
        parameters=parameters,
        system=identifiers,
        arguments=optional(some(short, 0, 2)),
        body=bodies,
    ),
    node(
        ast_declarations.MechanismDecl,
        name=identifiers,
        parameters=mechanism_parameters,
        emits=optional(short),
        result=optional(short),
        body=bodies,
    ),
    node(ast_declarations.AdjacencyDecl, name=identifiers, parameters=parameters, body=expressions),
    node(ast_declarations.AutomatonDecl, name=identifiers, parameters=parameters, items=automata),
    node(
        ast_declarations.RelationDecl,
        name=identifiers,
        parameters=parameters,
        system=identifiers,
        arguments=optional(some(short, 0, 2)),
        clauses=some(node(ast_declarations.RelationClause, kind=identifiers, value=short)),
    ),
    claims(["check", "compute"], optional(identifiers)),
    specified,
    node(
        ast_module.FindDecl,
        label=optional(identifiers),
        names=some(identifiers, 1, 3),
        target=identifiers,
        clauses=clauses,
    ),
    node(
        ast_module.FindDecl,
        label=optional(identifiers),
        names=some(identifiers, 1, 3),
        target=claims(["check"], st.none()),
        clauses=st.just(()),
    ),
)
modules = st.builds(ast_module.Module, file=st.just(FILE), declarations=some(declarations, 1, 4))
