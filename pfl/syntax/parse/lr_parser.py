"""An LALR(1) automaton at work: takes tokens one at a time and builds values bottom up, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic
from pfl.base.source import SourceFile, Span
from pfl.syntax.parse.parse_table import END, Production, load_table

NESTING_LIMIT = 500
"""How many levels of brackets, prefix operators and the like may stand inside each other."""

MOST_READINGS = 16
"""How many ways to read the tokens that follow are looked at side by side."""

Builder: TypeAlias = Callable[..., Any]
"""Makes the value of a production from its span and the values of its right side. A list is spliced into the whole."""

BRACKETS = frozenset({"LPAR", "LSQB", "LBRACE"})
"""The terminals of opening brackets."""

_OPENERS = {
    "implication": "=>",
    "negation": "not",
    "negative": "-",
    "power": "^",
    "conditional": "if",
    "forall": "forall",
    "exists": "exists",
    "array_type": "of",
    "set_type": "of",
}
"""Productions that nest without brackets, each with the sign after which what is nested follows."""

_CHAINS = frozenset({"field", "projection", "at", "call", "else_if"})
"""Productions that nest to the left, or by `else if`."""

_PARTS = frozenset({"arguments", "generator"})
"""Productions in brackets that are counted with the whole that they belong to."""


class Token(NamedTuple):
    """A piece of text with its terminal, and the offsets of its ends."""

    terminal: str
    text: str
    start: int
    end: int


def readings(token: Token) -> tuple[str, ...]:
    """The terminals that a token can have: a name may also be a word of the language."""
    word = load_table().literals.get(token.text)
    return (token.terminal, word) if word and word != token.terminal else (token.terminal,)


class SyntaxFault(Exception):
    """A part of the source that the grammar allows and the language does not."""

    def __init__(self, code: Code, span: Span, message: str, help: str | None = None, label: str = "") -> None:
        self.diagnostic = Diagnostic.at(code, span, message, label=label, help=help)
        super().__init__(message)


class TooDeep(Exception):
    """More than `NESTING_LIMIT` levels, at these offsets."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        super().__init__(f"nesting beyond {NESTING_LIMIT} levels")


