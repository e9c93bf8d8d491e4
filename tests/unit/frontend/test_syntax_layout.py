"""How the formatter lays out programs."""

from __future__ import annotations

import textwrap

import pytest

from pfl.base.diagnostics import InputRejected
from pfl.base.source import SourceFile
from pfl.syntax.printing.layout_document import BREAK, SPACE, AtLineEnd, Fill, Group, Indent, concat, join, render
from pfl.syntax.printing.printer import WIDTH, format_source


def formatted(text: str) -> str:
    once = format_source(SourceFile(name="model.pfl", text=textwrap.dedent(text)))
    assert format_source(SourceFile(name="model.pfl", text=once)) == once
    return once


def test_spaces_and_semicolons() -> None:
    assert formatted(
        "mechanism  f( q :Query )->0 .. N-1{var best=0;var top=- 1;\n\n\n\nreturn best  ;}"
    ) == textwrap.dedent("""\
        mechanism f(q: Query) -> 0..N-1 {
            var best = 0;
            var top = -1;

            return best;
        }
        """)


def test_operators() -> None:
    assert (
        formatted("const a=2 * j*ln( 2 )+(x - 1)/4-(cur+1)mod t;")
        == "const a = 2*j*ln(2) + (x - 1) / 4 - (cur + 1) mod t;\n"
    )
    assert formatted("const a = lo + 1 .. hi - 1;") == "const a = lo+1..hi-1;\n"
    assert formatted("const a = ((b)) + (-c) * (d ^ (2));") == "const a = b + -c*d^2;\n"
    assert formatted("const a = b - -c + - -d;") == "const a = b - -c + - -d;\n"
    assert formatted("const a = 0 .. b--c*-d^-1;") == "const a = 0..b- -c*-d^-1;\n"
    assert formatted("const a = 1+if b then c else(d);") == "const a = 1 + if b then c else d;\n"


def test_brackets() -> None:
    assert formatted("const a = { well:1 };") == "const a = { well: 1 };\n"
    assert formatted("const a = { b , c , };") == "const a = {b, c};\n"
    assert formatted("const a = f ( b,c, );") == "const a = f(b, c);\n"
    assert formatted("const a = v with {b=1};") == "const a = v with { b = 1 };\n"


def test_a_block_on_one_line_stays_on_it_while_it_fits() -> None:
    claim = "check privacy f { adjacent near; epsilon ln(2); expect refuted; }\n"
    assert formatted(claim) == claim
    long = f"check privacy f {{ adjacent {'near' * 20}; epsilon ln(2); expect refuted; }}\n"
    assert formatted(long).count("\n") == 5
    assert formatted("check privacy f {\n adjacent near; }\n") == "check privacy f {\n    adjacent  near;\n}\n"


def test_the_values_of_clauses_stand_one_below_the_other() -> None:
    text = "check pufferfish S {\n    secrets  a vs b;\n    epsilon  ln(2);\n    one way;\n    length   3;\n}\n"
    assert formatted(text.replace("  ", " ").replace("\n ", "\n")) == text


def test_a_step_is_as_wide_as_a_state() -> None:
    text = "hmm H {\n    state x: 0..2;\n    init  x = 0;\n    emits 0..2;\n    emit  x;\n    step { x = 1; }\n}\n"
    assert formatted(text) == text
    assert formatted("hmm H { init x=0; step  x=1; }") == "hmm H { init x = 0; step x = 1; }\n"


def test_a_block_of_a_step_follows_after_one_space() -> None:
    text = "hmm H {\n    state x: 0..2;\n    init {\n        x = 0;\n    }\n    step {  // go\n        x = 1;\n    }\n"
    text += "}\n"
    assert formatted(text) == text


def test_a_match_in_a_branch_begins_on_its_line() -> None:
    text = textwrap.dedent("""\
        fn f(x: int): int =
            if x < 0 then match x {
                -1 => 0,  // minus one
                _ => 1,
            }
            else match x {
                0 => 1,  // nought
                _ => 2,
            };
        """)
    assert formatted(text) == text
    below = textwrap.dedent("""\
        fn f(x: int): int =
            if x < 0 then 1
            else
                // why
                match x {
                    0 => 1,  // nought
                    _ => 2,
                };
        """)
    assert formatted(below) == below


def test_branches_have_lines_of_their_own() -> None:
    name = "a_long_name_of_a_value" * 2
    text = f"fn f(x: int): int =\n    if x == 0 then {name}\n    else if x == 1 then {name}\n    else 0;\n"
    assert formatted(" ".join(text.split())) == text


