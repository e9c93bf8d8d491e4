"""Mistakes that come of the habits of other languages, or of the other form of a system.

Each function below knows one: it looks at the situation and returns what is wrong, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from pfl.syntax.errors import habit_errors, token_errors
from pfl.syntax.parse.recovery import Diagnosis
from pfl.syntax.parse.situation import OPERAND_ENDS, Situation, kind
from pfl.syntax.spelling import closest
from pfl.syntax.tree.vocabulary import BUILTIN_FUNCTIONS, KINDS

_TYPES = frozenset({"bool", "int", "real"})

_OTHER_WORDS: dict[str, str] = {
    **dict.fromkeys(("assert", "verify", "prove", "claim", "property", "theorem"), "a claim begins with `check`"),
    **dict.fromkeys(("def", "func", "function", "define"), "a function is declared by `fn f(x: T): U = e;`"),
    **dict.fromkeys(("let", "var", "constant"), "a constant is declared by `const N = 3;`"),
    **dict.fromkeys(("struct", "class"), "a record is declared by `record R { x: T }`"),
    **dict.fromkeys(("module", "process", "chain", "dtmc"), "a Markov chain is an `hmm` without `emit`"),
    **dict.fromkeys(("include", "use", "from", "open"), "a module is named by `import std.noise;`"),
    **dict.fromkeys(
        ("for", "while", "if", "match", "forever"), "statements stand in a mechanism, a handler or a prior"
    ),
}
"""Words with which declarations, or statements, of other languages begin."""

_OTHER_PARTS: dict[str, str] = {
    **dict.fromkeys(("next", "transition", "trans", "update"), "write `step x = e;`, or `step x ~ d;` to draw"),
    **dict.fromkeys(("observe", "observation", "output", "show", "return"), "write `emit e;`"),
    **dict.fromkeys(("var", "let", "int", "bool", "data"), "a variable of an hmm is declared by `state x: T;`"),
    **dict.fromkeys(("start", "initial"), "write `init x = e;`, or `init x ~ d;` to draw"),
}
"""Words with which parts of an hmm in program form begin elsewhere."""

_OTHER_ROWS: dict[str, str] = {
    **dict.fromkeys(
        ("next", "transition", "trans", "update"), "write `rainy -> rainy: 7/10, sunny: 3/10;` for each state"
    ),
    **dict.fromkeys(
        ("observe", "observation", "output", "show", "return"), "write `rainy emits walk: 1/10, shop: 9/10;`"
    ),
    **dict.fromkeys(("var", "let", "int", "bool", "data"), "the states of a table are listed: `states rainy, sunny;`"),
}
"""Words with which rows of an hmm in table form begin elsewhere."""

_OTHER_STATEMENTS: dict[str, str] = {
    "repeat": "write `for i in 1..n { .. }`",
    **dict.fromkeys(("do", "loop", "until"), "write `while c { .. }`, or `forever { .. }` for a stream without end"),
    "foreach": "write `for x in S { .. }`",
    **dict.fromkeys(("switch", "case"), "write `match x { 1 => { .. } _ => { .. } }`"),
    "print": "write `emit e;`",
    **dict.fromkeys(("sample", "draw"), "write `let x ~ d;`"),
}
"""Words with which statements of other languages begin."""

_OTHER_CHANNELS: dict[str, str] = {
    **dict.fromkeys(
        ("input", "inputs", "in"), "write `query x: T;` for what is asked, `data x: T;` for what is hidden"
    ),
    **dict.fromkeys(("outputs", "response", "responses"), "write `output T;`"),
    **dict.fromkeys(("init", "initial"), "write `start s;`, or give state variables a value: `state x: T = e;`"),
    **dict.fromkeys(("var", "variable"), "write `state x: T = e;`"),
}
"""Words with which parts of an automaton begin elsewhere."""


def how_to_declare(word: str) -> str | None:
    """What to write instead of a word of another language, or of a claim without its verb, at the top of a file."""
    if any(word == kind_.split()[0] for kind_ in KINDS):
        return f"a claim begins with `check` or `compute`: `check {word} ..`"
    return _OTHER_WORDS.get(word)


def _type_first(s: Situation) -> Diagnosis | None:
    """`int x = 3;` where a statement can stand."""
    is_named = s.following is not None and s.following.terminal == "NAME"
    if s.text in _TYPES and is_named and "let" in s.accepted:
        assert s.following is not None
        return Diagnosis(diagnostic=habit_errors.type_before_name(s.span, s.following.text), read_as="let")
    return None


def _drawn_by_arrow(s: Situation) -> Diagnosis | None:
    """`x <- d`."""
    following = s.following
    if s.text == "<" and "~" in s.accepted and following and following.text == "-" and following.start == s.span.end:
        return Diagnosis(diagnostic=habit_errors.drawn_by_arrow(s.span.to(s.span_of(following))))
    return None


def _condition_after_value(s: Situation) -> Diagnosis | None:
    """`return a if c else b;`"""
    if s.text != "if" or kind(s.previous) not in OPERAND_ENDS or "+" not in s.accepted:
        return None
    rest = (token.text for token in s.tokens[s.index :])
    if "else" in takewhile(lambda text: text not in (";", "{"), rest):
        return Diagnosis(diagnostic=habit_errors.condition_after_value(s.span))
    return None


def _absolute_value(s: Situation) -> Diagnosis | None:
    """`|x|`"""
    if s.text == "|" and "forall" in s.accepted:
        return Diagnosis(diagnostic=habit_errors.absolute_value(s.span))
    return None


def _call_without_brackets(s: Situation) -> Diagnosis | None:
    """`epsilon ln 2;`"""
    is_operand = s.token is not None and kind(s.token) in ("NAME", "INT", "DECIMAL") and not s.is_first_on_line()
    if is_operand and s.previous.text in BUILTIN_FUNCTIONS and "(" in s.accepted and "+" in s.accepted:
        return Diagnosis(diagnostic=habit_errors.call_without_brackets(s.span, s.previous.text))
    return None


def _part_of_hmm(s: Situation) -> Diagnosis | None:
    """`x: T;`, `x = e;`, `next x = e;` or `var x: T;` among the parts of an hmm."""
    name, is_table = s.previous, _is_table(s)
    if s.accepted == {"->", "emits"} and name.terminal == "NAME":
        advice = _advice_on_row(s, name.text) if is_table else _advice_on_part(s, name.text)
        if advice:
            return Diagnosis(diagnostic=habit_errors.no_part_of_hmm(s.span_of(name), advice, is_table=is_table))
    others = _OTHER_ROWS if is_table else _OTHER_PARTS
    if {"emit", "emits", "step"} <= s.accepted and (advice := others.get(s.text)):
        return Diagnosis(diagnostic=habit_errors.no_part_of_hmm(s.span, advice, is_table=is_table))
    return None


def _is_table(s: Situation) -> bool:
    """Whether the declaration lists `states`, before the place or after it."""
    depth = 0
    for token in s.tokens[s.first :]:
        depth += (token.text == "{") - (token.text == "}")
        if token.text == "states" and depth == 1:
            return True
        if token.text == "}" and depth == 0:
            return False
    return False


def _advice_on_part(s: Situation, word: str) -> str | None:
    """What to write for a part of a program that begins with a name."""
    if s.text == ":":
        return _OTHER_PARTS.get(word) or f"write `state {word}: T;`"
    if s.text in ("=", "~"):
        given = f"{word} {s.text} ..;"
        return _OTHER_PARTS.get(word) or f"write `step {given}` for how it moves, `init {given}` for where it starts"
    return _OTHER_PARTS.get(word)


def _advice_on_row(s: Situation, word: str) -> str | None:
    """What to write for a row of a table that begins with a name."""
    if word in ("start", "initial"):
        row = [token.text for token in takewhile(lambda token: token.text not in (";", "}"), s.tokens[s.index :])]
        state = next((text for text in row if text.isidentifier()), "rainy")
        return f"write `init {state}: ..;`" if ":" in row[1:] else f"write `init {state}: 1;`"
    if s.text in (":", "=", "~"):
        return _OTHER_ROWS.get(word) or f"write `{word} -> ..;` for how it moves, `{word} emits ..;` for what it shows"
    return _OTHER_ROWS.get(word)


def _emits_after_result(s: Situation) -> Diagnosis | None:
    """`mechanism f() -> T emits U { .. }`"""
    arrow = next((token for token in reversed(s.taken) if token.text == "->"), None)
    if s.text != "emits" or arrow is None or "{" not in s.accepted or s.tokens[s.first].text != "mechanism":
        return None
    result = s.file.text[arrow.end : s.previous.end].strip()
    return Diagnosis(diagnostic=habit_errors.emits_after_result(s.span, result))


def _part_of_automaton(s: Situation) -> Diagnosis | None:
    """`n: T = e;`, `input d: T;`, `on ask { .. }` or `--> b: 1/2, a: 1/2;` among the parts of an automaton."""
    name = s.previous
    if name.text == "on" and {"data", "query"} <= s.accepted and s.token and not closest(s.text, ("data", "query")):
        advice = f"write `on query {s.text} {{ .. }}`, or `on data {s.text} {{ .. }}`"
        return Diagnosis(diagnostic=habit_errors.no_part_of_automaton(s.span_of(name).to(s.span), advice))
    if s.accepted == {"--"} and s.text == "-":
        return Diagnosis(diagnostic=habit_errors.no_transition(s.span))
    if s.accepted == {"--"} and name.terminal == "NAME":
        advice = _OTHER_CHANNELS.get(name.text) or f"write `state {name.text}: T = e;`"
        if s.text == ":" or name.text in _OTHER_CHANNELS:
            return Diagnosis(diagnostic=habit_errors.no_part_of_automaton(s.span_of(name), advice))
    if s.text == ":" and "transition" in s.productions() and "-->" in [token.text for token in s.taken[-2:]]:
        return Diagnosis(diagnostic=habit_errors.target_without_braces(s.span))
    return None


def _statement_word(s: Situation) -> Diagnosis | None:
    """`repeat 3 { .. }`, `do { .. }` and other statements that are not there; `let x: T;` without a value."""
    if s.text == ";" and {"=", "~"} <= s.accepted and "let" in s.productions():
        return Diagnosis(diagnostic=habit_errors.let_without_value(s.span))
    advice = _OTHER_STATEMENTS.get(s.previous.text)
    if advice and {"=", "~"} <= s.accepted and s.token and s.text not in ("=", "~", "(", "[", "."):
        return Diagnosis(diagnostic=habit_errors.no_statement(s.span_of(s.previous), advice))
    return None


def _is_for_equals(s: Situation) -> Diagnosis | None:
    """`x is 1`"""
    if s.text == "is" and "==" in s.accepted:
        return Diagnosis(diagnostic=token_errors.foreign_spelling(s.span, "write `==`"), read_as="==")
    return None


def _type_of_other_name(s: Situation) -> Diagnosis | None:
    """`list of bool`, `array[3] of bool`"""
    if s.text == "of" and "+" in s.accepted and (s.previous.terminal == "NAME" or s.previous.text == "]"):
        return Diagnosis(diagnostic=habit_errors.type_of_other_name(s.span))
    return None


def _versus_in_between(s: Situation) -> Diagnosis | None:
    """`between a vs b;`"""
    word = s.clause_word()
    if s.text == "vs" and word is not None and word.text == "between":
        return Diagnosis(diagnostic=habit_errors.versus_in_between(s.span), read_as="and")
    return None


def _start_in_braces(s: Situation) -> Diagnosis | None:
    """`init { a: 1/2, b: 1/2 };`"""
    if s.text == ":" and [token.text for token in s.taken[-3:-1]] == ["init", "{"]:
        return Diagnosis(diagnostic=habit_errors.start_in_braces(s.span))
    return None


def _param_with_value(s: Situation) -> Diagnosis | None:
    """`param p = 1/3;`"""
    if s.text == "=" and s.tokens[s.first].text == "param" and s.accepted == {"in"}:
        return Diagnosis(diagnostic=habit_errors.param_with_value(s.span, s.previous.text))
    return None


def _bound_without_words(s: Situation) -> Diagnosis | None:
    """`>= 1/2;` among the clauses of a claim."""
    if s.text in _BOUNDS and s.is_in_clause() and s.clause_word() is None:
        return Diagnosis(diagnostic=habit_errors.bound_without_words(s.span, _BOUNDS[s.text]))
    return None


_BOUNDS = {">=": "at least", ">": "at least", "<=": "at most", "<": "at most", "==": "equals", "=": "equals"}
"""The clauses that are meant by signs."""

HABITS: tuple[Callable[[Situation], Diagnosis | None], ...] = (
    _start_in_braces,
    _param_with_value,
    _bound_without_words,
    _part_of_hmm,
    _emits_after_result,
    _part_of_automaton,
    _versus_in_between,
    _statement_word,
    _is_for_equals,
    _type_of_other_name,
    _call_without_brackets,
    _type_first,
    _drawn_by_arrow,
    _condition_after_value,
    _absolute_value,
)
