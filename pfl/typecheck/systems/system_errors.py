"""What can be wrong with the make-up of systems, priors, adjacencies and relations.

What can be wrong with statements.
"""

from __future__ import annotations

from collections.abc import Iterable

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.syntax.spelling import did_you_mean
from pfl.syntax.tree.ast import Expr, Identifier, Node
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, AutomatonDecl, HmmDecl, Parameter, PriorDecl, RelationDecl
from pfl.typecheck.fitting import a
from pfl.typecheck.types import Type


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def mixed_forms(node: Node, system: str, table: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.MIXED_FORMS,
        node.span,
        f"`{system}` mixes the table form with the program form",
        Label(table.span, "table form"),
        label="program form",
        help="use `states` and rows, or `state x: T;` and statements, not both",
    )


def no_state(node: HmmDecl | AutomatonDecl) -> Diagnostic:
    return Diagnostic.at(
        codes.NO_STATE,
        node.name.span,
        f"`{node.name.text}` has no state",
        help="declare `state x: T;`, or `states a, b;` for a table",
    )


def given_twice(node: Node, what: str, earlier: Node) -> Diagnostic:
    """`what` is what a system has once: `the \\`emit\\` clause`."""
    return Diagnostic.at(
        codes.UPDATED_TWICE, node.span, f"{what} is given twice", Label(earlier.span, "first given here")
    )


def empty_alphabet(type_: Expr, keyword: str) -> Diagnostic:
    return Diagnostic.at(
        codes.EMPTY_ALPHABET,
        type_.span,
        f"`{keyword}` lists nothing that could be shown",
        label="no letters",
        help=f"list the letters, as in `{keyword} {{ yes, no }}`, or leave `{keyword}` out",
    )


def row_twice(node: Node, what: str, earlier: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.ROW_TWICE,
        node.span,
        f"{what} is given twice",
        Label(earlier.span, "first given here"),
        help="write one row with all its entries",
    )


def entry_twice(node: Node, earlier: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.ENTRY_TWICE,
        node.span,
        f"`{node.span.text}` occurs twice in this row",
        Label(earlier.span, "first given here"),
        help="add the two probabilities in one entry",
    )


def probability_missing(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.PROBABILITY_MISSING,
        node.span,
        f"`{node.span.text}` has no probability, and is not the only entry of its row",
        help=f"write `{node.span.text}: p`",
    )


def state_without_row(state: Identifier, what: str, example: str) -> Diagnostic:
    """`what` is the kind of row: `a row of moves`, `a row of observations`."""
    return Diagnostic.at(
        codes.STATE_WITHOUT_ROW,
        state.span,
        f"state `{state.text}` has no row that says {what}",
        help=f"write `{example}`",
    )


# --- priors ------------------------------------------------------------------


def prior_does_not_start(node: PriorDecl, missing: Iterable[str], what: str) -> Diagnostic:
    """`what` is what is missing: `state variable`, `input`."""
    names = tuple(missing)
    return Diagnostic.at(
        codes.START_UNKNOWN,
        node.name.span,
        f"prior `{node.name.text}` does not start {what} {_listed(names)} of `{node.system.text}`",
        help=f"write `start {names[0]} = ..;`",
    )


def prior_does_not_start_table(node: PriorDecl) -> Diagnostic:
    return Diagnostic.at(
        codes.START_UNKNOWN,
        node.name.span,
        f"prior `{node.name.text}` does not say where `{node.system.text}` starts",
        help="write `start ~ { state: probability, .. };`",
    )


# --- adjacencies and relations -----------------------------------------------


def adjacency_not_in_halves(node: AdjacencyDecl, count: int) -> Diagnostic:
    name = node.name.text
    if not count:
        return Diagnostic.at(
            codes.ADJACENCY_SHAPE,
            node.name.span,
            f"adjacency `{name}` relates no inputs: claims give all its parameters a value",
            help="an input has a type with finitely many values, such as `0..5`; "
            "`int`, `real` and `const` ones are given",
        )
    return Diagnostic.at(
        codes.ADJACENCY_SHAPE,
        node.name.span,
        f"adjacency `{name}` has {count} input{'' if count == 1 else 's'}, not as many left as right ones",
        help="write the left inputs, then the right inputs: `(a: T, b: T)`; a parameter that a claim gives a value to "
        "is an `int` or a `real`, or `const`",
    )


def adjacency_sides_differ(left: Parameter, right: Parameter, left_type: Type, right_type: Type) -> Diagnostic:
    return Diagnostic.at(
        codes.ADJACENCY_SHAPE,
        right.span,
        f"left input `{left.name.text}` is {a(left_type)}, its right input `{right.name.text}` {a(right_type)}",
        Label(left.span, a(left_type)),
        label=a(right_type),
        help="write the left inputs, then the right inputs, in the same order",
    )


def unknown_relation_clause(keyword: Identifier, guess: str | None) -> Diagnostic:
    return Diagnostic.at(
        codes.RELATION_CLAUSE,
        keyword.span,
        f"a relation has no clause `{keyword.text}`",
        help=did_you_mean(keyword.text, guess) if guess else "the clauses are `balance` and `holds`",
    )


def relation_clause_twice(keyword: Identifier, earlier: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.RELATION_CLAUSE, keyword.span, f"`{keyword.text}` is given twice", Label(earlier, "first given here")
    )


