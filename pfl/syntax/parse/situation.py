"""Where the parser stands when it meets a token that cannot stand there.

What can stand at a place, in words, and an example of what is being written there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property

from pfl.base.source import SourceFile, Span
from pfl.base.struct import struct
from pfl.syntax.parse.lr_parser import Automaton, Builder, LrParser, Token, readings
from pfl.syntax.parse.parse_table import END, load_table

OPERAND_ENDS = frozenset({"NAME", "INT", "DECIMAL", "STRING", ")", "]", "}", "true", "false", "bool", "int", "real"})
OPERAND_STARTS = frozenset({"NAME", "INT", "DECIMAL", "STRING", "(", "[", "{", "true", "false", "bag", "match"})
CLOSING = {"(": ")", "[": "]", "{": "}"}


@struct(cached=True)
class Situation:
    """A declaration that starts at `tokens[first]` and cannot go on at `tokens[index]`.

    `taken` are the tokens up to there as they were read, repairs included. `index` is `len(tokens)` at the end of the
    file. `at_declaration` is set where the next declaration seems to begin at `index`.
    """

    file: SourceFile
    start: str
    tokens: Sequence[Token]
    first: int
    index: int
    taken: Sequence[Token]
    at_declaration: bool

    @property
    def token(self) -> Token | None:
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    @property
    def previous(self) -> Token:
        """The token before; only where there is one."""
        return self.tokens[self.index - 1]

    @property
    def following(self) -> Token | None:
        return self.tokens[self.index + 1] if self.index + 1 < len(self.tokens) else None

    @property
    def text(self) -> str:
        """What stands at the place; empty at the end of the file."""
        return self.token.text if self.token else ""

    @property
    def span(self) -> Span:
        """The place; an empty span at the end of the file."""
        end = self.taken[-1].end if self.taken else 0
        return self.span_of(self.token) if self.token else Span(self.file, end, end)

    @property
    def is_end(self) -> bool:
        """Whether nothing more of this declaration comes: the file ends or another declaration begins."""
        return self.token is None or self.at_declaration

    @cached_property
    def parser(self) -> LrParser:
        """A parser that has taken everything before the place."""
        return self._after(self.taken)

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The spellings that could stand here, and the kinds NAME, INT, DECIMAL, STRING."""
        return _spelled(self.parser.accepts())

    @cached_property
    def accepted_before(self) -> frozenset[str]:
        """The spellings that could stand in the place of the token before."""
        return _spelled(self._after(self.taken[:-1]).accepts())

    def _after(self, taken: Sequence[Token]) -> LrParser:
        parser = LrParser(self.file, self.start, _bare_automaton())
        for token in taken:
            parser.feed(token)
        return parser

    @cached_property
    def _around(self) -> list[tuple[Token | None, int]]:
        """The stack of the parser, the innermost first, without what stands in brackets that are closed."""
        around: list[tuple[Token | None, int]] = []
        closed = 0
        for token, state in reversed(self.parser.stack()):
            text = token.text if token else ""
            closed += text in CLOSING.values()
            if not closed:
                around.append((token, state))
            elif text in CLOSING:
                closed -= 1
        return around

    @property
    def open_brackets(self) -> list[Token]:
        """The brackets that are open here, the innermost last."""
        return [token for token, _ in reversed(self._around) if token and token.text in CLOSING]

    @property
    def innermost(self) -> str:
        """The innermost open bracket, or an empty text."""
        return self.open_brackets[-1].text if self.open_brackets else ""

    def span_of(self, token: Token) -> Span:
        return Span(self.file, token.start, token.end)

    def after_previous(self) -> Span:
        """The empty place just after the token before."""
        return Span(self.file, self.previous.end, self.previous.end)

    def is_first_on_line(self) -> bool:
        """Whether a line break lies between the token before and this one, or this is the end."""
        return self.token is None or is_first_on_line(self.file, self.tokens, self.index)

    def productions(self) -> list[str]:
        """The names of the productions that the parser is in the middle of, the innermost first.

        Without those that an operand may begin and of which it is all that was read: every operand may begin many.
        """
        table = load_table()
        items = (item for _, state in self._around for item in table.items[state])
        return [
            item.production.name for item in items if item.seen != 1 or item.production.expansion[0] in table.terminals
        ]

    def is_in_clause(self) -> bool:
        """Whether the innermost open bracket is the brace around the clauses of a claim or a relation."""
        items = load_table().items
        for token, state in self._around:
            if token and token.text in CLOSING:
                return any(item.production.name in ("clauses", "relation_decl") for item in items[state])
        return False

    def clause_word(self) -> Token | None:
        """The first word of the clause that is being written; None between clauses, and outside of them."""
        first: Token | None = None
        if not self.is_in_clause() or self.taken[-1].text == ";":
            return None
        for token, _ in self._around:
            if token and token.text in CLOSING:
                break
            first = token or first
        return first

    def is_after_comparison(self) -> bool:
        """Whether the operand before the place already belongs to a comparison."""
        items = load_table().items
        for token, state in self._around:
            if token and token.text in CLOSING:
                return False
            if any(item.production.name in ("comparison", "exclusion") and item.seen > 1 for item in items[state]):
                return True
        return False

    def words_for(self, word: Token) -> frozenset[str]:
        """The words in whose place `word` could stand among `taken`, and after which the rest of it, and this token,
        would have a meaning."""
        index = self.taken.index(word)
        before, after = self.taken[:index], self.taken[index + 1 :]
        return frozenset(
            spelling
            for spelling in _spelled(self._after(before).accepts())
            if spelling.isidentifier()
            and spelling.islower()
            and self._goes_on((*before, word._replace(terminal=load_table().literals[spelling], text=spelling)), after)
        )

    def _goes_on(self, before: Sequence[Token], after: Sequence[Token]) -> bool:
        parser = self._after(before)
        terminals = [token.terminal for token in after]
        return self.token is not None and any(parser.can_take(*terminals, r) for r in readings(self.token))

    def would_fit(self, *inserted: str) -> bool:
        """Whether this token could stand here after some signs were put in before it."""
        signs = [load_table().literals[sign] for sign in inserted]
        if self.is_end:
            return self.parser.can_take(*signs, END)
        return any(self.parser.can_take(*signs, terminal) for terminal in readings(self.tokens[self.index]))

    def would_fit_as(self, terminal: str, following: Token) -> bool:
        """Whether the parser could go on with the next token, were this one of another terminal."""
        return any(self.parser.can_take(terminal, reading) for reading in readings(following))

    def would_fit_after(self, terminal: str) -> bool:
        """Whether this token could stand here, were the one before it of another terminal."""
        if self.token is None:
            return False
        return any(self._after(self.taken[:-1]).can_take(terminal, reading) for reading in readings(self.token))


