"""Finds out what a syntax error is: from what could stand at the place, the tokens around it, and what is open.

Each function below knows one mistake: it looks at the situation and returns what is wrong, with a way to read on
where there is a safe one, or None. They are asked in the order of `_MISTAKES`; the last one always answers.
"""

from __future__ import annotations

from collections.abc import Callable

from pfl.syntax.errors import syntax_errors as errors
from pfl.syntax.parse.habits import HABITS, how_to_declare
from pfl.syntax.parse.lr_parser import Token
from pfl.syntax.parse.parse_table import load_table
from pfl.syntax.parse.recovery import STARTERS, Diagnosis
from pfl.syntax.parse.scanner import reserved_words
from pfl.syntax.parse.situation import CLOSING, OPERAND_ENDS, OPERAND_STARTS, Situation, expected, form_of, kind
from pfl.syntax.spelling import closest
from pfl.syntax.tree.vocabulary import CLAUSE_WORDS, CLAUSES, KINDS

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})
_ARROWS = frozenset({"->", "-->", "=>", "--"})
_CONNECTIVES = frozenset({"else", "then", "in", "of", "by", "with", "and", "or", "not", "div", "mod", "for", "if"})
_FIRST_WORDS = STARTERS | {
    *("assert", "emit", "emits", "forever", "match", "receive", "respond", "return", "state", "states", "stepwise"),
    *("tick", "while"),
}
"""Names with which declarations, parts of systems and statements begin."""
_ONE_CLAUSE = frozenset({"vs", "where"})
"""Words that only one kind of clause has."""


def diagnose(situation: Situation) -> Diagnosis:
    """What is wrong at a place where a declaration cannot begin, or cannot go on."""
    if not situation.taken:
        return _no_beginning(situation)
    for mistake in _AT_THE_END if situation.is_end else _MISTAKES:
        if diagnosis := mistake(situation):
            return diagnosis
    return _something_else(situation)


def _no_beginning(s: Situation) -> Diagnosis:
    """What stands at the top of a file, where a declaration should begin."""
    if s.start == "expression":
        return _something_else(s)
    above = s.span_of(s.previous) if s.index > 0 and s.previous.text == "}" else None
    if s.text in CLOSING.values():
        return Diagnosis(diagnostic=errors.stray_bracket(s.span, above))
    if s.text == ";":
        return Diagnosis(diagnostic=errors.stray_semicolon(s.span))
    guess = closest(s.text, STARTERS) if s.text.isidentifier() else None
    if guess and s.text not in reserved_words():
        return Diagnosis(diagnostic=errors.misspelt_word(s.span, guess))
    return Diagnosis(diagnostic=errors.not_a_declaration(s.span, above, how_to_declare(s.text)))


# --- brackets and ends -------------------------------------------------------------


def _unclosed(s: Situation) -> Diagnosis | None:
    """A bracket that is still open where its declaration or its statement is over."""
    if not s.open_brackets:
        return None
    innermost = s.open_brackets[-1]
    if not s.is_end and (innermost.text == "{" or not _is_over(s)):
        return None
    noticed = s.span if s.token else None
    closers = tuple(CLOSING[token.text] for token in reversed(s.open_brackets))
    if not s.is_end:
        closers = closers[: closers.index("}")] if "}" in closers else closers
    insert = _fitting(s, closers, (";", *closers), (*closers, ";"))
    if innermost.text != "{":
        return Diagnosis(diagnostic=errors.unclosed_bracket(s.span_of(innermost), noticed), insert=insert)
    opened = _block_without_end(s) or innermost
    return Diagnosis(diagnostic=errors.unclosed_block(s.span_of(opened), noticed), insert=insert)


def _is_over(s: Situation) -> bool:
    """Whether the statement that a round or square bracket is open in seems to be over."""
    return s.text in (";", "{") or (s.is_first_on_line() and not _closes_later(s))


