"""What is judged of a text: equations put into its numbers say what compiling anew says; a damaged text is judged, or
rejected, and is never the fault of the compiler."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest

from pfl.base.budget import Budget, silent
from pfl.base.rational_function import RationalFunction
from pfl.driver import check_text, compile_file, compile_text
from pfl.model.claims import Claim
from pfl.model.parameters import Condition
from pfl.model.text.model_text import model_text
from pfl.options import Options
from pfl.passes.equations import askable
from pfl.verify.judge import judge
from pfl.verify.parameters.told_apart import told_apart
from pfl.verify.verdict import Computed, Found, Unknown, Verdict

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/cases/fidelity"

PARAMETRIC = """
param p in [0, 1];
param q in [0, 1/2];
hmm H {
    states s, t, u;
    init s: p, t: 1 - p;
    s -> s: q, t: 1/2, u: 1/2 - q;
    t -> s: 1/3, u: 2/3;
    u -> u: 1;
    s emits a: 1/4, b: 3/4;
    t emits a: 1/2 + q, b: 1/2 - q;
    u emits b;
}
mechanism coin(x: 0..1) -> 0..1 { return { x: 1 - q, 1 - x: q }; }
adjacency differ(a: 0..1, b: 0..1) = a != b;
check told: pufferfish H { secrets s@1 vs t@1; length 2; epsilon ln(3); expect refuted; }
compute least: epsilon H { secrets s@0 vs t@0; length 1..2; }
compute seen: likelihood H { observations a, _, b; }
compute reached: probability H { reach u; within 3; }
compute steps: expected steps H { until u; }
check private: privacy coin { adjacent differ; epsilon ln(2); expect refuted; }
compute slack: delta coin { adjacent differ; epsilon ln(2); }
find q such that private;
hmm Quiet {
    states s, t;
    init s: q, t: 1 - q;
    s -> s: p, t: 1 - p;
    t -> t: 1/2, s: 1/2;
    s emits silent;
    t emits a: 1/2, b: 1/2;
}
compute late: likelihood Quiet { observations a, b; }
compute leaked: epsilon Quiet { secrets s@1 vs t@1; length 2; }
"""


@cache
def claims_of(text: str) -> tuple[Claim, ...]:
    compiled = compile_text(text)
    assert not compiled.is_rejected, compiled.diagnostics
    return compiled.claims


def said(verdict: Verdict) -> object:
    """What is said, whatever names it."""
    match verdict:
        case Computed(value=value, bound=bound):
            return "computed", value, None if bound is None else bound.ratio
        case Found(values=values, objective=objective):
            return "found", values, objective
        case _:
            return type(verdict).__name__


@pytest.mark.parametrize("seed", range(60))
def test_equations_are_put_in_as_a_model_is_compiled_under_them(seed: int) -> None:
    random = Random(seed)
    claim = random.choice([claim for claim in claims_of(PARAMETRIC) if claim.parameters.names])
    parameter = random.choice(claim.parameters.parameters)
    value = random.choice([Fraction(n, 12) for n in range(13) if parameter.contains(Fraction(n, 12))])
    difference = RationalFunction.parameter(parameter.name) - value
    equation = Condition(polynomial=difference, relation="==", text=f"{parameter.name} == {value}")
    assert claim.anew is not None
    compiled = claim.anew(claim.name, equation, None)
    told = askable(told_apart(claim, Budget())).anew
    assert told is not None
    put_in = told(claim.name, equation, None)
    options = Options(timeout=20)
    first, second = judge(compiled, options, silent), judge(put_in, options, silent)
    assert said(first) == said(second)


@cache
def texts() -> tuple[str, ...]:
    models = (
        ROOT / "examples/weather.pfl",
        ROOT / "examples/slots_by_hand.pfl",
        ROOT / "tests/cases/chains/costs.pfl",
        CASES / "posteriors_of_silent_states.pfl",
        CASES / "hidden_step_that_is_never_left.pfl",
        CASES / "loop_in_a_handler.pfl",
        CASES / "find_for_all_of_the_others.pfl",
        ROOT / "tests/cases/noise/questions_as_text.pfl",
    )
    told = [model_text([told_apart(each, Budget())]) for model in models for each in compile_file(str(model)).claims]
    return tuple(text for text in told if len(text) < 20_000)


NUMBERS = ("0", "1", "2", "-1", "1/2", "7", "12", "p", "-p", "3/2")
WORDS = (
    "nothing",
    "yes",
    "no",
    "check",
    "epsilon",
    "delta",
    "compute",
    "p",
    "q",
    "find",
    "any",
    "insert",
    "a",
    "<=",
    "eps",
    "inf",
)


def changed(text: str, random: Random) -> str:
    """The text with a number, a word or a line changed, or two."""
    lines = text.split("\n")
    for _ in range(random.choice([1, 1, 2])):
        place = random.randrange(1, len(lines))
        line = lines[place]
        found = list(re.finditer(r"-?\d+(?:/\d+)?|\b[a-z_]+\b", line))
        match random.randrange(5):
            case 0 if len(lines) > 5:
                del lines[place]
            case 1:
                lines.insert(place, line)
            case _ if found:
                at = random.choice(found)
                new = random.choice(WORDS if at.group().isidentifier() else NUMBERS)
                lines[place] = line[: at.start()] + new + line[at.end() :]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_text_is_no_fault_of_the_compiler(seed: int) -> None:
    random = Random(seed)
    for _ in range(4):
        text = changed(random.choice(texts()), random)
        found = check_text(text, Options(timeout=2))
        assert "PFL0901" not in {str(diagnostic.code) for diagnostic in found.diagnostics}, text
        unknown = [result.verdict for result in found.results if isinstance(result.verdict, Unknown)]
        assert not any(verdict.is_internal for verdict in unknown), text