def kind(token: Token) -> str:
    """The spelling of a fixed word or sign, else NAME, INT, DECIMAL or STRING."""
    return token.terminal if token.terminal in load_table().patterns else token.text


def is_first_on_line(file: SourceFile, tokens: Sequence[Token], index: int) -> bool:
    """Whether no other token stands before this one on its line."""
    if index == 0:
        return True
    return file.position(tokens[index - 1].end)[0] < file.position(tokens[index].start)[0]


@cache
def _bare_automaton() -> Automaton:
    return Automaton(_NoBuilders())


class _NoBuilders(dict[str, Builder]):
    """Builds nothing: the stack of the parser is all that is wanted."""

    def __missing__(self, _name: str) -> Builder:
        return lambda *_parts: None


def _spelled(terminals: frozenset[str]) -> frozenset[str]:
    spellings = _spellings()
    return frozenset(spellings.get(terminal, terminal) for terminal in terminals)


@cache
def _spellings() -> dict[str, str]:
    return {terminal: literal for literal, terminal in load_table().literals.items()}


_OPERATORS = frozenset(
    {"=>", "or", "and", "not", "==", "!=", "<", "<=", ">", ">=", "in", "..", "+", "-", "*", "/", "div", "mod", "^"}
    | {"(", "[", ".", "@", "with", "|"}
)
"""What can always follow an operand, so that naming it says little."""

_ENDS = frozenset({"}", ")", "]", ";"})

_KINDS = {"NAME": "a name", "INT": "a number", "DECIMAL": "a number", "STRING": "a text in double quotes"}

_WHOLES = (
    ("let", "a statement"),
    ("emit", "a part of the hmm"),
    ("on", "a part of the automaton"),
    ("secrets", "a clause"),
    ("forall", "an expression"),
    ("set", "a type"),
    ("bag", "a value"),
)
"""A word that is accepted where, and only where, one of these can stand; the largest first."""