def _wrong_closer(s: Situation) -> Diagnosis | None:
    """A closing bracket of another kind than the one that is open, or of none."""
    # The brackets of an interval need not match, and are no part of a whole until both are there.
    if s.text not in CLOSING.values() or s.tokens[s.first].text == "param":
        return None
    closers = tuple(CLOSING[token.text] for token in reversed(s.open_brackets))
    if not closers or (s.text not in closers and closers[0] == "}"):
        return Diagnosis(diagnostic=errors.stray_bracket(s.span), read_as="")
    opened = s.span_of(s.open_brackets[-1])
    if s.text not in closers:
        return Diagnosis(diagnostic=errors.unclosed_bracket(opened, s.span), read_as=closers[0])
    missing = closers[: closers.index(s.text)]
    if not missing:
        return None
    return Diagnosis(diagnostic=errors.unclosed_bracket(opened, s.span), insert=_fitting(s, missing, (*missing, ";")))


def _fitting(s: Situation, *repairs: tuple[str, ...]) -> tuple[str, ...]:
    """The first of some rows of signs after which the token could stand; none if there is none."""
    return next((signs for signs in repairs if s.would_fit(*signs)), ())


def _closes_later(s: Situation) -> bool:
    """Whether the innermost bracket is closed before the statement ends."""
    depth = 0
    for token in s.tokens[s.index :]:
        if token.text in CLOSING:
            depth += 1
        elif token.text in CLOSING.values():
            if depth == 0:
                return token.text == CLOSING[s.innermost]
            depth -= 1
        elif token.text == ";" and depth == 0:
            return False
    return False


def _block_without_end(s: Situation) -> Token | None:
    """A block whose closing brace stands further left than the block itself: the brace must belong to another block."""
    opened: list[Token] = []
    for token in s.tokens[s.first : s.index]:
        if token.text == "{":
            opened.append(token)
        elif token.text == "}" and opened:
            block = opened.pop()
            line, column = s.file.position(token.start)
            block_line = s.file.position(block.start)[0]
            if line > block_line and not s.file.line(line)[: column - 1].strip():
                head = s.file.line(block_line)
                if column - 1 < len(head) - len(head.lstrip()):
                    return block
    return None


def _stray_semicolon(s: Situation) -> Diagnosis | None:
    if s.text == ";" and s.previous.text in (";", "{", "}") and ";" not in s.accepted:
        return Diagnosis(diagnostic=errors.stray_semicolon(s.span), read_as="")
    return None


def _missing_semicolon(s: Situation) -> Diagnosis | None:
    if ";" not in s.accepted:
        return None
    if s.text == ",":
        goes_on = s.is_in_clause() and s.following is not None and s.following.text in CLAUSE_WORDS
        return Diagnosis(diagnostic=errors.comma_for_semicolon(s.span), read_as=";" if goes_on else None)
    if (s.is_end or s.is_first_on_line() or s.text == "}" or _begins_anew(s)) and s.would_fit(";"):
        word = s.clause_word()
        clause = _short(s.span_of(word).to(s.span_of(s.previous)).text) if word else None
        found = errors.missing_semicolon(s.after_previous(), clause or s.previous.text, is_clause=clause is not None)
        return Diagnosis(diagnostic=found, insert=(";",))
    return None


