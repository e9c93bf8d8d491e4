"""From claims to verdicts: limits, faults of the compiler, processes, and which claims are judged."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pfl.base import codes
from pfl.base.budget import silent
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.exceptions import deep_recursion
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Bound, Computed, Evidence, Fails, Finds, NoneFound, Proved, Unknown, Violation
from pfl.model.claims import Case, Claim, Origin, Search
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.options import Options
from pfl.verify.conclude import conclude, plan
from pfl.verify.faults import guarded, unknown_claims
from pfl.verify.judge import judge
from pfl.verify.parallel import judge_all
from pfl.verify.verdict import Refuted, Verdict

ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
P = RationalFunction.parameter("p")
OPTIONS = Options()


def coin(weight: Any) -> LabelledSystem:
    return LabelledSystem(states=("s",), letters=("a", "b"), matrices=((((0, weight),),), (((0, 1 - weight),),)))


def pair(first: Any, second: Any, epsilon: Epsilon | None = Epsilon()) -> Compare:  # noqa: B008 - frozen
    system = LabelledSystem(
        states=("s", "t"),
        letters=("a", "b"),
        matrices=((((0, first),), ((1, second),)), (((0, 1 - first),), ((1, 1 - second),))),
    )
    table = Table.of_pair(
        system,
        [Side(label="left", vector=(ONE, Fraction(0))), Side(label="right", vector=(Fraction(0), ONE))],
        epsilon=epsilon,
    )
    return Compare(goal="check" if epsilon is not None else "epsilon", tables=(table,), lengths=(1,))


def claim(name: str, question: Any) -> Claim:
    origin = Origin(file="a.pfl", line=1, column=1, end_line=1, end_column=2)
    return Claim(
        name=name,
        verb="compute",
        kind="likelihood",
        subject="Coin",
        cases=(Case(question=question),),
        origin=origin,
        expected=None,
    )


def likelihood(weight: Fraction, *word: int) -> Measure:
    return Measure(system=coin(weight), start=((0, ONE),), quantity=Observed(word=word, posterior=False))


CLAIMS = [claim(f"c{n}", likelihood(Fraction(1, n), 0, 1)) for n in range(2, 6)]


def test_the_order_of_claims_and_the_verdicts_do_not_depend_on_the_number_of_processes() -> None:
    alone = judge_all(CLAIMS, OPTIONS, silent)
    together = judge_all(CLAIMS, replace(OPTIONS, jobs=2), silent)
    assert [result.verdict for result in alone.results] == [
        Computed(engine="exact", value=Fraction(1, n) * (1 - Fraction(1, n))) for n in range(2, 6)
    ]
    assert [(result.claim.name, result.verdict) for result in together.results] == [
        (result.claim.name, result.verdict) for result in alone.results
    ]


def test_progress_says_which_claim_it_is_about() -> None:
    told: list[str] = []
    judge_all(CLAIMS, replace(OPTIONS, jobs=2), told.append)
    assert told[-1] == "4 of 4 claims judged"


class Deadly(Observed):
    """A quantity that ends the process that looks at it, as a library does that gets no memory."""

    def __init__(self) -> None:
        super().__init__(word=(0,), posterior=False)

    def __getattribute__(self, name: str) -> Any:
        if name == "posterior":
            os._exit(9)
        return super().__getattribute__(name)


BROKEN = claim("broken", likelihood(HALF, 7))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fault_of_the_compiler_spoils_one_claim_only(jobs: int) -> None:
    findings = judge_all([CLAIMS[0], BROKEN, CLAIMS[1]], replace(OPTIONS, jobs=jobs), silent)
    first, broken, last = (result.verdict for result in findings.results)
    assert isinstance(first, Computed)
    assert isinstance(last, Computed)
    assert isinstance(broken, Unknown)
    assert broken.is_internal
    assert "IndexError" in broken.reason
    assert findings.exit_code == 70


def test_debug_lets_a_fault_escape() -> None:
    with pytest.raises(IndexError):
        judge(BROKEN, replace(OPTIONS, debug=True), silent)


def concluded(question: Any, answer: Any) -> Verdict:
    from pfl.base.budget import Budget

    return conclude(question, answer, OPTIONS, Budget())


GOOD, BAD = (Violation(comparison=0, reversed=reversed, words=((0,),)) for reversed in (False, True))


def test_answers_become_verdicts() -> None:
    question = pair(HALF, QUARTER)
    evidence = Evidence(kind="exhaustive")
    unchecked = Proved(engine="e", evidence=evidence)
    assert concluded(question, unchecked) == unchecked
    assert concluded(question, replace(unchecked, checked=True)) == unchecked
    bound = Bound(ratio=Fraction(2), lower=Fraction(2), upper=Fraction(2))
    refuted = concluded(question, Fails(engine="e", violation=GOOD, bound=bound))
    assert isinstance(refuted, Refuted)
    assert refuted.bound is bound
    assert concluded(question, Unknown(engine="e", reason="out of time")) == Unknown(engine="e", reason="out of time")
    synthesis = Search(names=("p",), claim=question)
    nothing = NoneFound(engine="e", evidence=evidence)
    assert concluded(synthesis, nothing) == nothing
    assert concluded(synthesis, replace(nothing, checked=True)) == nothing


def test_a_violation_that_does_not_replay_is_a_fault_and_no_refutation() -> None:
    verdict = concluded(pair(HALF, QUARTER), Fails(engine="e", violation=BAD))
    assert isinstance(verdict, Unknown)
    assert verdict.is_internal


@pytest.mark.parametrize(
    ("best", "lower", "kind"),
    [(GOOD, Fraction(2), Computed), (GOOD, Fraction(3), Unknown), (BAD, Fraction(2), Unknown)],
)
def test_the_best_word_of_a_computed_ratio_must_attain_it(best: Violation, lower: Fraction, kind: type) -> None:
    bound = Bound(ratio=lower, lower=lower, upper=lower, best=best)
    assert isinstance(concluded(pair(HALF, QUARTER, None), Computed(engine="e", bound=bound)), kind)


def test_a_forged_certificate_proves_nothing() -> None:
    evidence = Evidence(kind="certificate", certificates=({"format": "nonsense"}, {}))
    verdict = concluded(pair(HALF, QUARTER), Proved(engine="e", evidence=evidence))
    assert isinstance(verdict, Unknown)
    assert verdict.is_internal
    too_few = concluded(pair(HALF, QUARTER), Proved(engine="e", evidence=replace(evidence, certificates=({},))))
    assert isinstance(too_few, Unknown)


def synthesis() -> Search:
    p = Parameter(name="p", low=Fraction(0), high=ONE, low_open=True, high_open=True)
    return Search(names=("p",), claim=replace(pair(P, QUARTER), parameters=ParameterSpace(parameters=(p,))))


def test_values_outside_their_space_are_a_fault() -> None:
    verdict = concluded(synthesis(), Finds(engine="e", values={"p": Fraction(2)}))
    assert isinstance(verdict, Unknown)
    assert verdict.is_internal
    assert "impossible" in verdict.reason


def test_a_claim_about_nothing_is_vacuous() -> None:
    question = replace(pair(HALF, QUARTER), tables=(), skipped=("john has probability 0",))
    verdict = judge(claim("c", question), OPTIONS, silent)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.kind == "vacuous"


def test_a_compute_about_nothing_gives_zero_and_no_proof() -> None:
    nothing = replace(pair(HALF, QUARTER), tables=(), skipped=("john has probability 0",))
    verdict = judge(claim("c", replace(nothing, goal="epsilon")), OPTIONS, silent)
    assert verdict == Computed(engine="exact", bound=Bound(ratio=ONE, lower=ONE, upper=ONE))
    verdict = judge(claim("c", replace(nothing, goal="delta", delta=None)), OPTIONS, silent)
    assert verdict == Computed(engine="exact", value=Fraction(0))


def test_plans() -> None:
    smt = Options(engine="smt")
    assert plan(likelihood(HALF, 0), smt).engine.name == "exact"
    assert plan(synthesis(), OPTIONS).engine.name == "synthesis"
    assert plan(pair(HALF, QUARTER), OPTIONS).engine.name == "exact"
    assert plan(pair(P, QUARTER), OPTIONS).engine.name == "parametric"
    assert plan(pair(HALF, QUARTER, Epsilon.ln(P)), OPTIONS).engine.name == "parametric"
    for question, own in ((pair(HALF, QUARTER), "exact"), (pair(P, QUARTER), "parametric")):
        chosen = plan(question, smt)
        assert chosen.confirm is not None
        assert (chosen.engine.name, chosen.confirm.name) == ("smt", own)
    assert plan(pair(HALF, QUARTER, None), smt).engine.name == "smt"


def test_names_that_no_model_declares_are_faults() -> None:
    assert unknown_claims(["c4", "c2"], ["c2", "c3", "c4"]) == ()
    close, far = unknown_claims(["c44", "survey", "survey"], ["c2", "c3", "c4"])
    assert (close.code, close.help) == (codes.UNKNOWN_CLAIM, "did you mean `c4`?")
    assert far.help == "the claims are `c2`, `c3`, `c4`"
    (nothing,) = unknown_claims(["c"], [])
    assert nothing.help == "the model declares no claim"


def raised(error: BaseException) -> Diagnostic:
    def work() -> None:
        raise error

    result = guarded(work, "a.pfl", replace(OPTIONS, memory=64))
    assert isinstance(result, tuple)
    return result[0]


def test_exceptions_of_phases_become_diagnostics() -> None:
    rejected = Diagnostic(code=codes.ROW_SUM, message="no")
    assert raised(InputRejected([rejected])) is rejected
    assert raised(LimitReached("enough", rejected)) is rejected
    assert raised(LimitReached("enough")).message == "enough"
    assert raised(MemoryError()).message.startswith("the memory of 64 MB was used up")
    assert raised(RecursionError()).code is codes.LIMIT_REACHED
    fault = raised(ValueError("two\nlines"))
    assert fault.code is codes.INTERNAL_ERROR
    assert "ValueError" in fault.message
    assert "two lines" in fault.message


def test_deep_recursion_has_room_and_is_given_back() -> None:
    import sys

    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    before = sys.getrecursionlimit()
    with deep_recursion():
        assert depth(10_000) == 10_000
    assert sys.getrecursionlimit() == before


def test_a_process_that_dies_spoils_one_claim_only() -> None:
    findings = judge_all(
        [CLAIMS[0], claim("deadly", replace(likelihood(HALF, 0), quantity=Deadly())), CLAIMS[1]],
        replace(OPTIONS, jobs=2),
        silent,
    )
    first, deadly, last = (result.verdict for result in findings.results)
    assert isinstance(first, Computed)
    assert isinstance(last, Computed)
    assert isinstance(deadly, Unknown)
    assert "ended with code 9" in deadly.reason
    assert findings.exit_code == 4