def relation_clause_missing(node: RelationDecl, keyword: str, example: str) -> Diagnostic:
    return Diagnostic.at(
        codes.RELATION_CLAUSE,
        node.name.span,
        f"relation `{node.name.text}` has no `{keyword}`",
        help=f"write `{example}`",
    )


# --- automata ----------------------------------------------------------------


def handler_missing(channel: Identifier, kind: str, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.HANDLER_MISSING,
        channel.span,
        f"`{system}` does not say what happens on {kind} `{channel.text}`",
        help=f"write `on {kind} {channel.text} {{ .. }}`",
    )


def handler_twice(node: Node, channel: str, earlier: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.HANDLER_TWICE, node.span, f"there are two handlers for `{channel}`", Label(earlier.span, "the first one")
    )


def channel_without_type(channel: Identifier, kind: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MIXED_FORMS,
        channel.span,
        f"{kind} `{channel.text}` has no type",
        help=f"write `{kind} {channel.text}: T;`; only the table form leaves it out",
    )


def channel_with_type(channel: Identifier, kind: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MIXED_FORMS,
        channel.span,
        f"{kind} `{channel.text}` has a type, in an automaton in table form",
        help=f"in a table every input is a name of its own: `{kind} a, b;`",
    )


def handler_of_other_kind(node: Identifier, kind: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_ACTION, node.span, f"`{node.text}` is declared as `{kind}`", help=f"write `on {kind} {node.text}`"
    )


def start_missing(node: AutomatonDecl) -> Diagnostic:
    return Diagnostic.at(
        codes.START_MISSING, node.name.span, f"`{node.name.text}` does not say where it starts", help="write `start s;`"
    )


def state_without_initial(name: Identifier) -> Diagnostic:
    return Diagnostic.at(
        codes.START_MISSING,
        name.span,
        f"state variable `{name.text}` has no first value",
        help=f"write `state {name.text}: T = e;`",
    )


def responds_never(node: Node, span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.RESPONDS_NOT_ONCE,
        node.span,
        "a path of this handler does not respond",
        Label(span, "this way nothing is responded"),
        help="every path of `on query` responds exactly once",
    )


def responds_twice(node: Node, earlier: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.RESPONDS_NOT_ONCE,
        node.span,
        "a path of this handler responds twice",
        Label(earlier.span, "responded before"),
        help="every path of `on query` responds exactly once",
    )


def responds_in_loop(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.RESPONDS_NOT_ONCE,
        node.span,
        "a response in a loop may be given any number of times",
        help="keep the answer in a `var`, and respond after the loop",
    )


def two_transitions(node: Node, state: str, action: str, earlier: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.TRANSITION_NONDETERMINISM,
        node.span,
        f"state `{state}` has two transitions for `{action}`",
        Label(earlier.span, "the first one"),
        help=f"write one with a distribution: `{state} -- {action} --> {{ a: 1/2, b: 1/2 }};`",
    )


def output_not_alone(node: Node, state: str, output: str, other: str, other_node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.OUTPUT_NONDETERMINISM,
        node.span,
        f"state `{state}` can do `{output}`, and `{other}` as well",
        Label(other_node.span, "another action"),
        label="an output or hidden action",
        help="a state that has an output or a hidden action does nothing else",
    )


def input_not_enabled(state: Identifier, missing: Iterable[str], accepted: str) -> Diagnostic:
    return Diagnostic.at(
        codes.INPUT_NOT_ENABLED,
        state.span,
        f"state `{state.text}` accepts `{accepted}`, but not {_listed(missing)}",
        help="a state that accepts one input accepts all: add the transitions",
    )


def misplaced_statement(node: Node, word: str, where: str, advice: str | None) -> Diagnostic:
    """`word` names the statement; `where` is `in a prior`, `in a mechanism`, .."""
    return Diagnostic.at(codes.MISPLACED_STATEMENT, node.span, f"{word} has no meaning {where}", help=advice)


def call_without_effect(node: Node, where: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_STATEMENT,
        node.span,
        f"this call has no effect {where}",
        help="draw its result: `let x ~ f(..);`",
    )


def not_a_mechanism_call(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_STATEMENT,
        node.span,
        "a call on its own must be that of a mechanism",
        help="use the value: `let x = f(..);`",
    )


def misplaced_stepwise(node: Node, message: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_STEPWISE,
        node.span,
        message,
        help="`stepwise f(..)` stands in a handler of an automaton, with a mechanism `f`",
    )


def returns_nothing(node: Node, mechanism: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_RETURN,
        node.span,
        f"`{mechanism}` returns nothing, so nothing can be drawn from it",
        help=f"call it on its own: `{mechanism}(..);`",
    )


def return_without_value(node: Node, mechanism: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_RETURN,
        node.span,
        f"`{mechanism}` returns values, and this `return` has none",
        help="write `return e;`",
    )


def world_drawn_in_block(node: Node, name: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_STATEMENT,
        node.span,
        f"`{name}` is declared by drawing it inside a block, so it is unknown outside",
        help=f"declare it before the block: `var {name}: T;`",
    )


def single_update_of_local(node: Node, name: str, when: str) -> Diagnostic:
    return Diagnostic.at(
        codes.NOT_ASSIGNABLE, node.span, f"`{when} {name}` sets something that is not a state variable"
    )


def var_without_type(name: Identifier) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_TYPE_OF_EMPTY,
        name.span,
        f"nothing says what values `{name.text}` has",
        help=f"write its type or its first value: `var {name.text}: T;`, `var {name.text} = e;`",
    )
