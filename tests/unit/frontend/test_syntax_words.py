"""Which words of the language are names, and where: everything that a name can be, for every word of the grammar."""

from __future__ import annotations

import re
from functools import cache

import pytest

from pfl.base.source import SourceFile
from pfl.syntax.parse.parse_table import load_table
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.parse.scanner import reserved_words
from pfl.syntax.printing.printer import format_source
from pfl.syntax.tree.ast_module import TopLevel

PLACES = {
    "constant": "const {w} = 1;",
    "operand": "const a = {w} + 1;",
    "less": "const a = {w} - 1;",
    "right operand": "const a = 1 * {w};",
    "compared": "const a = {w} == b;",
    "member": "const a = {w} not in b;",
    "negated": "const a = not {w};",
    "element": "const a = {w}[i];",
    "called": "const a = {w}(i);",
    "field of": "const a = {w}.x;",
    "field": "const a = x.{w};",
    "updated": "const a = {w} with {{ x = 1 }};",
    "argument": "const a = f({w});",
    "named argument": "const a = f({w} = 1);",
    "key": "dist d() = {{ {w}: 1/2, b: 1/2 }};",
    "weight": "dist d() = {{ b: {w}, c: 1 - {w} }};",
    "set element": "const a = {{{w}, b}};",
    "bag element": "const a = bag {{{w}, b}};",
    "comprehension": "const a = [{w} for i in s];",
    "binder": "const a = [1 for {w} in s if c];",
    "domain": "const a = [1 for i in {w} if c];",
    "quantified": "const a = forall {w} in s: c;",
    "condition": "const a = if {w} then 1 else 2;",
    "result": "const a = if c then 1 else {w};",
    "subject": "const a = match {w} {{ b => 1 }};",
    "pattern": "const a = match b {{ {w} => 1, _ => 2 }};",
    "moment": "const a = x@{w};",
    "type": "const a: {w} = 1;",
    "size": "type T = [{w}] of bool;",
    "element type": "type T = [2] of {w};",
    "enum value": "enum E {{ {w}, b }}",
    "enum": "enum {w} {{ a, b }}",
    "record field": "record R {{ {w}: bool, b: bool }}",
    "parameter": "fn f({w}: int): int = 1;",
    "symbol": "type T = {{{w}, b}} | 0..2;",
    "param": "param {w} in (0, 1);",
    "import": "import std.noise {{ {w} as {w} }};",
    "library": "import std.{w};",
    "variable": "mechanism m() {{ let {w} = 1; }}",
    "assigned": "mechanism m() {{ {w} = 1; }}",
    "drawn": "mechanism m() {{ {w} ~ d; }}",
    "element assigned": "mechanism m() {{ {w}[0] = 1; }}",
    "field assigned": "mechanism m() {{ {w}.x = 1; }}",
    "run": "mechanism m() {{ {w}(x); }}",
    "returned": "mechanism m() {{ return {w}; }}",
    "emitted": "mechanism m() {{ emit {w}; }}",
    "responded": "automaton A {{ query q: T; on query q {{ respond {w}; }} }}",
    "value": "mechanism m() {{ a = {w}; }}",
    "loop": "mechanism m() {{ while {w} {{ a = 1; }} }}",
    "test": "mechanism m() {{ if {w} {{ a = 1; }} }}",
    "loop variable": "mechanism m() {{ for {w} in s {{ a = 1; }} }}",
    "received": "mechanism m() {{ receive {w}: T; }}",
    "started": "prior p for H {{ start {w} = 1; }}",
    "hmm state": "hmm H {{ states {w}, b; }}",
    "hmm start": "hmm H {{ init {w}: 1/2, b: 1/2; }}",
    "hmm row": "hmm H {{ {w} -> b; }}",
    "hmm target": "hmm H {{ b -> {w}: 1/2, b: 1/2; }}",
    "hmm letters": "hmm H {{ {w} emits x: 1/2, y: 1/2; }}",
    "hmm letter": "hmm H {{ b emits {w}: 1/2, y: 1/2; }}",
    "hmm variable": "hmm H {{ state {w}: bool; }}",
    "hmm init": "hmm H {{ init {w} ~ d; }}",
    "hmm step": "hmm H {{ step {w} = d; }}",
    "automaton state": "automaton A {{ {w} -- q --> b; }}",
    "automaton action": "automaton A {{ a -- {w} --> b; }}",
    "automaton target": "automaton A {{ a -- q --> {w}; }}",
    "automaton start": "automaton A {{ start {w}; }}",
    "query": "automaton A {{ query {w}: T; on query {w} {{ respond 1; }} }}",
    "action": "automaton A {{ output {w}, b; hidden {w}; }}",
    "claim": "check {w}: privacy m {{ epsilon 1; }}",
    "claimed": "check privacy {w} {{ epsilon 1; }}",
    "claimed call": "check privacy {w}(1) {{ epsilon 1; }}",
    "found": "find {w}, b such that c;",
    "claim found": "find b such that {w};",
    "secret": "check pufferfish H {{ secrets {w} vs {w}; }}",
    "observation": "compute likelihood H {{ observations a, {w}, b; }}",
    "adjacent": "check privacy m {{ adjacent {w}; }}",
    "prior": "check privacy m {{ prior {w}(1); }}",
    "claim range": "check privacy m {{ for {w} in S; }}",
    "specified": "check distribution m() equals {w};",
    "mechanism": "mechanism {w}(x: bool) -> bool {{ return x; }}",
    "relation": "relation {w} for A {{ holds {w}; }}",
}
"""A declaration with a name `{w}` for everything that a name can be."""

