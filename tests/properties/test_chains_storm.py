"""Chains as Storm solves them in exact arithmetic: random ones, and models of the field written in PFL.

Storm reads what `pflc emit` writes, so these files are tested as well.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_chains import Rows, chains, packed

from pfl.base.budget import Budget
from pfl.driver import compile_file
from pfl.emit.chain import ChainFormat, emit_chains
from pfl.engines.chain.chain import answers
from pfl.model.claims import Case, Claim, Origin
from pfl.model.measure import Cost, Measure, Reach, Results
from pfl.options import Options

stormpy: Any = pytest.importorskip("stormpy", reason="stormpy is not installed: pip install 'pfl[oracles]'")

ROOT = Path(__file__).parents[2]
ORIGIN = Origin(file="model.pfl", line=1, column=1, end_line=1, end_column=1)


def storm_values(text: str, form: ChainFormat, folder: Path, question: Measure) -> list[Fraction | float]:
    """The values that Storm finds, exactly, at each initial state."""
    path = folder / f"model.{form}"
    path.write_text(text, encoding="utf-8")
    prop = _property(question)
    if form == "drn":
        model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
        (formula,) = stormpy.parse_properties(prop)
    else:
        program = stormpy.parse_prism_program(str(path))
        (formula,) = stormpy.parse_properties(prop, program)
        model = stormpy.build_model[stormpy.Rational](program, [formula])
    result = stormpy.model_checking(model, formula, only_initial_states=True)
    return [_fraction(result.get_value(state)) for state in model.initial_states]


def _property(question: Measure) -> str:
    match question.quantity:
        case Reach(within=None):
            return 'P=? [ F "goal" ]'
        case Reach(within=within):
            return f'P=? [ F{{"cost"}}<={within} "goal" ]'
        case Cost():
            return 'R{"cost"}=? [ F "goal" ]'
        case Results():
            return 'P=? [ F "result0" ]'


def _fraction(value: Any) -> Fraction | float:
    text = str(value)
    return math.inf if "inf" in text else Fraction(text)


def own_values(questions: list[Measure]) -> list[Fraction | float]:
    solved = answers(questions, Options(), Budget())
    found = [answer.values[0].value if answer.value is None else answer.value for answer in solved]
    return [math.inf if value == "inf" else value for value in found if isinstance(value, Fraction | str)]


def claim_about(questions: list[Measure]) -> Claim:
    cases = tuple(Case(arguments=(("start", str(n)),), question=question) for n, question in enumerate(questions))
    return Claim(
        name="random",
        verb="compute",
        kind="probability",
        subject="chain",
        cases=cases,
        origin=ORIGIN,
        expected=None,
    )


@given(chains(largest=8), st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_chains(tmp_path: Path, rows: Rows, data: st.DataObject) -> None:
    goal = frozenset(data.draw(st.sets(st.sampled_from([s for s, row in enumerate(rows) if not row] or [-1])))) - {-1}
    costs = [[data.draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(5, 2)])) for _ in row] for row in rows]
    chain = packed(rows, costs)
    starts = [((state, Fraction(1)),) for state in range(len(rows))]
    for questions in (
        [Measure(system=chain, start=start, quantity=Reach(goal=goal)) for start in starts],
        [Measure(system=chain, start=start, quantity=Cost(goal=goal, unit="cost")) for start in starts],
    ):
        ((_, text),) = emit_chains(claim_about(questions), "drn")
        own = own_values(questions)
        assert storm_values(text, "drn", tmp_path, questions[0]) == own
        # Storm numbers the states of a program as it comes to them, so one start is asked about at a time.
        ((_, text),) = emit_chains(claim_about(questions[:1]), "prism")
        assert storm_values(text, "prism", tmp_path, questions[0]) == own[:1]


MODELS = [*sorted((ROOT / "tests/cases/chains").glob("*.pfl")), *sorted((ROOT / "examples").glob("[gh]*.pfl"))]


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_models_of_the_field(tmp_path: Path, model: Path) -> None:
    """Every claim without parameters, at its first starts; of a distribution, the first result."""
    compiled = compile_file(str(model))
    assert compiled.exit_code == 0
    compared = 0
    for claim in compiled.claims:
        if claim.parameters.parameters:
            continue
        case = claim.cases[0]
        assert isinstance(case.question, Measure)
        alone = replace(claim, cases=(case,))
        ((_, text),) = emit_chains(alone, "drn")
        assert storm_values(text, "drn", tmp_path, case.question) == own_values([case.question])
        compared += 1
    assert compared
