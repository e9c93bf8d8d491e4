"""What can be wrong with statements."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.frontend.ast import Identifier, Node


def misplaced_statement(node: Node, word: str, where: str, advice: str | None) -> Diagnostic:
    """`word` names the statement; `where` is `in a prior`, `in a mechanism`, .."""
    return Diagnostic(
        code=codes.MISPLACED_STATEMENT,
        message=f"{word} has no meaning {where}",
        labels=(Label(node.span),),
        help=advice,
    )


def call_without_effect(node: Node, where: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISPLACED_STATEMENT,
        message=f"this call has no effect {where}",
        labels=(Label(node.span),),
        help="draw its result: `let x ~ f(..);`",
    )


def not_a_mechanism_call(node: Node) -> Diagnostic:
    return Diagnostic(
        code=codes.MISPLACED_STATEMENT,
        message="a call on its own must be that of a mechanism",
        labels=(Label(node.span),),
        help="use the value: `let x = f(..);`",
    )


def misplaced_stepwise(node: Node, message: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISPLACED_STEPWISE,
        message=message,
        labels=(Label(node.span),),
        help="`stepwise f(..)` stands in a handler of an automaton, with a mechanism `f`",
    )


def returns_nothing(node: Node, mechanism: str) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_RETURN,
        message=f"`{mechanism}` returns nothing, so nothing can be drawn from it",
        labels=(Label(node.span),),
        help=f"call it on its own: `{mechanism}(..);`",
    )


def return_without_value(node: Node, mechanism: str) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_RETURN,
        message=f"`{mechanism}` returns values, and this `return` has none",
        labels=(Label(node.span),),
        help="write `return e;`",
    )


def world_drawn_in_block(node: Node, name: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MISPLACED_STATEMENT,
        message=f"`{name}` is declared by drawing it inside a block, so it is unknown outside",
        labels=(Label(node.span),),
        help=f"declare it before the block: `var {name}: T;`",
    )


def single_update_of_local(node: Node, name: str, when: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NOT_ASSIGNABLE,
        message=f"`{when} {name}` sets something that is not a state variable",
        labels=(Label(node.span),),
    )


def var_without_type(name: Identifier) -> Diagnostic:
    return Diagnostic(
        code=codes.UNKNOWN_TYPE_OF_EMPTY,
        message=f"nothing says what values `{name.text}` has",
        labels=(Label(name.span),),
        help=f"write its type or its first value: `var {name.text}: T;`, `var {name.text} = e;`",
    )