IS_THE_WORD = {
    "assert": {"run"},
    "emit": {"run"},
    "mechanism": {"called", "prior"},
    "respond": {"run"},
    "return": {"run"},
    "tick": {"run"},
}
"""The places at which a word that is a name elsewhere keeps its meaning: `tick(x);` is the statement, not a call."""

RESERVED = """
    and bool div else exists false for forall if in int let mod not of or real then true var with
"""

WORDS = sorted(word for word in load_table().literals if word.isidentifier())


def meaning(text: str) -> TopLevel | None:
    """The only declaration of a text; None where something is wrong with it."""
    module, found = parse_module(SourceFile(name="text", text=text))
    return None if found else module.declarations[0]


@cache
def shape(text: str, word: str) -> str | None:
    """What a text means, with `zz` for a word wherever it is a name or stands for a clause."""
    found = meaning(text)
    return None if found is None else re.sub(rf"((?:text|path)='(?:std\.)?){word}'", r"\1zz'", repr(found))


def is_name(word: str, template: str) -> bool:
    """Whether a word is read as any other name would be."""
    plain = shape(template.format(w="zz"), word)
    assert plain is not None, template
    return shape(template.format(w=word), word) == plain


def test_the_reserved_words() -> None:
    assert reserved_words() == set(RESERVED.split())
    assert len(WORDS) == 80


@pytest.mark.parametrize("word", WORDS)
def test_where_a_word_is_a_name(word: str) -> None:
    names = {place for place, template in PLACES.items() if is_name(word, template)}
    assert names == (set() if word in reserved_words() else PLACES.keys() - IS_THE_WORD.get(word, set()))


@pytest.mark.parametrize("word", ["bag", "check", "emit", "match", "mechanism", "set", "start", "stepwise", "tick"])
def test_what_is_printed_is_read_alike(word: str) -> None:
    for place, template in PLACES.items():
        file = SourceFile(name="text", text=template.format(w=word))
        if place not in IS_THE_WORD.get(word, set()):
            assert meaning(format_source(file)) == meaning(file.text), place


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("const a = set of bool;", "const a = (set of bool);"),
        ("const a = bag[2] of bool;", "const a = (bag[2] of bool);"),
        ("const a = bag {1};", "const a = (bag {1});"),
        ("const a = match (b) { 1 => 2, _ => 3 };", "const a = match b { 1 => 2, _ => 3 };"),
        ("const a = match -b { 1 => 2, _ => 3 };", "const a = match (-b) { 1 => 2, _ => 3 };"),
        ("const a = mechanism(bool) -> bool;", "const a = (mechanism(bool) -> bool);"),
        ("mechanism m() { tick (1) + 2; }", "mechanism m() { tick 1 + 2; }"),
        ("mechanism m() { emit [1]; }", "mechanism m() { emit ([1]); }"),
        ("mechanism m() { return [1][0]; }", "mechanism m() { return ([1][0]); }"),
        ("mechanism m() { match (b) { 1 => { } } }", "mechanism m() { match b { 1 => { } } }"),
        ("mechanism m() { while (b) { } }", "mechanism m() { while b { } }"),
        ("mechanism m() { a = stepwise f(x); }", "mechanism m() { a = stepwise f(x) ; }"),
    ],
)
def test_a_word_before_what_it_goes_with_is_the_word(text: str, same: str) -> None:
    assert meaning(text) is not None
    assert meaning(text) == meaning(same)


@pytest.mark.parametrize(
    "text",
    [
        "const a = (bag)[0] + set[1];",
        "const a = (match) - 1;",
        "const a = match bag { set => tick, _ => match };",
        "const a = match (set) { 1 => 2, _ => 3 } + (match);",
        "const a = [match for match in bag if match != bag[0]];",
        "mechanism m() { if bag { tick = 1; } else if match(x) { } while bag { set = bag; } }",
        "mechanism m() { tick[0] = 1; match.x ~ d; bag[set] = bag {set}; tick tick; return return; }",
        "automaton A { states set, tick; start set; query dist; data bag; set -- dist --> { tick: 1/2, set: 1/2 }; }",
        "hmm H { states set, emit; emit -> set; set -> set: 1/2, emit: 1/2; emit emits tick; set emits match: 1; }",
    ],
)
def test_words_as_names_beside_words(text: str) -> None:
    own = meaning(text)
    assert own is not None
    assert meaning(format_source(SourceFile(name="text", text=text))) == own


def test_a_long_look_ahead_ends() -> None:
    """Both readings of each `match` go on for long."""
    deep = "match (" * 100 + "x" + ") { 1 => 2, _ => 3 }" * 100
    assert meaning(f"const a = {deep};") is not None
    assert meaning("const a = " + "match (x) + " * 3 + "1;") is not None
    assert meaning("const a = " + "match (x) + " * 2000 + "1;") is None
