"""What can be wrong with the types of expressions and statements."""

from __future__ import annotations

from collections.abc import Iterable

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.syntax.spelling import closest, did_you_mean
from pfl.syntax.tree.ast import DistributionLiteral, Identifier, Node
from pfl.syntax.tree.ast_declarations import EnumDecl, FnDecl, Param
from pfl.typecheck.fitting import a
from pfl.typecheck.types import (
    ArrayType,
    BagType,
    BoolType,
    DistributionType,
    EnumType,
    IntType,
    RealType,
    SetType,
    SymbolType,
    TupleType,
    Type,
)


def type_mismatch(node: Node, what: str, wanted: Type, actual: Type) -> Diagnostic:
    """`what` is what the expression is: `the condition`, `argument w of coin`."""
    is_in_braces = isinstance(wanted, ArrayType) and wanted.index is not None and isinstance(node, DistributionLiteral)
    if isinstance(actual, DistributionType) and not isinstance(wanted, DistributionType) and not is_in_braces:
        return distribution_not_drawn(node, f"{what} must be {a(wanted)}, not {a(actual)}")
    return Diagnostic.at(
        codes.TYPE_MISMATCH,
        node.span,
        f"{what} must be {a(wanted)}, not {a(actual)}",
        label=a(actual),
        help=_how_to_convert(what, wanted, actual),
    )


_TO_AN_INT = """`div` divides ints, `floor` and `ceil` turn a real into an int, and a power is an int where its \
exponent is never negative, as that of a range `0..9`"""


def _how_to_convert(what: str, wanted: Type, actual: Type) -> str | None:
    match wanted, actual:
        case IntType(), RealType() if what == "an exponent":
            return (
                "only whole powers are exact numbers; in place of a root, `c^(2/3)`, write a rational number near it; "
                "powers of the number e are written `exp(-eps)`"
            )
        case IntType(), RealType() if what == "the mean of `two_sided_geometric`":
            return "the mean is what comes second: `two_sided_geometric(exp(-eps), mean)`"
        case IntType(), RealType() if what.startswith("`"):
            return f"declare it to hold reals, `var x: real = 0;`, `[2] of real`; or take an int: {_TO_AN_INT}"
        case IntType(), RealType():
            return _TO_AN_INT
        case BoolType(), IntType() | RealType() | EnumType() | SymbolType():
            return "compare it with a value: `x == ..`"
        case BagType(), SetType():
            return "a bag is written `bag { .. }`"
        case SetType(), BagType():
            return "a set is written `{ .. }`"
        case ArrayType(index=EnumType(declaration=enum)), ArrayType(index=None) | DistributionType():
            return how_to_list(enum)
        case _:
            return _how_to_draw(actual)


def types_do_not_join(
    node: Node, what: str, first: Type, second: Type, first_span: Span, *, lifted: bool = False
) -> Diagnostic:
    """`what` are the things that must agree: `the branches of this if`. With `lifted`, values are distributions."""
    help_text = None
    if isinstance(first, DistributionType) != isinstance(second, DistributionType) and not lifted:
        help_text = "`point(x)` is the distribution that is always x"
    return Diagnostic.at(
        codes.TYPE_MISMATCH,
        node.span,
        f"{what} must have one type, but {a(first)} and {a(second)} meet",
        Label(first_span, a(first)),
        label=a(second),
        help=help_text,
    )


def wrong_operand(node: Node, operator: str, takes: str, actual: Type) -> Diagnostic:
    """`takes` is what the operator is for: `numbers`, `an int`."""
    if isinstance(actual, DistributionType):
        return distribution_not_drawn(node, f"`{operator}` takes {takes}, not {a(actual)}")
    return Diagnostic.at(
        codes.WRONG_OPERAND,
        node.span,
        f"`{operator}` takes {takes}, not {a(actual)}",
        label=a(actual),
        help=_how_to_operate(operator, takes, actual),
    )


def _how_to_operate(operator: str, takes: str, actual: Type) -> str | None:
    if takes in ("ints", "an int") and isinstance(actual, RealType):
        return _TO_AN_INT
    if operator == "sum" and isinstance(actual, BoolType):
        return "write `count(x for x in xs if x)` for the number of those that are true"
    return None


def counts_false(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.COUNTS_FALSE,
        node.span,
        "`count` counts every element, the false ones as well",
        help="write `count(x for x in xs if x)` for those that are true, `size(xs)` for all",
    )


def union_operand(node: Node, operator: str, takes: str, actual: Type) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_OPERAND,
        node.span,
        f"`{operator}` takes {takes}, and this may be something else: {a(actual)}",
        label=a(actual),
        help="first give it a type that has only the wanted values: `let n: 0..2 = x;`",
    )


def incomparable(node: Node, left: Type, right: Type) -> Diagnostic:
    return Diagnostic.at(codes.INCOMPARABLE, node.span, f"{a(left)} is never equal to {a(right)}", help=None)


