"""From source text to the syntax tree: each declaration is parsed by itself, so that faults do not spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.source import SourceFile, Span
from pfl.syntax.parse import build_claims, build_declarations, build_expressions, build_statements
from pfl.syntax.parse.lr_parser import (
    NESTING_LIMIT,
    Automaton,
    Builder,
    LrParser,
    SyntaxFault,
    Token,
    TooDeep,
    readings,
)
from pfl.syntax.parse.scanner import Scan, doc_between, end_of_module_doc, likely_divisions, scan
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_module import Module, TopLevel

if TYPE_CHECKING:
    from pfl.syntax.parse.recovery import Diagnosis

_BUILDERS: Mapping[str, Builder] = {
    **build_expressions.BUILDERS,
    **build_statements.BUILDERS,
    **build_declarations.BUILDERS,
    **build_claims.BUILDERS,
}


@cache
def _automaton() -> Automaton:
    return Automaton(_BUILDERS)


Faults: TypeAlias = tuple[Diagnostic, ...]

MOST_REPAIRS = 20
"""How many mistakes in one declaration are told at most."""

_CLAUSE_WORD, _STATEMENT_WORD = "SECRETS", "LET"
"""Words that stand where a clause, and where a statement, begins, and nowhere else: a clause begins with its word, and
a statement is more than a name."""

FARTHEST_LOOK = 100
"""How many tokens are looked at to tell a word of the language from a name that is spelled like it."""

SURE_AFTER = 3
"""How many tokens must be read after a mended mistake before another one is believed to be of its own."""


def parse_module(file: SourceFile, scanned: Scan | None = None) -> tuple[Module, tuple[Diagnostic, ...]]:
    """The declarations of a file that could be parsed, and everything that is wrong with its syntax. Never raises.

    A mistake that is plain, such as a missing `;`, is told and mended, and its declaration kept. `scanned` is what
    `scan` says of the file, where that is known already.
    """
    scanned = scanned or scan(file)
    module, found = _parsed(file, scanned)
    if len(found) > len(scanned.found):
        divisions: frozenset[int] = frozenset()
        for start in likely_divisions(scanned):
            again = scan(file, divisions | {start})
            other_module, other_found = _parsed(file, again)
            if _is_division(file, start, found, other_found):
                module, found, divisions = other_module, other_found, divisions | {start}
    return module, found


def _is_division(file: SourceFile, start: int, as_comment: Faults, as_division: Faults) -> bool:
    """Whether a `//` must be meant as a division: read so, its line is right, and something is mended."""
    end = file.text.find("\n", start)
    places = [diagnostic.labels[0].span.start for diagnostic in as_division]
    if any(start < place and (end < 0 or place <= end) for place in places):
        return False
    before = (diagnostic.labels[0].span.start for diagnostic in as_comment)
    return any(place < start and not file.text[place:start].strip() for place in before) or (
        len(as_division) <= len(as_comment)  # that it is no division is one fault of them
    )


def _parsed(file: SourceFile, scanned: Scan) -> tuple[Module, tuple[Diagnostic, ...]]:
    tokens, comments = scanned.tokens, scanned.comments
    found = Diagnostics(scanned.found)
    declarations: list[TopLevel] = []
    doc_start = end_of_module_doc(comments, file.text, tokens[0].start if tokens else len(file.text))
    module_doc = doc_between(comments, 0, doc_start)
    position = 0
    while position < len(tokens):
        first = tokens[position]
        part = _Part(file, "declaration", scanned, position)
        value = part.parse()
        found.extend(part.found)
        if value is not None:
            declarations.append(replace(value, doc=doc_between(comments, doc_start, first.start)))
        position = part.position
        doc_start = tokens[position - 1].end
    if not tokens and not scanned.found:
        found.add(Diagnostic.at(codes.EMPTY_FILE, Span(file, 0, 0), "the file declares nothing"))
    return Module(file=file, declarations=tuple(declarations), doc=module_doc), found.sorted()


def parse_expression(text: str, name: str = "expression") -> tuple[Expr | None, tuple[Diagnostic, ...]]:
    """The expression that a text is, or None, and what is wrong with it; `name` stands for a file name in messages."""
    file = SourceFile(name=name, text=text)
    scanned = scan(file)
    part = _Part(file, "expression", scanned, 0)
    value = part.parse()
    found = Diagnostics((*scanned.found, *part.found))
    return None if found.has_errors else value, found.sorted()


class _Part:
    """One declaration, or one expression that is a whole text, while it is being parsed.

    Parsing begins at `position`, and afterwards `position` is where the next declaration begins. What is needed only
    where something is wrong is imported there.
    """

    def __init__(self, file: SourceFile, start: str, scanned: Scan, position: int) -> None:
        self.position = position
        self.found: list[Diagnostic] = []
        self._file = file
        self._start = start
        self._scanned = scanned
        self._first = position
        self._taken: list[Token] = []
        self._quiet_until = position
        self._parser = LrParser(file, start, _automaton())

    def parse(self) -> Any:
        """What the text means, mended where a mistake is plain; None where it has no meaning."""
        try:
            while not self._is_read():
                if not self._mend():
                    self._skip()
                    return None
            return self._parser.finish()
        except TooDeep as deep:
            place = Span(self._file, deep.start, deep.end)
            message = f"more than {NESTING_LIMIT} levels are nested here"
            help = "name the inner parts by functions or `let`"
            self.found = [Diagnostic.at(codes.NESTING, place, message, help=help)]
        except SyntaxFault as fault:
            if not self._has_gap() and self.position >= self._quiet_until:
                self._tell(fault.diagnostic)
        self._skip()
        return None

    def _is_read(self) -> bool:
        """Take tokens until all is complete; False at one that cannot stand where it does."""
        tokens, parser = self._scanned.tokens, self._parser
        apart = parser.automaton.many_sided
        while not self._is_complete():
            if self.position == len(tokens):
                return parser.can_end()
            if tokens[self.position].text in apart:
                if not self._take(tokens[self.position]):
                    return False
                self.position += 1
                continue
            try:
                is_stuck = parser.feed_all(tokens, self.position, apart, self._taken)
            finally:
                self.position = parser.place
            if is_stuck:
                return False
        return True

    def _is_complete(self) -> bool:
        """Whether a declaration is over: it ends in `;` or `}`, and none is the beginning of a longer one."""
        if not self._taken or self._taken[-1].text not in (";", "}"):
            return False
        return self._start == "declaration" and self._parser.can_end()

    def _take(self, token: Token) -> bool:
        """Feed a token as what it means here: a word that is a name elsewhere, `--` as two signs."""
        parser = self._parser
        if token.terminal == "NAME":
            word = parser.table.literals.get(token.text)
            if word is not None and self._is_word(word):
                token = token._replace(terminal=word)
        elif token.text == "--" and not parser.can_take(token.terminal):
            minus, middle = parser.table.literals["-"], token.start + 1
            first = Token(minus, "-", token.start, middle)
            if not parser.feed(first):
                return False
            self._taken.append(first)
            token = Token(minus, "-", middle, token.end)
        if not parser.feed(token):
            return False
        self._taken.append(token)
        return True

    def _is_word(self, word: str) -> bool:
        """Whether the present token, a name by its spelling, is a word of the language here.

        It is where it can be, unless what follows goes on longer after a name: `set of T` and `tick 1;` against
        `set == open` and `tick = 1;`.
        """
        parser, tokens, start = self._parser, self._scanned.tokens, self.position + 1
        if not parser.can_take(word):
            return False
        if not parser.can_take("NAME"):
            return True
        is_statement = start < len(tokens) and tokens[start].text == ";" and parser.can_take(_STATEMENT_WORD)
        if is_statement or parser.can_take(_CLAUSE_WORD):
            return True

        def following(count: int) -> Iterator[tuple[str, ...]]:
            last = min(start + count, len(tokens))
            return (readings(tokens[place])[::-1] for place in range(start, last))

        as_name = parser.taken_of(chain([("NAME",)], following(FARTHEST_LOOK)))
        return parser.taken_of(chain([(word,)], following(max(0, as_name - 1)))) >= as_name

    def _mend(self) -> bool:
        """Tell what is wrong at the present token, and repair it if that is safe."""
        from pfl.syntax.parse.diagnosis import diagnose
        from pfl.syntax.parse.situation import Situation

        if self._has_gap():
            return False
        earlier = self._declaration_inside()
        if earlier is not None:
            self._go_back(earlier)
        situation = Situation(
            file=self._file,
            start=self._start,
            tokens=self._scanned.tokens,
            first=self._first,
            index=self.position,
            taken=self._taken,
            at_declaration=earlier is not None,
        )
        diagnosis = diagnose(situation)
        if self.position >= self._quiet_until:
            self._tell(diagnosis.diagnostic)
        self._quiet_until = self.position + SURE_AFTER
        return len(self.found) < MOST_REPAIRS and diagnosis.has_repair and self._repair(diagnosis)

    def _has_gap(self) -> bool:
        """Whether something before the end of the present token could not be read, which has been told."""
        tokens = self._scanned.tokens
        start = tokens[self._first].start if tokens else 0
        end = tokens[self.position].end if self.position < len(tokens) else len(self._file.text)
        return any(start <= gap <= end for gap in self._scanned.gaps)

    def _declaration_inside(self) -> int | None:
        """Where the next declaration seems to begin, if that is before or at the present token."""
        from pfl.syntax.parse.recovery import begins_declaration

        tokens = self._scanned.tokens
        last = min(self.position, len(tokens) - 1)
        begins = (i for i in range(last, self._first, -1) if begins_declaration(self._file, tokens, self._first, i))
        return next(begins, None) if self._start == "declaration" else None

    def _go_back(self, position: int) -> None:
        """Give back the tokens from a position on."""
        offset = self._scanned.tokens[position].start
        while self._taken and self._taken[-1].start >= offset:
            self._taken.pop()
        self.position = position

    def _tell(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, unless another one on its line, in its words, or at its token has said as much."""
        place = diagnostic.labels[0].span
        line = place.line
        near = {place.start, self._taken[-1].start if self._taken else place.start}
        if any(told.labels[0].span.start in near for told in self._scanned.found):
            return
        for other in self.found:
            is_near = other.labels[0].span.line == line or other.message == diagnostic.message
            if other.code == diagnostic.code and is_near:
                return
        self.found.append(diagnostic)

    def _repair(self, diagnosis: Diagnosis) -> bool:
        """Read on with signs put in before the present token, or with another token in its place."""
        literals = self._parser.table.literals
        self._parser = LrParser(self._file, self._start, _automaton())
        end = self._taken[-1].end if self._taken else 0
        if diagnosis.earlier is not None:
            word, spelling = diagnosis.earlier
            self._taken[self._taken.index(word)] = word._replace(terminal=literals[spelling], text=spelling)
        mended = [*self._taken, *(Token(literals[sign], sign, end, end) for sign in diagnosis.insert)]
        if diagnosis.read_as is not None:
            if diagnosis.read_as:
                token = self._scanned.tokens[self.position]
                text = token.text if diagnosis.read_as == "NAME" else diagnosis.read_as
                mended.append(token._replace(terminal=literals.get(diagnosis.read_as, "NAME"), text=text))
            self.position += 1
        self._taken = mended
        return all(self._parser.feed(token) for token in mended)

    def _skip(self) -> None:
        """Go to where the next declaration begins."""
        from pfl.syntax.parse.recovery import next_declaration

        after = max(self.position, self._first + 1)
        self.position = next_declaration(self._file, self._scanned.tokens, self._first, after)
