"""What is wrong with the text of a model is told with its place; nothing ends in a traceback, or takes long."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from pfl.base.diagnostics import InputRejected
from pfl.base.source import SourceFile
from pfl.model.labelled_system import LabelledSystem
from pfl.model.text import is_model_text
from pfl.model.text.descriptions import NUMBERED
from pfl.model.text.model_text import model_text, read_model

SYSTEM = """pfl model 1

system 1
  states [rain, sun]
  letter walk
    rain -> rain: 1/2, sun: 1/2
    sun -> sun: 1
"""


def fault(text: str) -> tuple[str, int, int, str]:
    """Code, line, column and message of what is wrong with a text."""
    with pytest.raises(InputRejected) as rejected:
        read_model(SourceFile(name="m", text=text))
    (diagnostic,) = rejected.value.diagnostics
    assert diagnostic.primary is not None
    assert diagnostic.help
    span = diagnostic.primary.span
    return str(diagnostic.code), span.line, span.column, diagnostic.message


def test_the_system_is_read() -> None:
    (system,) = read_model(SourceFile(name="m", text=SYSTEM))
    assert isinstance(system, LabelledSystem)
    assert system.states == ("rain", "sun")
    assert model_text([system]) == SYSTEM


def test_comments_and_empty_lines_say_nothing() -> None:
    text = SYSTEM.replace("  letter", "\n  // what is seen\n\n  letter")
    assert model_text(read_model(SourceFile(name="m", text=text))) == model_text(
        read_model(SourceFile(name="m", text=SYSTEM))
    )


@pytest.mark.parametrize(
    ("change", "code", "line", "column", "part"),
    [
        (("pfl model 1", "pfl model 2"), "PFL0132", 1, 11, "version 2"),
        (("pfl model 1", "model"), "PFL0130", 1, 1, "first line"),
        (("sun: 1/2", "snow: 1/2"), "PFL0131", 6, 24, "`snow`"),
        (("sun -> sun: 1", "rain -> sun: 1"), "PFL0130", 7, 5, "above already"),
        (("sun -> sun: 1", "sun -> sun: 1/0"), "PFL0130", 7, 17, "denominator"),
        (("sun -> sun: 1", "sun -> sun: 1.5"), "PFL0130", 7, 18, "end here"),
        (("sun -> sun: 1", "sun -> sun: p^"), "PFL0130", 7, 19, "whole number"),
        (("sun -> sun: 1", "sun -> sun: 1 - p/2"), "PFL0130", 7, 17, "brackets"),
        (("sun -> sun: 1", "sun -> sun: p/(q - q)"), "PFL0130", 7, 19, "denominator"),
        (("sun -> sun: 1", "sun -> sun: p^999999"), "PFL0702", 7, 19, "digits"),
        (("sun -> sun: 1", "sun -> sun: " + "9" * 200_000), "PFL0702", 7, 17, "digits"),
        (("sun -> sun: 1", "  sun -> sun: 1"), "PFL0130", 7, 7, "no lines of its own"),
        (("  letter", "   letter"), "PFL0130", 5, 4, "no lines of its own"),
        (("  letter", "\tletter"), "PFL0130", 5, 1, "only spaces"),
        (("    rain", "\t    rain"), "PFL0130", 6, 1, "only spaces"),
        (("pfl model 1", "pfl model"), "PFL0130", 1, 1, "first line"),
        (("pfl model 1", " pfl model 1"), "PFL0130", 1, 2, "first line"),
        (("pfl model 1", "// a system\npfl model 1"), "PFL0130", 1, 1, "first line"),
        (("pfl model 1\n\n", ""), "PFL0130", 1, 1, "first line"),
        (("sun -> sun: 1", "sun -> sun: exp(+eps/4)"), "PFL0130", 7, 21, "the name of a parameter"),
        (("sun -> sun: 1", "sun -> sun: exp(-eps/4"), "PFL0130", 7, 27, "`)`"),
        (("sun -> sun: 1", "sun -> sun: exp(-eps/0)"), "PFL0130", 7, 26, "above 0"),
        (("sun -> sun: 1", "sun -> sun: exp(-0*eps)"), "PFL0702", 7, 22, "digits"),
        (("sun -> sun: 1", "sun -> sun: exp(-2*)"), "PFL0130", 7, 24, "parameter"),
        (("  states [rain, sun]", "  states [rain, sun"), "PFL0130", 4, 20, "`,`"),
        (("  states [rain, sun]", '  states ["rain, sun]'), "PFL0130", 4, 11, "not closed"),
        (("  states [rain, sun]", '  states ["\\ud800", sun]'), "PFL0130", 4, 11, "surrogate"),
        (("  states [rain, sun]\n", ""), "PFL0130", 4, 14, "what the states are"),
        (("  letter walk", "  colour red"), "PFL0130", 5, 3, "`colour` is none of"),
        (("  letter walk", "  states [a]\n  letter walk"), "PFL0130", 5, 3, "above already"),
        (("system 1", "system 1\nsystem 1"), "PFL0130", 3, 9, "lacks `states`"),
        (("system 1", "automaton 1"), "PFL0130", 3, 1, "`system`"),
    ],
)
def test_a_fault_has_its_place(change: tuple[str, str], code: str, line: int, column: int, part: str) -> None:
    assert change[0] in SYSTEM
    found = fault(SYSTEM.replace(*change))
    assert found[:3] == (code, line, column), found
    assert part in found[3]


@pytest.mark.parametrize("length", range(0, len(SYSTEM), 3))
def test_a_text_that_is_cut_off(length: int) -> None:
    with suppress(InputRejected):
        read_model(SourceFile(name="m", text=SYSTEM[:length]))


def test_a_reference_goes_upwards_only() -> None:
    text = "pfl model 1\n\nruns 1\n  system {}\n  adjacency insert\n  extras []\n"
    assert fault(text.format("runs 1"))[:3] == ("PFL0130", 4, 10)
    assert fault(text.format("interactive 7"))[:3] == ("PFL0131", 4, 10)


def test_deep_nesting() -> None:
    values = "pfl model 1\n\ninteractive 1\n  states [a]\n  start {}\n  shown [" + "[" * 100_000
    assert fault(values)[0] == "PFL0701"
    lines = "pfl model 1\n" + "".join(f"{'  ' * depth}claim\n" for depth in range(300))
    assert fault(lines)[0] in ("PFL0130", "PFL0701")


def test_many_parameters_in_one_number() -> None:
    number = " + ".join(f"p{n}" for n in range(20_000))
    assert fault(SYSTEM.replace("sun -> sun: 1", f"sun -> sun: {number}"))[0] == "PFL0702"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_may_end_in_other_ways(end: str) -> None:
    assert model_text(read_model(SourceFile(name="m", text=SYSTEM.replace("\n", end)))) == SYSTEM
    assert fault(SYSTEM.replace("walk", "?").replace("\n", end))[:3] == ("PFL0130", 5, 10)


@pytest.mark.parametrize(
    "text",
    [
        SYSTEM,
        "pfl model 99\n",
        " pfl model 1",
        "pfl  model\t1",
        "\ufeff\r\n// a comment\r\n\tpfl model 1\r\n",
        "claim\n  name a",
        "claim",
        *(f"// first\n{word} 1\n" for word in NUMBERED),
    ],
)
def test_a_text_is_known_though_its_first_line_is_wrong(text: str) -> None:
    assert is_model_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pfl modelling",
        "const model = 1;",
        "// pfl model 1\n",
        "assume 1\n< p;",
        "hmm H {",
        "system x",
        "// / " * 999,
    ],
)
def test_a_source_is_no_text_of_a_model(text: str) -> None:
    assert not is_model_text(text)


def test_reading_is_linear() -> None:
    def seconds(count: int) -> float:
        rows = "".join(f"    {n} -> {(n * 7) % count}: 1/2, {n}: 1/2\n" for n in range(count))
        states = "".join(f'    "x = {n}"\n' for n in range(count))
        text = f"pfl model 1\n\nsystem 1\n  states\n{states}  letter a\n{rows}"
        began = time.process_time()
        (system,) = read_model(SourceFile(name="m", text=text))
        assert system.size == count
        return time.process_time() - began

    seconds(100)
    assert seconds(40_000) < 40 * (seconds(4_000) + 0.05)
