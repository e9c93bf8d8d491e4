"""Diagnostics as people see them."""

from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import SourceFile, Span
from pfl.report.diagnostics import render_diagnostic, render_diagnostics
from pfl.report.styled import cells, plain

TEXT = """\
hmm Flu {
\tstates sick, well;
    sick -> sick: 3/5, well: 1/2;
   日本 -> well: 1/2, é: 2;
}
"""
FLU = SourceFile(name="flu.pfl", text=TEXT)


def label(piece: str, text: str = "", file: SourceFile = FLU) -> Label:
    start = file.text.index(piece)
    return Label(Span(file, start, start + len(piece)), text)


def diagnostic(*labels: Label, help: str | None = None, notes: tuple[str, ...] = ()) -> Diagnostic:
    message = "outgoing probabilities of state `sick` add up to 11/10, not 1"
    return Diagnostic(code=codes.ROW_SUM, message=message, labels=labels, help=help, notes=notes)


def shown(found: Diagnostic, width: int | None = None, *, explain: bool = False) -> str:
    """The rendering, its headline shortened."""
    return "error\n" + plain(render_diagnostic(found, width, explain=explain)).partition("\n")[2]


def test_the_look_of_a_message() -> None:
    found = diagnostic(label("sick: 3/5, well: 1/2", "3/5 + 1/2 = 11/10"), help="a row must sum to exactly 1")
    assert plain(render_diagnostic(found, None)) == dedent("""\
        error[PFL0401]: outgoing probabilities of state `sick` add up to 11/10, not 1
          --> flu.pfl:3:13
           |
         3 |     sick -> sick: 3/5, well: 1/2;
           |             ^^^^^^^^^^^^^^^^^^^^ 3/5 + 1/2 = 11/10
           = help: a row must sum to exactly 1; `pflc explain PFL0401`
        """)


def test_secondary_labels_hang_below_or_stand_on_their_own_lines() -> None:
    found = diagnostic(
        label("sick: 3/5, well: 1/2", "the sum"), label("sick ->", "this row"), label("hmm", "in this system")
    )
    assert shown(found) == dedent("""\
        error
          --> flu.pfl:3:13
           |
         1 | hmm Flu {
           | --- in this system
         2 |     states sick, well;
         3 |     sick -> sick: 3/5, well: 1/2;
           |     ------- ^^^^^^^^^^^^^^^^^^^^ the sum
           |     |
           |     this row
        """)


def test_tabs_and_wide_characters_keep_marks_in_place() -> None:
    found = diagnostic(label("states", "tab"), label("日本", "wide"), label("é", "after"))
    assert shown(found) == dedent("""\
        error
          --> flu.pfl:2:2
           |
         2 |     states sick, well;
           |     ^^^^^^ tab
         3 |     sick -> sick: 3/5, well: 1/2;
         4 |    日本 -> well: 1/2, é: 2;
           |    ----               - after
           |    |
           |    wide
        """)


def test_a_label_over_several_lines_is_a_bracket() -> None:
    found = diagnostic(label(TEXT.rstrip("\n"), "the whole system"), label("states", "inner"))
    assert shown(found) == dedent("""\
        error
          --> flu.pfl:1:1
           |
         1 | / hmm Flu {
         2 | |     states sick, well;
           | |     ------ inner
        ...  |
         5 | | }
           | |_____^ the whole system
        """)


def test_labels_in_another_file() -> None:
    other = SourceFile(name="lib.pfl", text="const A = 1;\nconst B = 2;\n")
    assert shown(diagnostic(label("well: 1/2", "here"), label("B = 2", "and there", other))) == dedent("""\
        error
          --> flu.pfl:3:24
           |
         3 |     sick -> sick: 3/5, well: 1/2;
           |                        ^^^^^^^^^ here
          ::: lib.pfl:2:7
           |
         2 | const B = 2;
           |       ----- and there
        """)


def test_an_empty_place_at_the_end_of_the_text_has_one_caret() -> None:
    end = Label(Span(FLU, len(TEXT), len(TEXT)), "the file ends here")
    assert shown(diagnostic(end)) == "error\n  --> flu.pfl:6:1\n   |\n 6 |\n   | ^ the file ends here\n"


def test_a_long_line_is_clipped_around_its_mark() -> None:
    long = SourceFile(name="long.pfl", text="x = " + "a + " * 500 + "bad" + " + a" * 500 + ";")
    lines = shown(diagnostic(label("bad", "here", long)), 60).splitlines()
    assert lines[-2:] == [
        " 1 | ... a + a + a + a + a + a + bad + a + a + a + a + a...",
        "   |                             ^^^ here",
    ]


def test_control_characters_cannot_reach_the_terminal() -> None:
    nasty = SourceFile(name="x\x1b[2J.pfl", text="a \x1b[31m \u202e b;")
    text = shown(diagnostic(label("b", "\x07", nasty)))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\u{1b}[31m \\u{202e} b;" in text


def test_a_narrow_terminal_wraps_words_but_no_code() -> None:
    found = diagnostic(
        label("states"), help="a row must sum to exactly 1", notes=("one two three four five six seven",)
    )
    lines = plain(render_diagnostic(found, 40)).splitlines()
    assert lines[:2] == ["error[PFL0401]: outgoing probabilities", "  of state `sick` add up to 11/10, not 1"]
    assert lines[-4:] == [
        "   = help: a row must sum to exactly 1;",
        "           `pflc explain PFL0401`",
        "   = note: one two three four five six",
        "           seven",
    ]


def test_a_file_without_a_place_is_named() -> None:
    found = Diagnostic(code=codes.MODULE_NOT_FOUND, message="cannot be read", file="nowhere.pfl")
    assert shown(found) == "error\n  --> nowhere.pfl\n"
    named = Diagnostic(code=codes.MODULE_NOT_FOUND, message="there is no file `nowhere.pfl`", file="nowhere.pfl")
    assert shown(named) == "error\n"


def test_a_question_is_not_followed_by_a_semicolon() -> None:
    found = diagnostic(label("hmm"), help="did you mean `him`?")
    assert shown(found, explain=True).endswith("= help: did you mean `him`? `pflc explain PFL0401`\n")


def test_each_code_is_explained_once() -> None:
    text = plain(render_diagnostics([diagnostic(label("hmm")), diagnostic(label("sick"))], None))
    assert text.count("pflc explain PFL0401") == 1


@given(st.text(min_size=1, max_size=60), st.data())
def test_any_place_in_any_text_can_be_shown(text: str, data: st.DataObject) -> None:
    file = SourceFile(name="any.pfl", text=text)
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    labels = tuple(
        Label(Span(file, start, end), word)
        for (start, end), word in data.draw(
            st.lists(st.tuples(places, st.sampled_from(["", "a", "b"])), min_size=1, max_size=3)
        )
    )
    lines = plain(render_diagnostic(diagnostic(*labels), 50)).split("\n")
    assert any("^" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    assert all(cells(line) <= 50 + 8 for line in lines if line[:1].isdigit())
