"""Claims are taken as late as possible and told as early as possible, in order, in this process or in others."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.budget import Budget, Stoppable, silent
from pfl.base.diagnostics import Diagnostic
from pfl.engines.answer import Computed
from pfl.model.claims import Case, Claim, Origin
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.options import Options
from pfl.verify.parallel import Ahead, Lowered, judge_each
from pfl.verify.verdict import Findings

COIN = LabelledSystem(
    states=("s",),
    letters=("a", "b"),
    matrices=((((0, Fraction(1, 2)),),), (((0, Fraction(1, 2)),),)),
)
NOTHING = Lowered(claim=None)


class Slow(Observed):
    """A quantity that is not answered before the test is over."""

    def __getattribute__(self, name: str) -> Any:
        if name == "posterior":
            time.sleep(600)
        return super().__getattribute__(name)


def lowered(line: int, kind: type[Observed] = Observed) -> Lowered:
    question = Measure(system=COIN, start=((0, Fraction(1)),), quantity=kind(word=(0,) * line, posterior=False))
    claim = Claim(
        name=f"c{line}",
        verb="compute",
        kind="likelihood",
        subject="Coin",
        cases=(Case(question=question),),
        origin=Origin(file="a.pfl", line=line, column=1, end_line=line, end_column=2),
        expected=None,
    )
    return Lowered(claim=claim)


def told(claims: Iterator[Lowered], count: int, options: Options, said: list[str] | None = None) -> Iterator[int]:
    """The lines of the claims whose verdicts are known, 0 where there is none."""
    for each, judged in judge_each(claims, count, options, silent if said is None else said.append):
        if each.claim is None:
            assert judged is None
            yield 0
            continue
        line = each.claim.origin.line
        assert judged == Computed(engine="exact", value=Fraction(1, 2**line))
        yield line


def test_one_after_the_other_the_next_is_taken_when_the_last_is_told() -> None:
    taken: list[int] = []

    def source() -> Iterator[Lowered]:
        for line in (1, 2, 3):
            taken.append(line)
            yield lowered(line)

    results = told(source(), 3, Options())
    for line in (1, 2, 3):
        assert next(results) == line
        assert taken == list(range(1, line + 1))


@pytest.mark.parametrize("options", [Options(jobs=2), Options(jobs=5), Options(memory=100_000)])
def test_in_processes_the_order_is_that_of_the_claims(options: Options) -> None:
    claims = [lowered(1), NOTHING, lowered(2), lowered(3), NOTHING, NOTHING, lowered(4), NOTHING]
    assert list(told(iter(claims), len(claims), options)) == [1, 0, 2, 3, 0, 0, 4, 0]
    assert list(told(iter([NOTHING, NOTHING]), 2, options)) == [0, 0]
    assert list(told(iter([]), 2, options)) == []


def test_a_result_is_told_while_the_next_claim_is_on_its_way() -> None:
    """The source gives its second claim only after the first result was told."""
    is_told = False

    def source() -> Iterator[Lowered]:
        yield lowered(1)
        while not is_told:
            time.sleep(0.01)
        yield lowered(2)

    results = told(source(), 2, Options(jobs=2))
    assert next(results) == 1
    is_told = True
    assert list(results) == [2]


def test_no_claim_is_taken_before_a_process_is_free_for_it() -> None:
    taken: list[int] = []

    def source() -> Iterator[Lowered]:
        for line in range(1, 6):
            taken.append(line)
            yield lowered(line)

    results = told(source(), 5, Options(memory=100_000))
    assert next(results) == 1
    assert taken == [1]
    assert list(results) == [2, 3, 4, 5]


def processes_of(group: list[int]) -> list[int]:
    """Those that are still there."""
    left = []
    for number in group:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            continue
        left.append(number)
    return left


def children() -> list[int]:
    from multiprocessing import active_children

    return [child.pid for child in active_children() if child.pid is not None]


def test_closing_ends_the_processes() -> None:
    results = judge_each(iter([lowered(1), lowered(2, Slow), lowered(3)]), 3, Options(jobs=2), silent)
    _, judged = next(results)
    assert isinstance(judged, Computed)
    results.close()  # type: ignore[attr-defined]
    assert children() == []


def test_an_interruption_comes_after_what_is_known_of_later_claims() -> None:
    started: list[int] = []

    def progress(text: str) -> None:
        started.extend(children())
        if text == "1 of 3 claims judged":
            raise KeyboardInterrupt

    results = judge_each(iter([lowered(1, Slow), lowered(2), lowered(3, Slow)]), 3, Options(jobs=2), progress)
    each, judged = next(results)
    assert each.claim is not None
    assert each.claim.name == "c2"
    assert isinstance(judged, Computed)
    assert started
    assert processes_of(started) == []
    with pytest.raises(KeyboardInterrupt):
        next(results)


def test_progress_counts_the_claims() -> None:
    said: list[str] = []
    list(told(iter([lowered(1), lowered(2)]), 2, Options(jobs=2), said))
    assert said[-1] == "2 of 2 claims judged"


def test_what_the_source_raises_is_raised() -> None:
    def source() -> Iterator[Lowered]:
        yield lowered(1)
        raise ValueError("no second claim")

    results = told(source(), 2, Options(jobs=2))
    with pytest.raises(ValueError, match="no second claim"):
        list(results)
    assert children() == []


def test_ahead_takes_each_element_once_asked_for_or_not() -> None:
    ahead = Ahead(iter("abc"))
    assert ahead.take() == "a"
    ahead.ask()
    assert ahead.is_busy
    assert ahead.take() == "b"
    assert not ahead.is_busy
    assert ahead.take() == "c"
    ahead.ask()
    assert ahead.take() is None
    ahead.close()


def test_stopped_progress_ends_the_work_that_tells_it() -> None:
    said: list[str] = []
    progress = Stoppable(said.append)
    budget = Budget(progress=progress)
    budget.check("a while")
    progress.stop()
    with pytest.raises(KeyboardInterrupt):
        budget.check("a long while")
    assert said == ["a while"]


def test_long_evaluation_is_told() -> None:
    said: list[str] = []
    budget = Budget(progress=said.append)
    budget.spend(999_999)
    assert said == []
    budget.spend(1)
    assert said == ["1,000,000 steps of evaluation"]


def test_pieces_make_one_report() -> None:
    first, second = lowered(1).claim, lowered(2).claim
    assert first is not None
    assert second is not None
    from pfl.base import codes
    from pfl.engines.answer import Unknown
    from pfl.verify.verdict import ClaimResult, Tally

    fault = Diagnostic(code=codes.ROW_SUM, message="a row does not sum to 1")
    pieces = [
        Findings(unjudged=(first, second, first)),
        Findings(results=(ClaimResult(claim=first, verdict=Unknown(engine="exact", reason="no time")),)),
        Findings(diagnostics=(fault,)),
    ]
    whole = Findings.merged(pieces)
    assert whole.unjudged == (second, first)
    assert whole.exit_code == 3
    tally = Tally()
    for piece in pieces:
        tally.add(piece)
    assert (tally.unjudged, tally.undecided, tally.surprises, tally.count) == (whole.unjudged, 1, 0, 3)
    assert tally.exit_code == 3
    tally.interruption = 2
    assert tally.exit_code == 130
