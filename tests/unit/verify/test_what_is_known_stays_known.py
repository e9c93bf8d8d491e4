"""What was found, or is asked, is told as it is: before a search has ended, of automata as a whole, and in drawings."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from pfl.base.diagnostics import LimitReached
from pfl.cli.main import run
from pfl.driver import check_text
from pfl.engines.answer import Unknown
from pfl.engines.parametric.epsilon import Search
from pfl.report.json import render_json

LATER = """
param p in (0, 1);
hmm H {
  states s, t;  init s: 1/2, t: 1/2;  s -> s: 1-p, t: p;  t -> t: 1;
  s emits a: 2/3, b: 1/3;  t emits a: 1/3, b: 2/3;
}
compute c: epsilon H { secrets s@1 vs t@1; length 2; }
"""
AUTOMATON = """
automaton Once {
  states open, shut;  start open;  data d;  query q;  output r;
  open -- d --> open;  open -- q --> shut;  shut -- r --> open;
}
check same: implements Once of Once;
check private: noninterference Once { epsilon ln(2); }
"""


def test_a_search_that_meets_a_limit_tells_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: Search, tasks: list[object]) -> None:
        self._consider(tasks[0], (0,))  # type: ignore[arg-type]
        raise LimitReached("the time limit was reached")

    monkeypatch.setattr(Search, "run", stopped)
    (result,) = check_text(LATER).results
    assert isinstance(result.verdict, Unknown)
    assert result.verdict.bound is not None
    assert isinstance(result.verdict.bound.lower, Fraction)


def test_what_one_automaton_does_as_another_has_no_epsilon() -> None:
    report = json.loads(render_json(check_text(AUTOMATON)))
    same, private = report["claims"]
    assert (same["epsilon"], same["delta"]) == (None, None)
    assert private["delta"] == "0"


def test_a_drawing_of_a_conditioned_chain_has_probabilities(tmp_path: Path) -> None:
    """Weights out of a state sum to 1 at a value of p, and no start is likelier than 1."""
    (tmp_path / "later.pfl").write_text(LATER, encoding="utf-8")
    assert run(["emit", "dot", str(tmp_path / "later.pfl"), "-o", str(tmp_path / "drawn")]) == 0
    (drawn,) = (tmp_path / "drawn").glob("*.dot")
    edges = re.findall(r'(start\d) -> (\w+)(?: \[label="([^"]*)"\])?', drawn.read_text(encoding="utf-8"))
    totals: dict[str, Fraction] = {}
    for start, _, label in edges:
        exact = re.sub(r"\d+", r"Fraction(\g<0>)", label or "1")
        value = eval(exact, {"p": Fraction(1, 3), "Fraction": Fraction})  # a function of p, as it is written
        assert 0 <= value <= 1
        totals[start] = totals.get(start, Fraction(0)) + value
    assert set(totals.values()) == {Fraction(1)}


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("extras [(0, nothing)]", "extras [(nothing, nothing)]", "PFL0133"),
        ("goal check", "goal check\n        lengths [" + "9" * 5000 + "]", "PFL0130"),
    ],
)
def test_a_text_says_what_may_be(
    before: str, after: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.pfl").write_text(AUTOMATON, encoding="utf-8")
    assert run(["emit", "ir", str(tmp_path / "model.pfl"), "-o", str(tmp_path / "model.ir")]) == 0
    text = (tmp_path / "model.ir").read_text(encoding="utf-8")
    (tmp_path / "model.ir").write_text(text.replace(before, after), encoding="utf-8")
    capsys.readouterr()
    code = run(["check", str(tmp_path / "model.ir")])
    shown = capsys.readouterr()
    assert code == 3
    assert fault in shown.out + shown.err