class LrParser:
    """The stack of an LALR(1) automaton with the value, start, and nesting of every symbol on it."""

    def __init__(self, file: SourceFile, start: str, builders: Mapping[str, Builder]) -> None:
        self.table = load_table()
        self.states = [self.table.start[start]]
        self.end = 0
        self._file = file
        self._accepting = self.table.end[start]
        self._builders = builders
        self._nesting, self._openings = _levels(), _openings()
        self._values: list[Any] = [None]
        self._starts = [0]
        self._levels = [0]
        """Of each value: how many levels are nested in it."""
        self._open = [0]
        """Of each symbol: how many levels are open after it."""

    def feed(self, token: Token) -> bool:
        """Take a token; False, with the stack in any state, where it cannot stand here.

        Raises `TooDeep`, and whatever builders raise.
        """
        actions, productions = self.table.actions, self.table.productions
        states = self.states
        terminal = token.terminal
        while True:
            action = actions[states[-1]].get(terminal)
            if action is None:
                return False
            if action >= 0:
                break
            if productions[-1 - action].is_unit:
                states[-1] = _after_units(states[-2], states[-1], terminal)
            else:
                self._reduce(productions[-1 - action])
        states.append(action)
        depth = self._open[-1] + self._openings[action]
        self._values.append(token)
        self._starts.append(token.start)
        self._levels.append(0)
        self._open.append(depth)
        self.end = token.end
        if depth > NESTING_LIMIT:
            raise TooDeep(token.start, token.end)
        return True

    def can_take(self, *terminals: str) -> bool:
        """Whether tokens of these terminals can stand here, one after the other. Changes nothing."""
        if terminals and terminals[0] not in self.table.actions[self.states[-1]]:
            return False
        return self.taken_of([(terminal,) for terminal in terminals]) == len(terminals)

    def taken_of(self, following: Iterable[tuple[str, ...]]) -> int:
        """How many of some tokens can stand here, one after the other, the first ones up to one that cannot.

        Each is given by the terminals that it can be, and every way to read them counts, of more than `MOST_READINGS`
        the first ones. Changes nothing.
        """
        readings = [self.states]
        count = 0
        for terminals in following:
            readings = [
                after for states in readings for terminal in terminals if (after := self._after(states, terminal))
            ][:MOST_READINGS]
            if not readings:
                break
            count += 1
        return count

    def _after(self, states: list[int], terminal: str) -> list[int]:
        """The states after a token is taken in some; none where it cannot be."""
        actions, productions = self.table.actions, self.table.productions
        if terminal not in actions[states[-1]]:
            return []
        after = list(states)
        while (action := actions[after[-1]].get(terminal)) is not None and action < 0:
            production = productions[-1 - action]
            del after[len(after) - len(production.expansion) :]
            after.append(actions[after[-1]][production.origin])
        if action is None:
            return after if terminal == END and after[-1] == self._accepting else []
        after.append(action)
        return after

    def accepts(self) -> frozenset[str]:
        """The terminals that can stand here."""
        terminals = self.table.terminals
        return frozenset(t for t in self.table.actions[self.states[-1]] if t in terminals and self.can_take(t))

    def can_end(self) -> bool:
        """Whether what was taken so far is complete."""
        return END in self.table.actions[self.states[-1]] and self.can_take(END)

    def finish(self) -> Any:
        """The value of everything that was taken; asks that `can_end()`."""
        self.feed(Token(END, "", self.end, self.end))
        assert self.states[-1] == self._accepting
        return self._values[-1]

    def stack(self) -> list[tuple[Token | None, int]]:
        """What is not yet part of a whole, in the order of the source: the token, None for a whole, and the state."""
        return [(value if isinstance(value, Token) else None, state) for value, state in zip(self._values, self.states)]

    def _reduce(self, production: Production) -> None:
        size = len(production.expansion)
        values, starts, levels = self._values, self._starts, self._levels
        if size:
            taken = values[-size:]
            start = starts[-size]
            level = levels[-1] if size == 1 else max(levels[-size:])
            if production in self._nesting:
                level += 1
                if level > NESTING_LIMIT:
                    raise TooDeep(start, self.end)
            del values[-size:], starts[-size:], levels[-size:], self.states[-size:], self._open[-size:]
        else:
            taken = []
            start = self.end
            level = 0
        children = taken if production.keeps_all else [None if p is None else taken[p] for p in production.kept]
        if list in map(type, children):
            children = _spliced(children)
        if production.kind == "build":
            value = self._builders[production.name](Span(self._file, start, self.end), *children)
        else:
            value = children if production.kind == "splice" else children[0]
        values.append(value)
        starts.append(start)
        levels.append(level)
        self._open.append(self._open[-1])
        self.states.append(self.table.actions[self.states[-1]][production.origin])


def _spliced(values: list[Any]) -> list[Any]:
    """The values with lists among them taken apart; the first value of all goes on if it is a list, so that a long list
    grows in place."""
    spliced: list[Any] = []
    for value in values:
        if type(value) is not list:
            spliced.append(value)
        elif spliced:
            spliced.extend(value)
        else:
            spliced = value
    return spliced


@cache
def _openings() -> tuple[int, ...]:
    """For each state, 1 if entering it by a token opens a level."""
    table = load_table()

    def opens(state: int) -> bool:
        for item in table.items[state]:
            opener = _OPENERS.get(item.production.name)
            if item.entered_by in BRACKETS or (opener and item.entered_by == table.literals[opener]):
                return True
        return False

    return tuple(int(opens(state)) for state in range(len(table.actions)))


@cache
def _levels() -> frozenset[Production]:
    """The productions that are a level of nesting of their own."""
    return frozenset(
        p
        for p in load_table().productions
        if p.name in _CHAINS
        or (p.name in _OPENERS and p.kind == "build")
        or (p.name not in _PARTS and not BRACKETS.isdisjoint(p.expansion))
    )


@cache
def _after_units(below: int, top: int, terminal: str) -> int:
    """The state that replaces `top` after all reductions before `terminal` that only rename a symbol."""
    table = load_table()
    while True:
        action = table.actions[top].get(terminal, 0)
        if action >= 0 or not table.productions[-1 - action].is_unit:
            return top
        top = table.actions[below][table.productions[-1 - action].origin]
