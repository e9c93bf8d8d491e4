"""The LALR(1) table of the grammar: made by Lark, kept as data beside this file.

Making the table takes Lark half a second, so it is made once, by
`python -m pfl.syntax.parse.parse_table`, whenever the grammar changes. A table that is not of the present grammar is
never used: it is then made afresh in memory. See docs/adr/0007-parse-table-as-data.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar
from zlib import crc32

from pfl.base.struct import struct
from pfl.resources import grammar_text

END = "$END"
"""The terminal after the last token."""

_STARTS = ("declaration", "expression")
_STORED = Path(__file__).with_name("parse_table.json")

Value = TypeVar("Value")
Kind: TypeAlias = Literal["build", "pass", "splice"]


@struct(eq=False)
class Production:
    """One production of the grammar, and what becomes of the values of its right side. Compared by identity.

    `build`: they are handed to the builder called `name`; `pass`: the one value that is kept stands for the whole;
    `splice`: they are a part of a list. `kept` are the positions of the values that count, None for an optional part
    that was left out; `keeps_all` says that these are all values.
    """

    origin: str
    name: str
    expansion: tuple[str, ...]
    kind: Kind
    kept: tuple[int | None, ...]
    keeps_all: bool
    is_unit: bool


@struct(kw_only=False)
class Item:
    """A production and how many of its symbols, at least one, have been seen."""

    production: Production
    seen: int

    @property
    def entered_by(self) -> str:
        """The symbol that was seen last."""
        return self.production.expansion[self.seen - 1]


class OfState(dict[int, Value]):
    """What each state has, read from a row of numbers when it is first asked for: a small model comes to few states."""

    def __init__(self, rows: Sequence[str], read: Callable[[list[int]], Value]) -> None:
        self._rows = rows
        self._read = read

    def __missing__(self, state: int) -> Value:
        value = self[state] = self._read(list(map(int, self._rows[state].split())))
        return value


@struct
class ParseTable:
    """An LALR(1) automaton of `size` states.

    `actions[state][symbol]` is the next state for a shift or a goto, or `-1 - p` for a reduction by `productions[p]`.
    `items[state]` are the productions a state is in the middle of. `literals` maps the fixed words and signs to their
    terminals, `patterns` the other terminals to their regular expressions, `start` and `end` the start symbols to
    their first and accepting states.
    """

    size: int
    literals: Mapping[str, str]
    patterns: Mapping[str, str]
    productions: tuple[Production, ...]
    actions: OfState[dict[str, int]]
    items: OfState[tuple[Item, ...]]
    start: Mapping[str, int]
    end: Mapping[str, int]
    terminals: frozenset[str]


@cache
def load_table() -> ParseTable:
    """The table of the grammar that is installed."""
    grammar = grammar_text()
    try:
        stored = json.loads(_STORED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        stored = None
    is_current = isinstance(stored, dict) and stored.get("grammar") == _fingerprint(grammar)
    return _decode(stored if is_current else _make(grammar))


def write_table() -> None:
    """Store the table of the present grammar beside this file."""
    text = json.dumps(_make(grammar_text()), separators=(",", ":"), ensure_ascii=True)
    _STORED.write_text(re.sub('(["\\]]),(["\\[])', r"\1,\n\2", text) + "\n", encoding="utf-8")


def _fingerprint(grammar: str) -> int:
    return crc32(grammar.encode())


def _decode(data: dict[str, Any]) -> ParseTable:
    symbols: list[str] = data["symbols"]
    productions = tuple(
        Production(
            origin=symbols[origin],
            name=name,
            expansion=tuple(symbols[number] for number in expansion),
            kind=kind,
            kept=tuple(kept),
            keeps_all=kept == list(range(len(expansion))),
            is_unit=kind == "pass" and len(expansion) == 1,
        )
        for origin, name, expansion, kind, kept in data["productions"]
    )

    def actions(row: list[int]) -> dict[str, int]:
        return {symbols[symbol]: action for symbol, action in zip(row[::2], row[1::2])}

    def items(row: list[int]) -> tuple[Item, ...]:
        return tuple(Item(productions[number], seen) for number, seen in zip(row[::2], row[1::2]))

    return ParseTable(
        size=len(data["actions"]),
        literals=data["literals"],
        patterns=data["patterns"],
        productions=productions,
        actions=OfState(data["actions"], actions),
        items=OfState(data["items"], items),
        start=data["start"],
        end=data["end"],
        terminals=frozenset(data["literals"].values()).union(data["patterns"]),
    )


def _make(grammar: str) -> dict[str, Any]:
    """The table of a grammar as plain data; states are numbered in the order in which they are reached."""
    from lark import Lark
    from lark.grammar import Rule
    from lark.parsers.lalr_analysis import Shift

    # `debug` keeps the item sets; `basic` spares the lexers of Lark, which are not used here.
    lark = Lark(grammar, parser="lalr", lexer="basic", start=list(_STARTS), maybe_placeholders=True, debug=True)
    table: Any = lark.parser.parser._parse_table

    order = [table.start_states[start] for start in _STARTS]
    numbers = {state: number for number, state in enumerate(order)}
    for state in order:
        for symbol in sorted(table.states[state]):
            action, target = table.states[state][symbol]
            if action is Shift and target not in numbers:
                numbers[target] = len(order)
                order.append(target)

    rules: dict[Rule, int] = {}
    for state in order:
        for symbol in sorted(table.states[state]):
            action, target = table.states[state][symbol]
            if action is not Shift:
                rules.setdefault(target, len(rules))

    symbols: dict[str, int] = {}

    def symbol_number(name: str) -> int:
        return symbols.setdefault(name, len(symbols))

    actions = [
        _row(
            (symbol_number(symbol), numbers[target] if action is Shift else -1 - rules[target])
            for symbol, (action, target) in sorted(table.states[state].items())
        )
        for state in order
    ]
    items = [_row(sorted((rules[i.rule], i.index) for i in state if i.index and i.rule in rules)) for state in order]
    literals = {terminal.pattern.value: terminal.name for terminal in lark.terminals if terminal.pattern.type == "str"}
    patterns = {
        terminal.name: terminal.pattern.to_regexp() for terminal in lark.terminals if terminal.pattern.type == "re"
    }
    return {
        "grammar": _fingerprint(grammar),
        "literals": dict(sorted(literals.items())),
        "patterns": dict(sorted(patterns.items())),
        "productions": [_production(rule, symbol_number) for rule in rules],
        "actions": actions,
        "items": items,
        "start": {start: numbers[table.start_states[start]] for start in _STARTS},
        "end": {start: numbers[table.end_states[start]] for start in _STARTS},
        "symbols": list(symbols),
    }


def _row(pairs: Iterable[tuple[int, int]]) -> str:
    """The row of numbers that `OfState` reads."""
    return " ".join(f"{first} {second}" for first, second in pairs)


def _production(rule: Any, symbol_number: Callable[[str], int]) -> list[Any]:
    """One production as plain data; follows what Lark does with `_rule`, `?rule`, `!rule`, `[..]` and aliases."""
    kept: list[int | None] = []
    absent = re.split("0", "".join("1" if empty else "0" for empty in rule.options.empty_indices))
    for position, symbol in enumerate(rule.expansion):
        if rule.options.empty_indices:
            kept.extend([None] * len(absent[position]))
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            kept.append(position)
    if rule.options.empty_indices:
        kept.extend([None] * len(absent[-1]))
    kind: Kind = "build"
    if rule.origin.name.startswith("_"):
        kind = "splice"
    elif rule.options.expand1 and not rule.alias and len(kept) == 1:
        kind = "pass"
    expansion = [symbol_number(symbol.name) for symbol in rule.expansion]
    return [symbol_number(rule.origin.name), rule.alias or rule.origin.name, expansion, kind, kept]


if __name__ == "__main__":
    write_table()