_FORMS = {
    "import_decl": "import std.noise;",
    "imported_name": "import std.noise { truncated_geometric as geometric };",
    "const_decl": "const N = 3;",
    "param_decl": "param p in (0, 1);",
    "assume_decl": "assume p <= 9/10;",
    "enum_decl": "enum Health { well, sick }",
    "type_decl": "type Query = [N] of 0..2;",
    "record_decl": "record Visit { who: 0..3, long: bool }",
    "fn_decl": "fn double(n: int): int = 2 * n;",
    "dist_decl": "dist coin(w: real) over bool = { true: w, false: 1 - w };",
    "prior_decl": "prior known(w: real) for Survey { .. }",
    "adjacency_decl": "adjacency close(a: int, b: int) = abs(a - b) <= 1;",
    "mechanism_decl": "mechanism noisy(q: Query) -> 0..2 { .. }",
    "relation_decl": "relation near(j: 0..2) for slots(2, 1) { balance 2*j*ln(2); holds left.cur == right.cur; }",
    "relation_clause": "holds left.cur == right.cur;",
    "parameter": "q: 0..2",
    "const_parameter": "const n: int",
    "hmm_decl": "hmm Weather { .. }",
    "automaton_decl": "automaton Door { .. }",
    "letters": "emits { quiet, cough };",
    "emit_clause": "emit x;",
    "init_block": "init x ~ { well: 1/2, sick: 1/2 };",
    "step_block": "step x ~ { well: 1/2, sick: 1/2 };",
    "step_line": "step x ~ { well: 1/2, sick: 1/2 };",
    "init_row": "init rainy: 3/5, sunny: 2/5;",
    "hmm_state": "rainy -> rainy: 7/10, sunny: 3/10;",
    "step_row": "rainy -> rainy: 7/10, sunny: 3/10;",
    "emits_row": "rainy emits walk: 1/10, shop: 9/10;",
    "state_variable": "state x: 0..2;",
    "states": "states rainy, sunny;",
    "channel": "data d: 0..1;",
    "channels": "query ask;",
    "output": "output yes, no;",
    "hidden": "hidden wait;",
    "start_state": "start idle;",
    "handler": "on query y { .. }",
    "automaton_state": "idle -- ask --> asked;",
    "transition": "idle -- ask --> asked;",
    "claim_decl": "check privacy noisy { epsilon ln(2); }",
    "claim_subject": "check privacy noisy { epsilon ln(2); }",
    "find_decl": "find p such that privacy noisy(p) { epsilon ln(2); }",
    "prior_clause": "prior known(p);",
    "for_clause": "for a in 0..2;",
    "secrets_clause": "secrets john vs not john;",
    "between_clause": "between { 0: 1 } and { 2: 1 };",
    "received_clause": "received close at most 1;",
    "returns_clause": "returns r where r > 1;",
    "observations_clause": "observations walk, _, clean;",
    "one_way_clause": "one way;",
    "limit_clause": "at most 1/2;",
    "let": "let x = e;",
    "var": "var x = e;",
    "for_statement": "for i in 0..2 { .. }",
    "while_statement": "while c { .. }",
    "forever_statement": "forever { .. }",
    "if_statement": "if c { .. } else { .. }",
    "match_statement": "match x { well => { .. } sick => { .. } }",
    "statement_arm": "well => { .. }",
    "receive": "receive y: 0..2;",
    "start": "start sick = 1;",
    "assignment": "x = e; or x ~ d;",
    "call_statement": "f(x);",
    "conditional": "if c then a else b",
    "forall": "forall x in S: condition",
    "exists": "exists x in S: condition",
    "binder": "[e for x in S if c]",
    "arm": "match x { well => 1, _ => 2 }",
    "match": "match x { well => 1, _ => 2 }",
    "distribution": "{ well: 9/10, sick: 1/10 }",
    "set_filter": "{x in S | condition}",
    "set": "{ a, b }",
    "bag": "bag {0, 1, 1}",
    "array": "[a, b]",
    "index": "a[i][j]",
    "projection": "t.0",
    "at": "x@3",
    "with": "v with { who = 2 }",
    "field_update": "v with { who = 2 }",
    "index_update": "a with { [i] = 2 }",
    "array_type": "[n] of T",
    "set_type": "set of T",
    "bag_type": "bag[n] of T",
    "mechanism_type": "mechanism(T) -> U",
}
"""An example of each production that a reader may be in the middle of."""


def form_of(s: Situation) -> str | None:
    """An example of the innermost thing that is being written, or None."""
    return next((_FORMS[name] for name in s.productions() if name in _FORMS), None)


def expected(s: Situation) -> str:
    """What can stand at the place: `an expression`, `a name or ``}```."""
    accepted = s.accepted
    options: list[str] = []
    if "+" in accepted and "forall" not in accepted and s.token and kind(s.token) in OPERAND_STARTS:
        options.append("an operator")
    for mark, whole in _WHOLES:
        if mark in accepted:
            options.append(whole)
            accepted &= _ENDS
    options += sorted({_KINDS[sign] for sign in accepted if sign in _KINDS})
    signs = sorted(accepted - _KINDS.keys(), key=lambda sign: (sign in _ENDS, sign))
    telling = [sign for sign in signs if sign not in _OPERATORS]
    if telling or options:
        options += [f"`{sign}`" for sign in telling]
    else:
        options += ["an operator"] if "+" in signs else [f"`{sign}`" for sign in signs]
    if len(options) > 5:
        options = [*options[:4], "something else"]
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