def test_entries_keep_lines_of_their_own() -> None:
    text = "record V {\n    who: 0..3,\n    long: bool,\n}\n"
    assert formatted(text) == text
    assert formatted("record V {\n  who: 0..3, long: bool }\n") == text
    assert formatted("record V { who: 0..3,\n  long: bool }\n") == "record V { who: 0..3, long: bool }\n"


def test_long_lines_are_broken() -> None:
    text = (
        f"adjacency near(a: Q, b: Q) = {' and '.join(['each_by_one(a, b)'] * 7)} and {' + '.join(['one'] * 40)} == 3;"
    )
    lines = formatted(text).splitlines()
    assert max(len(line) for line in lines) <= WIDTH
    assert lines[:3] == ["adjacency near(a: Q, b: Q) =", "    each_by_one(a, b)", "    and each_by_one(a, b)"]


def test_a_long_call_has_an_argument_a_line() -> None:
    name = "argument" * 5
    assert formatted(f"const a = f({name}, {name}, {name});") == (
        f"const a = f(\n    {name},\n    {name},\n    {name},\n);\n"
    )


def test_comments_stay_where_they_belong() -> None:
    text = textwrap.dedent("""\
        // The file.

        /// A constant.
        const N = 3;  // three
        /* four */
        const M = 4;

        mechanism f(
            q: Query,  // the answers
            n: int,  // how many
        ) -> int {  // noisy
            // first
            let a = 1;  // one

            // then
            if a == 1 {  // always
                // yes
                return f(/* n = */ a);
            } else {
                // no
            }

            // last
        }  // end

        enum Health {
            well,  // no fever
            // some
            sick,
            // no more
        }

        const table = match x {
            well => 0,  // nothing
            // a little
            sick => 1,
        };

        adjacency near(a: Q, b: Q) =
            close(a, b)  // every one
            // but
            and count(a, b) <= 1;  // only one
        // The end.
        """)
    assert formatted(text) == text


def test_a_comment_goes_on_in_its_column() -> None:
    text = "param p in (0, 1);     // one\n                       // two\n                       // three\n// other\n"
    result = "param p in (0, 1);  // one\n                    // two\n                    // three\n// other\n"
    assert formatted(text) == result


def test_comments_in_odd_places_are_kept() -> None:
    text = "const // a\n N /* b */ = /* c */ 3 // d\n ; /* e */ // f\nmechanism f( // g\n) { /* h */ } // i"
    result = formatted(text)
    assert [mark for mark in "abcdefghi" if f" {mark}" not in result] == []


def test_every_line_ending_becomes_one() -> None:
    assert formatted("// a\r\nconst N = 3;\r\n\r\n\r\n/* b\r\n c */\rconst M = 4;") == (
        "// a\nconst N = 3;\n\n/* b\n c */\nconst M = 4;\n"
    )


def test_numbers_keep_their_spelling() -> None:
    assert formatted("const a = 0.50 + 1E-05 + 007;") == "const a = 0.50 + 1E-05 + 007;\n"


def test_an_empty_file_stays_empty() -> None:
    assert formatted("") == ""
    assert formatted("\n\n// only a comment\n\n") == "// only a comment\n"


def test_a_faulty_program_is_not_formatted() -> None:
    with pytest.raises(InputRejected) as raised:
        format_source(SourceFile(name="model.pfl", text="const N = ;"))
    assert [str(diagnostic.code) for diagnostic in raised.value.diagnostics] == ["PFL0101"]


def test_an_else_with_braces_keeps_them() -> None:
    text = (
        "mechanism f() {\n    if a {\n        tick 1;\n    } else {\n        if b {\n"
        "            tick 2;\n        }\n    }\n}\n"
    )
    assert formatted(text) == text
    chained = text.replace(
        "else {\n        if b {\n            tick 2;\n        }\n    }", "else if b {\n        tick 2;\n    }"
    )
    assert formatted(chained) == chained


def test_a_document_fills_its_lines() -> None:
    filled = Indent(Fill("aaaa", [(SPACE, "bbbb")] * 4))
    assert render(filled, 14) == "aaaa bbbb bbbb\n    bbbb bbbb"


def test_a_group_is_broken_at_all_its_places_or_at_none() -> None:
    group = Group(Indent(join(SPACE, ["aa", "bb", "cc"])))
    assert render(group, 8) == "aa bb cc"
    assert render(group, 7) == "aa\n    bb\n    cc"


def test_a_comment_goes_to_the_end_of_its_line() -> None:
    assert (
        render(concat("a", AtLineEnd("// b"), ",", AtLineEnd("/* c */"), BREAK, "d"), 20) == "a,  // b\n    /* c */\nd"
    )
