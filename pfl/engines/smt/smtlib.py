"""SMT-LIB 2.6 text of a script, and the symbols that names become."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from pfl.base.exact_text import integer_text
from pfl.engines.smt.terms import (
    And,
    Assert,
    Comment,
    Constant,
    Declare,
    Implies,
    Not,
    Or,
    Product,
    Relation,
    Script,
    Select,
    Sum,
    Symbol,
    Term,
)

WIDTH = 110
"""Columns after which an expression is broken into lines."""

Expression: TypeAlias = "str | list[Expression]"
"""An s-expression: an atom, or a list whose first entry is the operator."""

_PLAIN = re.compile(r"-?[A-Za-z0-9_]+", re.ASCII)


def symbol_names(prefix: str, kind: str, names: Sequence[str]) -> list[str]:
    """Different simple symbols for a list of different names.

    A name of ASCII letters, digits and `_` is kept, after the prefix and a dot; any other becomes its number in the
    list, after `kind`. No reserved word and no name of a theory has a dot, and no kept name has one: so none of them
    can be met, and none can meet a numbered one.
    """
    return [
        f"{prefix}.{name}" if _PLAIN.fullmatch(name) else f"{prefix}.{kind}.{position}"
        for position, name in enumerate(names)
    ]


def renamed(kind: str, names: Sequence[str]) -> Iterator[str]:
    """A line for every name that `symbol_names` replaces by a number."""
    for position, name in enumerate(names):
        if not _PLAIN.fullmatch(name):
            yield f"{kind}.{position}  stands for  {one_line(name)}"


def one_line(text: str) -> str:
    """The text without line ends and other control characters, fit for a comment."""
    return "".join(character if character.isprintable() else " " for character in text)


def script_text(script: Script) -> str:
    """The whole file: options, logic, commands, one `check-sat`, and the values that are asked for."""
    lines = [f"; {one_line(line)}".rstrip() for line in script.header]
    lines.append("(set-option :produce-models true)")
    lines.append(f"(set-logic {script.logic})")
    if script.status is not None:
        lines.append(f"(set-info :status {script.status})")
    for command in script.commands:
        match command:
            case Comment(text):
                lines += ["", f"; {one_line(text)}"]
            case Declare(Symbol(name, sort)):
                lines.append(f"(declare-fun {name} () {sort})")
            case Assert(term):
                lines += _laid_out(["assert", expression(term)])
            case _:
                assert_never(command)
    lines += ["", "(check-sat)"]
    if script.values:
        lines += _laid_out(["get-value", [symbol.name for symbol in script.values]])
    return "\n".join(lines) + "\n"


def expression(term: Term) -> Expression:
    """The term as an s-expression."""
    match term:
        case Symbol(name, _):
            return name
        case Constant(value):
            return number(value)
        case Sum(terms):
            return ["+", *map(expression, terms)]
        case Product(factors):
            return ["*", *map(expression, factors)]
        case Select(cases, otherwise):
            nested = expression(otherwise)
            for condition, chosen in reversed(cases):
                nested = ["ite", expression(condition), expression(chosen), nested]
            return nested
        case Relation(operator, left, right):
            return [operator, expression(left), expression(right)]
        case Not(inner):
            return ["not", expression(inner)]
        case And(terms):
            return ["and", *map(expression, terms)] if terms else "true"
        case Or(terms):
            return ["or", *map(expression, terms)] if terms else "false"
        case Implies(condition, conclusion):
            return ["=>", expression(condition), expression(conclusion)]
        case _:
            assert_never(term)


def number(value: Fraction) -> Expression:
    """A rational as a literal of sort Real: `1.0`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`."""
    above = f"{integer_text(abs(value.numerator))}.0"
    size: Expression = above if value.denominator == 1 else ["/", above, f"{integer_text(value.denominator)}.0"]
    return ["-", size] if value < 0 else size


def _laid_out(outermost: Expression) -> list[str]:
    """Lines of an s-expression: a list that is too long for one line has its entries on lines of their own."""
    lines: list[str] = []
    _lay_out(outermost, "", "", lines)
    return lines


def _lay_out(inner: Expression, indent: str, closing: str, lines: list[str]) -> None:
    room = WIDTH - len(indent) - len(closing)
    while isinstance(inner, list) and inner[0] == "ite" and len(inner) == 4 and not _fits(inner, room):
        # One line a case and no deeper indent, for there may be thousands.
        _lay_out(["ite", *inner[1:3]], indent, "", lines)
        lines[-1] = lines[-1][:-1]
        inner, closing = inner[3], f"){closing}"
    if isinstance(inner, str) or _fits(inner, room):
        lines.append(indent + _flat(inner) + closing)
        return
    if inner[0] == "assert":
        first = len(lines)
        _lay_out(inner[1], indent, f"){closing}", lines)
        lines[first] = f"{indent}(assert {lines[first].lstrip()}"
        return
    if all(isinstance(entry, str) for entry in inner):
        lines += _filled([str(entry) for entry in inner], indent, f"){closing}")
        return
    # The operator shares its line with the atoms that follow it.
    size = next(position for position, entry in enumerate(inner) if not isinstance(entry, str))
    entries = inner[size:]
    lines.append(f"{indent}({' '.join(str(atom) for atom in inner[:size])}")
    for position, entry in enumerate(entries):
        _lay_out(entry, indent + "  ", f"){closing}" if position == len(entries) - 1 else "", lines)


def _filled(atoms: Sequence[str], indent: str, closing: str) -> list[str]:
    """A list of atoms in as few lines as they fit in."""
    lines = [f"{indent}({atoms[0]}"]
    for atom in atoms[1:]:
        if len(lines[-1]) + 1 + len(atom) > WIDTH:
            lines.append(f"{indent}  {atom}")
        else:
            lines[-1] += f" {atom}"
    lines[-1] += closing
    return lines


def _fits(outermost: Expression, room: int) -> bool:
    """Whether the expression is at most `room` characters long on one line; stops reading once it is not."""
    pending = [outermost]
    while pending and room >= 0:
        inner = pending.pop()
        if isinstance(inner, str):
            room -= len(inner)
        else:
            room -= len(inner) + 1
            pending += inner
    return room >= 0


def _flat(inner: Expression) -> str:
    return inner if isinstance(inner, str) else f"({' '.join(map(_flat, inner))})"