def never_element(node: Node, element: Type, collection: Type) -> Diagnostic:
    return Diagnostic.at(codes.INCOMPARABLE, node.span, f"{a(element)} is never an element of {a(collection)}")


def wrong_argument_count(
    node: Node, function: str, parameters: tuple[str, ...], missing: tuple[str, ...], given: int
) -> Diagnostic:
    if missing:
        what = "argument" if len(missing) == 1 else "arguments"
        message = f"`{function}` lacks the {what} {', '.join(f'`{name}`' for name in missing)}"
    else:
        takes = f"takes {_number(len(parameters), 'argument')}" if parameters else "takes no arguments"
        message = f"`{function}` {takes}, not {given}"
    return Diagnostic.at(
        codes.WRONG_ARGUMENT_COUNT,
        node.span,
        message,
        help=f"the parameters are {', '.join(f'`{name}`' for name in parameters)}" if parameters else None,
    )


def builtin_argument_count(node: Node, function: str, usage: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_ARGUMENT_COUNT,
        node.span,
        f"`{function}` is given the wrong number of arguments",
        help=f"write `{usage}`",
    )


def wrong_argument_name(
    name: Identifier, function: str, parameters: Iterable[str], *, given: bool = False
) -> Diagnostic:
    guess = None if given else closest(name.text, parameters)
    return Diagnostic.at(
        codes.WRONG_ARGUMENT_NAME,
        name.span,
        f"argument `{name.text}` of `{function}` is given twice"
        if given
        else f"`{function}` has no parameter `{name.text}`",
        help=did_you_mean(name.text, guess) if guess else None,
    )


def unnamed_after_named(node: Node, function: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_ARGUMENT_NAME,
        node.span,
        f"an argument of `{function}` without a name follows one with a name",
        help="write the arguments without names first",
    )


def match_not_exhaustive(node: Node, subject: Type, missing: tuple[str, ...]) -> Diagnostic:
    listed = ", ".join(f"`{value}`" for value in missing[:4]) + (" and others" if len(missing) > 4 else "")
    return Diagnostic.at(
        codes.MATCH_NOT_EXHAUSTIVE,
        node.span,
        f"this match leaves out {listed}",
        label=f"matches {a(subject)}",
        help="add an arm for each, or `_ => ..` for all that is left",
    )


def unreachable_arm(node: Node) -> Diagnostic:
    return Diagnostic.at(codes.UNREACHABLE_ARM, node.span, "this arm is never chosen: earlier arms take all its values")


def pattern_not_constant(node: Node, name: str, what: str) -> Diagnostic:
    return Diagnostic.at(
        codes.PATTERN_NOT_CONSTANT,
        node.span,
        f"`{name}` is {what}, and a pattern is a constant",
        help="patterns never bind: compare with `if`, or use `_`",
    )


def never_matches(node: Node, pattern: Type, subject: Type) -> Diagnostic:
    return Diagnostic.at(codes.INCOMPARABLE, node.span, f"{a(pattern)} never matches {a(subject)}")


def drawn_from_value(node: Node, place: str, actual: Type) -> Diagnostic:
    """`place` is what is drawn, as written."""
    return Diagnostic.at(
        codes.DRAWN_FROM_VALUE,
        node.span,
        f"`{place}` is drawn from {a(actual)}, which is not a distribution",
        label=a(actual),
        help=f"write `{place} = ..` for a value",
    )


def distribution_not_drawn(node: Node, message: str, place: str | None = None) -> Diagnostic:
    """`place` is what is assigned, as written."""
    return Diagnostic.at(
        codes.DISTRIBUTION_NOT_DRAWN,
        node.span,
        message,
        label="a distribution",
        help=f"write `{place} ~ ..`" if place else "draw one of its values first: `let x ~ ..;`",
    )


def drawn_at_the_start(node: Node, name: str) -> Diagnostic:
    return Diagnostic.at(
        codes.DISTRIBUTION_NOT_DRAWN,
        node.span,
        f"the first value of `{name}` is a distribution, and an automaton starts in one state",
        label="a distribution",
        help=f"draw in a handler: `{name} ~ ..;`",
    )


def not_a_distribution(node: Node, what: str, actual: Type) -> Diagnostic:
    """`what` must be a distribution, or a value, which stands for the certain one: the body of a `dist`."""
    return Diagnostic.at(
        codes.TYPE_MISMATCH,
        node.span,
        f"{what} must be a distribution, not {a(actual)}",
        label=a(actual),
        help=_how_to_draw(actual),
    )


def function_gives_distribution(node: FnDecl) -> Diagnostic:
    return Diagnostic.at(
        codes.DISTRIBUTION_NOT_DRAWN,
        node.body.span,
        f"function `{node.name.text}` gives a distribution, not a value",
        label="a distribution",
        help=f"declare it as a distribution: `dist {node.name.text}(..) = ..`",
    )


