"""An LALR(1) automaton at work: takes tokens one at a time and builds values bottom up, without recursion."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
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


class Reduction(NamedTuple):
    """What becomes of the values of a production: `size` of them are taken, those that count are handed to `build`, or
    stand for the whole where that is None; `is_part` says that they are a part of a list then.

    `pick` takes the ones that count; None where these are all. Lists among them are spliced, if `may_splice`: tokens
    are none. `opened` is how many levels the symbols opened, which
    are closed after it, and `nests` how many levels of nesting the whole is by itself.
    """

    size: int
    origin: str
    is_unit: bool
    build: Builder | None
    is_part: bool
    pick: Callable[[Sequence[Any]], Sequence[Any]] | None
    may_splice: bool
    opened: int
    nests: int


class Automaton:
    """The table of the grammar with what builds the values of its productions.

    `opens[state]` says whether entering a state by a token opens a level. `many_sided` are the texts that may mean more
    than one thing: words that are names elsewhere, and `--`.
    """

    def __init__(self, builders: Mapping[str, Builder]) -> None:
        self.table = load_table()
        self.opens = _Openings()
        is_name = re.compile(self.table.patterns["NAME"]).fullmatch
        self.many_sided = frozenset({"--", *filter(is_name, self.table.literals)})
        self.reductions = tuple(
            Reduction(
                size=len(production.expansion),
                origin=production.origin,
                is_unit=production.is_unit,
                build=builders[production.name] if production.kind == "build" else None,
                is_part=production.kind == "splice",
                pick=None if production.keeps_all else _picking(production.kept),
                may_splice=not self.table.terminals.issuperset(production.expansion),
                opened=sum(_opens(production, symbol) for symbol in production.expansion),
                nests=int(_nests(production)),
            )
            for production in self.table.productions
        )


class LrParser:
    """The stack of an LALR(1) automaton with the value, start, and nesting of every symbol on it."""

    def __init__(self, file: SourceFile, start: str, automaton: Automaton) -> None:
        self.table = automaton.table
        self.states = [self.table.start[start]]
        self.end = 0
        self.place = 0
        self._file = file
        self._accepting = self.table.end[start]
        self.automaton = automaton
        self._values: list[Any] = [None]
        self._starts = [0]
        self._levels = [0]
        """Of each value: how many levels are nested in it."""
        self._depth = 0
        """How many levels are open."""

    def feed(self, token: Token) -> bool:
        """Take a token; False, with the stack in any state, where it cannot stand here.

        Raises `TooDeep`, and whatever builders raise.
        """
        return not self.feed_all((token,), 0, frozenset(), [])

    def feed_all(self, tokens: Sequence[Token], first: int, apart: Container[str], taken: list[Token]) -> bool:
        """Take tokens from a place on, and add them to `taken`, up to one of the texts in `apart`, or to a `;` or `}`
        with which all may be complete; `self.place` is that of the first one that was not taken.

        True, with the stack in any state, where that cannot stand there. Raises what `feed` does, at that place.
        """
        # Nearly all the time of a long file goes by in here, so nothing is called that can be done in place.
        rows, reductions, opens = self.table.actions, self.automaton.reductions, self.automaton.opens
        states, values, starts, levels = self.states, self._values, self._starts, self._levels
        file, end, place = self._file, self.end, first - 1
        for place in range(first, len(tokens)):
            self.place = place
            token = tokens[place]
            terminal, text, token_start, token_end = token
            if text in apart:
                return False
            while (action := rows[states[-1]].get(terminal)) is None or action < 0:
                if action is None:
                    return True
                size, origin, is_unit, build, is_part, pick, may_splice, opened, nests = reductions[-1 - action]
                if is_unit:
                    states[-1] = _after_units(states[-2], states[-1], terminal)
                    continue
                if size == 0:
                    children: Sequence[Any] = []
                    start = end
                    states.append(0)
                    values.append(None)
                    starts.append(start)
                    levels.append(0)
                elif size == 1:
                    children = values[-1:]
                    start = starts[-1]
                else:
                    children = values[-size:]
                    start = starts[-size]
                    level = max(levels[-size:])
                    del values[1 - size :], states[1 - size :], starts[1 - size :], levels[1 - size :]
                    levels[-1] = level
                if nests:
                    levels[-1] += 1
                    if levels[-1] > NESTING_LIMIT:
                        raise TooDeep(start, end)
                self._depth -= opened
                if pick is not None:
                    children = pick(children)
                if may_splice and list in map(type, children):
                    children = _spliced(children)
                if build is not None:
                    values[-1] = build(Span(file, start, end), *children)
                elif not is_part:
                    values[-1] = children[0]
                else:
                    values[-1] = children if type(children) is list else list(children)
                states[-1] = rows[states[-2]][origin]
            states.append(action)
            values.append(token)
            starts.append(token_start)
            levels.append(0)
            taken.append(token)
            self.end = end = token_end
            if opens[action]:
                self._depth += 1
                if self._depth > NESTING_LIMIT:
                    raise TooDeep(token_start, end)
            elif (text == ";" or text == "}") and END in rows[action]:
                break
        self.place = place + 1
        return False

    def can_take(self, *terminals: str) -> bool:
        """Whether tokens of these terminals can stand here, one after the other. Changes nothing."""
        if terminals:
            action = self.table.actions[self.states[-1]].get(terminals[0])
            if action is None or (action >= 0 and len(terminals) == 1):
                return action is not None
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


def _spliced(values: Sequence[Any]) -> list[Any]:
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


def _picking(kept: Sequence[int | None]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What takes the values at these places, and None where there is no place."""
    if len(kept) == 1 and kept[0] is not None:
        only = kept[0]
        return lambda values: values[only : only + 1]
    if len(kept) > 1 and None not in kept:
        return itemgetter(*kept)
    return lambda values: [None if place is None else values[place] for place in kept]


def _opens(production: Production, symbol: str) -> bool:
    """Whether a symbol of a production opens a level."""
    opener = _OPENERS.get(production.name)
    return symbol in BRACKETS or (opener is not None and symbol == load_table().literals[opener])


def _nests(production: Production) -> bool:
    """Whether a production is a level of nesting of its own."""
    return (
        production.name in _CHAINS
        or (production.name in _OPENERS and production.kind == "build")
        or (production.name not in _PARTS and not BRACKETS.isdisjoint(production.expansion))
    )


class _Openings(dict[int, bool]):
    """Whether entering a state by a token opens a level: of all productions that a state is in the middle of, or of
    none, so that it does not matter which of them it comes to be."""

    def __missing__(self, state: int) -> bool:
        items = load_table().items[state]
        opens = self[state] = any(_opens(item.production, item.entered_by) for item in items)
        return opens


@cache
def _after_units(below: int, top: int, terminal: str) -> int:
    """The state that replaces `top` after all reductions before `terminal` that only rename a symbol."""
    table = load_table()
    while True:
        action = table.actions[top].get(terminal, 0)
        if action >= 0 or not table.productions[-1 - action].is_unit:
            return top
        top = table.actions[below][table.productions[-1 - action].origin]