def _short(text: str) -> str:
    """The text on one line, its middle left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:25]}..{line[-12:]}"


def _begins_anew(s: Situation) -> bool:
    """Whether the token looks like the first one of a clause or statement."""
    if s.text in _FIRST_WORDS:
        return True
    if s.token and s.token.terminal == "NAME":
        return (s.is_in_clause() and s.text not in _ONE_CLAUSE) or (
            s.following is not None and s.following.text in ("=", "~")
        )
    return s.text in reserved_words() and s.text not in _CONNECTIVES


def _missing_comma(s: Situation) -> Diagnosis | None:
    if "," not in s.accepted or ":" in s.accepted or not s.innermost:
        return None
    if s.text == ";" and s.innermost == "{":
        return Diagnosis(diagnostic=errors.semicolon_for_comma(s.span), read_as=",")
    begins_anew = s.token and (kind(s.token) in OPERAND_STARTS or s.text in ("-", "not"))
    in_place = s.innermost == "{" or _closes_later(s)
    if begins_anew and in_place and kind(s.previous) in OPERAND_ENDS and s.would_fit(","):
        return Diagnosis(diagnostic=errors.missing_comma(s.after_previous(), s.previous.text), insert=(",",))
    return None


# --- words and signs -------------------------------------------------------------------


def _misspelt_clause(s: Situation) -> Diagnosis | None:
    """`secret x vs y;`: with another first word the clause could go on."""
    word = s.clause_word()
    if word is None or word.terminal != "NAME" or word.text in CLAUSES:
        return None
    fitting = s.words_for(word)
    guess = closest(word.text, fitting) or (next(iter(fitting), None) if s.text in _ONE_CLAUSE else None)
    if guess is None:
        return None
    return Diagnosis(diagnostic=errors.misspelt_clause(s.span_of(word), guess), earlier=(word, guess))


def _reserved_word(s: Situation) -> Diagnosis | None:
    """A reserved word where a name must stand, or may stand and is used."""
    if s.text not in reserved_words() or "NAME" not in s.accepted:
        return None
    begins_clause = s.is_in_clause() and s.clause_word() is None
    if begins_clause and (guess := _similar(s.text, s.accepted | CLAUSES)):
        return Diagnosis(diagnostic=errors.misspelt_clause(s.span, guess), read_as=guess)
    only_a_name = "(" not in s.accepted and "let" not in s.accepted
    goes_on = s.following is not None and s.would_fit_as("NAME", s.following)
    if goes_on and (only_a_name or s.text not in _CONNECTIVES):
        return Diagnosis(diagnostic=errors.reserved_word(s.span), read_as="NAME")
    return None


def _text_in_quotes(s: Situation) -> Diagnosis | None:
    if s.token and s.token.terminal == "STRING":
        return Diagnosis(diagnostic=errors.text_in_quotes(s.span))
    return None


def _wrong_equals(s: Situation) -> Diagnosis | None:
    if s.text == ":" and "over" in s.accepted:
        return Diagnosis(diagnostic=errors.wrong_equals(s.span, "over", form_of(s)), read_as="over")
    for wrong, right in (("=", ":"), (":", "=")):
        if s.text == wrong and right in s.accepted:
            return Diagnosis(diagnostic=errors.wrong_equals(s.span, right, form_of(s)), read_as=right)
    if s.text == "=" and "==" in s.accepted:
        return Diagnosis(diagnostic=errors.assigns_in_condition(s.span), read_as="==")
    if s.text == "==" and "=" in s.accepted:
        return Diagnosis(diagnostic=errors.compares_in_assignment(s.span), read_as="=")
    return None


def _wrong_arrow(s: Situation) -> Diagnosis | None:
    if s.text == ":" and {"->", "{"} <= s.accepted:
        return Diagnosis(diagnostic=errors.wrong_arrow(s.span, "->", form_of(s)), read_as="->")
    if s.text not in _ARROWS:
        return None
    right = [arrow for arrow in ("-->", "->", "--", "=>") if arrow in s.accepted]
    if right and (right[0] != "=>" or s.text in ("->", "-->")):
        return Diagnosis(diagnostic=errors.wrong_arrow(s.span, right[0], form_of(s)), read_as=right[0])
    if s.text == "->" and ":" in s.accepted:
        return Diagnosis(diagnostic=errors.wrong_arrow(s.span, ":", form_of(s)), read_as=":")
    return None


def _chained_comparison(s: Situation) -> Diagnosis | None:
    if s.text in _COMPARISONS and kind(s.previous) in OPERAND_ENDS and s.is_after_comparison():
        return Diagnosis(diagnostic=errors.chained_comparison(s.span))
    return None


def _needs_parentheses(s: Situation) -> Diagnosis | None:
    if s.text == "not" and "if" in s.accepted:
        return Diagnosis(diagnostic=errors.negation_as_operand(s.span))
    if s.text == "|" and kind(s.previous) in OPERAND_ENDS and "+" in s.accepted:
        return Diagnosis(diagnostic=errors.union_as_operand(s.span))
    return None


def _missing_else(s: Situation) -> Diagnosis | None:
    is_over = s.text in (";", ",") or s.text in CLOSING.values() or s.is_first_on_line()
    if "else" in s.accepted and "+" in s.accepted and is_over:
        return Diagnosis(diagnostic=errors.missing_else(s.span))
    return None


def _one_name_in_claim(s: Situation) -> Diagnosis | None:
    """`check H { .. }`, `check privacy { .. }` or `check label: H { .. }`."""
    before = [token.text for token in s.taken[:-1]]
    verb = before[0] if len(before) == 1 or (len(before) == 3 and before[2] == ":") else ""
    if s.text in ("{", ";", "(") and verb in ("check", "compute") and "NAME" in s.accepted:
        return Diagnosis(diagnostic=errors.one_name_in_claim(s.span_of(s.previous), verb, s.previous.text in KINDS))
    return None


def _clause_sign(s: Situation) -> Diagnosis | None:
    """`epsilon = ln(2);`, `epsilon: ln(2);` or `secrets: a vs b;`."""
    word = s.clause_word()
    if s.text in ("=", ":") and word and (s.previous.start == word.start or s.previous.text in ("least", "most")):
        keyword = s.span_of(word).to(s.span_of(s.previous)).text
        return Diagnosis(diagnostic=errors.clause_sign(s.span, keyword, form_of(s)), read_as="")
    return None


def _misspelt_word(s: Situation) -> Diagnosis | None:
    """A name that is nearly a word that could stand there."""
    if s.is_first_on_line():
        return None
    begins_clause = not s.is_in_clause() or s.text in CLAUSE_WORDS
    is_name = s.token and s.token.terminal == "NAME" and not (begins_clause and s.would_fit(";"))
    if is_name and (guess := _similar(s.text, s.accepted)):
        return Diagnosis(diagnostic=errors.misspelt_word(s.span, guess), read_as=guess)
    if s.previous.terminal == "NAME" and s.taken and (guess := _similar(s.previous.text, s.accepted_before)):
        return Diagnosis(diagnostic=errors.misspelt_word(s.span_of(s.previous), guess))
    return None


def _similar(name: str, accepted: frozenset[str]) -> str | None:
    if len(name) < 3 or name in accepted or name in load_table().literals:
        return None
    return closest(name, (word for word in accepted if word.isidentifier() and word.islower()))


def _something_else(s: Situation) -> Diagnosis:
    found = f"`{s.text}`" if s.token else "the end of the file"
    wanted = expected(s) if s.productions()[:1] != ["match"] else "a pattern"
    is_clause = s.productions() and s.productions()[0].endswith("_clause")
    form = form_of(s) if is_clause or wanted != "an expression" else None
    is_reserved = "NAME" in s.accepted and not s.is_end and s.text in reserved_words()
    return Diagnosis(diagnostic=errors.unexpected(s.span, found, wanted, form, is_reserved=is_reserved))


_AT_THE_END: tuple[Callable[[Situation], Diagnosis | None], ...] = (_missing_else, _missing_semicolon, _unclosed)
_MISTAKES: tuple[Callable[[Situation], Diagnosis | None], ...] = (
    _stray_semicolon,
    _misspelt_clause,
    _clause_sign,
    _one_name_in_claim,
    *HABITS,
    _reserved_word,
    _text_in_quotes,
    _wrong_equals,
    _wrong_arrow,
    _chained_comparison,
    _needs_parentheses,
    _missing_else,
    _misspelt_word,
    _missing_comma,
    _missing_semicolon,
    _wrong_closer,
    _unclosed,
)