def not_assignable(node: Node, what: str, advice: str | None) -> Diagnostic:
    return Diagnostic.at(codes.NOT_ASSIGNABLE, node.span, f"{what}, and cannot be assigned", help=advice)


def no_such_part(node: Node, part: str, actual: Type, advice: str | None = None) -> Diagnostic:
    """`part` is what was asked for: `an index`, `field who`, `component 0`."""
    return Diagnostic.at(codes.NO_SUCH_PART, node.span, f"{a(actual)} has no {part}", label=a(actual), help=advice)


def index_of_type(node: Node, actual: Type) -> Diagnostic:
    return Diagnostic.at(
        codes.NO_SUCH_PART,
        node.span,
        f"`{node.span.text}` takes an element of a type",
        label=a(actual),
        help="an array type is written `[n] of T`, a type of some ints `lo..hi`",
    )


def range_in_braces(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.NOT_A_TYPE,
        node.span,
        f"the only value of the type `{{{node.span.text}}}` is the whole range",
        help=f"the type of its numbers is written without braces: `{node.span.text}`",
    )


def holds_distribution(node: Node, what: str, actual: Type) -> Diagnostic:
    """`what` is what is shown, which has a distribution inside."""
    return Diagnostic.at(
        codes.DISTRIBUTION_NOT_DRAWN,
        node.span,
        f"{what} is {a(actual)}, and only values are shown",
        label=a(actual),
        help=_how_to_draw(actual) or "draw one of its values first: `let x ~ ..;`",
    )


def _how_to_draw(actual: Type) -> str | None:
    """How the distributions inside a type are drawn; None where none are."""
    match actual:
        case ArrayType(element=DistributionType()):
            return "draw each element: `var a: [n] of T;`, then `for i in 0..n-1 { a[i] ~ ..; }`"
        case TupleType(elements=parts) if any(isinstance(part, DistributionType) for part in parts):
            return "draw each part first: `let x ~ ..;`"
        case _:
            return None


def not_a_type(node: Node, actual: Type) -> Diagnostic:
    return Diagnostic.at(
        codes.NOT_A_TYPE,
        node.span,
        f"a type stands here, not {a(actual)}",
        label=a(actual),
        help="a type of some ints is a range `lo..hi`, a type of some values `{a, b}`",
    )


def not_a_domain(node: Node, actual: Type) -> Diagnostic:
    return Diagnostic.at(
        codes.NOT_A_DOMAIN,
        node.span,
        f"{a(actual)} has no elements to go through",
        label=a(actual),
        help="go through a range `lo..hi`, a finite type, a set, a bag or an array",
    )


def endless_domain(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.NOT_A_DOMAIN, node.span, f"`{node.span.text}` has infinitely many values", help="give bounds: `lo..hi`"
    )


def misplaced_logarithm(node: Node, detail: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_LOGARITHM,
        node.span,
        detail,
        help="`ln` may be added and multiplied by numbers, in an epsilon or a balance: `2*ln(3) + 1/2`; in a mechanism "
        "it stands beside samples: `noisy > ln(3)/eps`",
    )


def misplaced_moment(node: Node, message: str, advice: str | None = None) -> Diagnostic:
    return Diagnostic.at(codes.MISPLACED_MOMENT, node.span, message, help=advice)


def misplaced_emitting_call(node: Node, message: str, mechanism: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_EMITTING_CALL,
        node.span,
        message,
        help=f"in a mechanism, write `let x ~ {mechanism}(..);` or `{mechanism}(..);` on its own",
    )


def unknown_type_of_empty(
    node: Node, advice: str = "give it a type by a name: `let none: set of T = empty;`"
) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_TYPE_OF_EMPTY, node.span, f"nothing says what `{node.span.text}` is empty of", help=advice
    )


def misplaced_generator(node: Node) -> Diagnostic:
    return Diagnostic.at(
        codes.MISPLACED_GENERATOR,
        node.span,
        "`e for x in S` stands only alone in `sum`, `count`, `min`, `max` or `union`",
        help="write `[e for x in S]` for an array, `{e for x in S}` for a set",
    )


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def how_to_list(enum: EnumDecl) -> str:
    """How an array is written whose indices are the values of an enum."""
    keys = [f"{value.text}: .." for value in enum.values]
    listed = keys if len(keys) <= 2 else [*keys[:2], ".."]
    return f"write `[{', '.join(listed)}]`, or `[i: .. for i in {enum.name.text}]`"


def closed_at_infinity(node: Param) -> Diagnostic:
    return Diagnostic(
        code=codes.INTERVAL_WITHOUT_END,
        message=f"the interval of `{node.name.text}` is closed at `inf`, which is no number",
        labels=(Label(node.span, "an interval without an upper end ends in `inf)`"),),
        help=f"write `param {node.name.text} in {'(' if node.low_open else '['}{node.low.span.text}, inf);`",
    )
