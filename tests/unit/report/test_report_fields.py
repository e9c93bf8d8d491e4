"""Every field of every kind of result is in every format.

The fields are those of the classes themselves: a new one fails here until it is entered and each format shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from fractions import Fraction

import pytest
import report_samples as samples
from odd_results import (
    APART,
    AT_LEAST,
    CONDITION,
    CONTRADICTED,
    DISPROVED,
    EXHAUSTIVE,
    FOUND,
    NONE,
    ODD,
    PROVED,
    REFUTED,
    SOLVER,
    TWO,
    UNKNOWN,
    UNUSUAL,
    WITNESS,
    P,
    about_apart,
    about_number,
    about_results,
    asked,
    bounded,
    compared,
    delta_at,
    find,
    named,
    of_cases,
    placed,
    with_question,
    witnessed,
)
from report_formats import FORMATS, rendered

from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.base.epsilon import Epsilon
from pfl.driver import compile_text
from pfl.engines.answer import Apart, Bound, Computed, Disproved, Evidence, NamedValue, NoneFound, Proved, Unknown
from pfl.engines.witness import Witness
from pfl.model.claims import Claim, Origin
from pfl.model.compare import Compare
from pfl.model.measure import Requirement
from pfl.model.parameters import ExponentialSpace, ParameterSpace
from pfl.report.record import Judgement, Record
from pfl.verify.verdict import ClaimResult, Contradicted, Found, Refuted


@dataclass(frozen=True)
class Shown:
    """A result with an odd value in a field, and the text that shows it; `by_format` where that differs, None where a
    format leaves it out, as docs/reference/reports.md says."""

    result: ClaimResult
    text: str
    by_format: dict[str, str | None] = field(default_factory=dict)


def entry(key: str, value: str) -> dict[str, str | None]:
    """A key of JSON with a value that is no text, in the formats for machines."""
    return {"json": f'"{key}": {value}', "sarif": f'"{key}": {value}', "junit": f'{key}" value="{value}"'}


NOT_FOR_PEOPLE: dict[str, str | None] = {"human": None}


FIELDS: dict[tuple[type, str], Shown] = {
    (Proved, "engine"): Shown(compared(replace(PROVED, engine=UNUSUAL)), UNUSUAL),
    (Proved, "evidence"): Shown(
        compared(replace(PROVED, evidence=replace(EXHAUSTIVE, facts=((UNUSUAL, "x"),)))), UNUSUAL
    ),
    (Proved, "checked"): Shown(
        compared(SOLVER), "on the word of the solver alone", {"junit": 'evidence.checked" value="false"'}
    ),
    (Proved, "bound"): Shown(bounded(ratio=ODD), "7141/7151"),
    (Proved, "value"): Shown(about_number(replace(PROVED, value=ODD)), "7141/7151"),
    (Proved, "values"): Shown(
        of_cases(replace(PROVED, value=ODD, values=(NamedValue(name="largest", value=ODD),))), "7141/7151"
    ),
    (Proved, "apart"): Shown(about_number(replace(PROVED, value=Fraction(2), apart=(APART,))), "7141/7151"),
    (Refuted, "engine"): Shown(compared(replace(REFUTED, engine=UNUSUAL)), UNUSUAL),
    (Refuted, "witness"): Shown(witnessed(left=UNUSUAL), UNUSUAL),
    (Refuted, "epsilon"): Shown(compared(replace(REFUTED, epsilon=Epsilon.ln(ODD))), "ln(7141/7151)"),
    (Refuted, "delta"): Shown(compared(replace(REFUTED, delta=ODD / 100)), "7141/715100"),
    (Refuted, "bound"): Shown(
        compared(replace(REFUTED, bound=Bound(ratio=Fraction(7151), lower=None, upper=None))), "7151"
    ),
    (Contradicted, "engine"): Shown(about_number(replace(CONTRADICTED, engine=UNUSUAL)), UNUSUAL),
    (Contradicted, "value"): Shown(about_number(replace(CONTRADICTED, value=ODD / 2)), "7141/14302"),
    (Contradicted, "required"): Shown(
        about_number(replace(CONTRADICTED, required=replace(AT_LEAST, number=ODD))), "7141/7151"
    ),
    (Contradicted, "arguments"): Shown(of_cases(replace(CONTRADICTED, arguments=(("n", UNUSUAL),))), UNUSUAL),
    (Contradicted, "parameters"): Shown(about_number(replace(CONTRADICTED, parameters=(("p", ODD),))), "7141/7151"),
    (Contradicted, "values"): Shown(
        of_cases(replace(CONTRADICTED, values=(NamedValue(name="largest", value=ODD),))), "7141/7151"
    ),
    (Contradicted, "witness"): Shown(
        about_results(replace(CONTRADICTED, witness=replace(WITNESS, right=UNUSUAL))), UNUSUAL
    ),
    (Disproved, "engine"): Shown(compared(replace(DISPROVED, engine=UNUSUAL)), UNUSUAL),
    (Disproved, "problem"): Shown(compared(replace(DISPROVED, problem=UNUSUAL), expected="refuted"), UNUSUAL),
    (Disproved, "facts"): Shown(compared(replace(DISPROVED, facts=(("left", UNUSUAL),))), UNUSUAL),
    (Unknown, "engine"): Shown(compared(replace(UNKNOWN, engine=UNUSUAL)), UNUSUAL),
    (Unknown, "reason"): Shown(compared(replace(UNKNOWN, reason=UNUSUAL)), UNUSUAL),
    (Unknown, "bound"): Shown(compared(replace(UNKNOWN, bound=Bound(ratio=None, lower=ODD, upper=None))), "7141/7151"),
    (Unknown, "is_internal"): Shown(
        compared(replace(UNKNOWN, is_internal=True)), "a fault of pflc itself", entry("internal", "true")
    ),
    (Computed, "engine"): Shown(about_number(Computed(engine=UNUSUAL, value=ODD), None), UNUSUAL),
    (Computed, "value"): Shown(about_number(Computed(engine="exact", value=ODD), None), "7141/7151"),
    (Computed, "values"): Shown(named(value=ODD), "7141/7151"),
    (Computed, "bound"): Shown(
        with_question(Computed(engine="exact", bound=Bound(ratio=ODD, lower=ODD, upper=ODD)), goal="epsilon"),
        "7141/7151",
    ),
    (Computed, "witness"): Shown(delta_at(samples.LN2, left=UNUSUAL), UNUSUAL),
    (Computed, "apart"): Shown(
        about_number(Computed(engine="exact", value=Fraction(2), apart=(APART,)), None), "7141/7151"
    ),
    (Apart, "name"): Shown(about_apart(replace(APART, name=UNUSUAL)), UNUSUAL),
    (Apart, "value"): Shown(about_apart(replace(APART, value=ODD, verdict=TWO)), "7141/7151"),
    (Apart, "verdict"): Shown(about_apart(APART), "7141/7151"),
    (Found, "engine"): Shown(find(replace(FOUND, engine=UNUSUAL)), UNUSUAL),
    (Found, "values"): Shown(find(replace(FOUND, values=((UNUSUAL, ODD),))), "7141/7151"),
    (Found, "proof"): Shown(
        find(replace(FOUND, proof=replace(PROVED, bound=Bound(ratio=ODD, lower=ODD, upper=ODD)))), "7141/7151"
    ),
    (Found, "objective"): Shown(
        find(replace(FOUND, objective=ODD), objective=Fraction(1), direction="minimise"), "7141/7151"
    ),
    (Found, "best_possible"): Shown(
        find(replace(FOUND, objective=ODD, best_possible=ODD / 2), objective=Fraction(1), direction="maximise"),
        "7141/14302",
    ),
    (NoneFound, "engine"): Shown(find(replace(NONE, engine=UNUSUAL)), UNUSUAL),
    (NoneFound, "evidence"): Shown(find(replace(NONE, evidence=Evidence(kind="solver", detail=UNUSUAL))), UNUSUAL),
    (NoneFound, "checked"): Shown(
        find(replace(NONE, evidence=Evidence(kind="solver"))),
        "on the word of the solver alone",
        {"junit": 'evidence.checked" value="false"'},
    ),
    (Witness, "heading"): Shown(witnessed(heading=UNUSUAL), UNUSUAL),
    (Witness, "left"): Shown(witnessed(left=UNUSUAL), UNUSUAL),
    (Witness, "right"): Shown(witnessed(right=UNUSUAL), UNUSUAL),
    (Witness, "prior"): Shown(witnessed(prior=UNUSUAL), UNUSUAL),
    (Witness, "bindings"): Shown(witnessed(bindings=(("n", UNUSUAL),)), UNUSUAL),
    (Witness, "parameters"): Shown(witnessed(parameters=(("p", ODD),)), "7141/7151"),
    (Witness, "words"): Shown(witnessed(words=(("zero", UNUSUAL),)), UNUSUAL),
    (Witness, "probability_left"): Shown(witnessed(probability_left=ODD), "7141/7151"),
    (Witness, "probability_right"): Shown(witnessed(probability_right=ODD / 100), "7141/715100"),
    (Witness, "inputs"): Shown(
        witnessed(words=((f"[{UNUSUAL}] bot",),), inputs=((UNUSUAL,),), observations=(("bot",),)), UNUSUAL
    ),
    (Witness, "observations"): Shown(
        witnessed(words=((f"[0] {UNUSUAL}",),), inputs=(("0",),), observations=((UNUSUAL,),)), UNUSUAL
    ),
    (Witness, "epsilon"): Shown(delta_at(Epsilon.ln(Fraction(7151))), "7151"),
    (Witness, "out_of"): Shown(delta_at(samples.LN2, out_of=7141), "out of 7,141", entry("out_of", "7141")),
    (Bound, "ratio"): Shown(bounded(ratio=ODD), "7141/7151"),
    (Bound, "lower"): Shown(bounded(lower=ODD), "7141/7151"),
    (Bound, "upper"): Shown(bounded(upper=ODD), "7141/7151"),
    (Bound, "attained"): Shown(
        bounded(ratio=ODD, attained=False), "tends to", {**entry("attained", "false"), "human": "tends to"}
    ),
    (Bound, "limit_at"): Shown(bounded(lower=ODD, upper=Fraction(1), attained=False, limit_at=UNUSUAL), UNUSUAL),
    (Evidence, "kind"): Shown(
        compared(SOLVER), "solver", {"json": '"kind": "solver"', "junit": 'evidence.kind" value="solver"'}
    ),
    (Evidence, "detail"): Shown(compared(SOLVER), UNUSUAL),
    (Evidence, "facts"): Shown(
        compared(replace(PROVED, evidence=replace(EXHAUSTIVE, facts=(("path", UNUSUAL),)))), UNUSUAL
    ),
    (NamedValue, "name"): Shown(named(name=UNUSUAL), UNUSUAL),
    (NamedValue, "value"): Shown(named(value=ODD), "7141/7151"),
    (NamedValue, "arguments"): Shown(named(arguments=(("n", UNUSUAL),)), UNUSUAL),
    (Requirement, "relation"): Shown(
        about_number(replace(CONTRADICTED, required=Requirement(relation="at most", number=Fraction(1, 9)))),
        "at most",
    ),
    (Requirement, "number"): Shown(
        about_number(replace(PROVED, value=Fraction(1)), replace(AT_LEAST, number=ODD)), "7141/7151"
    ),
    (Claim, "name"): Shown(compared(REFUTED, name=UNUSUAL), UNUSUAL),
    (Claim, "verb"): Shown(
        find(FOUND), "find pufferfish", {"human": None, "json": '"find"', "sarif": '"find"', "junit": 'value="find"'}
    ),
    (Claim, "kind"): Shown(compared(REFUTED, kind=UNUSUAL), UNUSUAL),
    (Claim, "subject"): Shown(compared(REFUTED, subject=UNUSUAL), UNUSUAL),
    (Claim, "expected"): Shown(
        compared(PROVED, expected="refuted"),
        "expected refuted",
        {"json": '"expected": "refuted"', "junit": 'name="expected" value="refuted"'},
    ),
    (Claim, "notes"): Shown(compared(REFUTED, notes=(UNUSUAL,)), UNUSUAL),
    (Claim, "remarks"): Shown(compared(REFUTED, remarks=(UNUSUAL,)), UNUSUAL),
    (Origin, "file"): Shown(placed(file=UNUSUAL), UNUSUAL, NOT_FOR_PEOPLE),
    (Origin, "line"): Shown(placed(line=7141), "7141", NOT_FOR_PEOPLE),
    (Origin, "column"): Shown(placed(column=7141), "7141", NOT_FOR_PEOPLE),
    (Origin, "end_line"): Shown(placed(end_line=7141), "7141", {"human": None, "concise": None}),
    (Origin, "end_column"): Shown(placed(end_column=7141), "7141", {"human": None, "concise": None}),
    (Compare, "lengths"): Shown(with_question(REFUTED, lengths=(7141,)), "7141"),
    (Compare, "stated"): Shown(with_question(REFUTED, lengths="any", stated=(7141,)), "7141"),
    (Compare, "unit"): Shown(with_question(REFUTED, unit=UNUSUAL), UNUSUAL),
    (Compare, "delta"): Shown(
        with_question(
            Computed(engine="exact", bound=Bound(ratio=None, lower=ODD, upper=None)), goal="epsilon", delta=ODD
        ),
        "7141/7151",
    ),
    (Compare, "exponents"): Shown(
        with_question(
            PROVED,
            exponents=ExponentialSpace(base=UNUSUAL, low=ODD, high=None, low_open=True, high_open=True, unit=1),
        ),
        UNUSUAL,
    ),
    (Compare, "parameters"): Shown(
        with_question(PROVED, parameters=ParameterSpace(parameters=(P,), assumptions=((CONDITION,),))), "7141/7151"
    ),
    (ExactRoot, "polynomial"): Shown(
        about_number(
            replace(CONTRADICTED, parameters=(("p", ExactRoot(polynomial=UNUSUAL, value=1.5, root=None)),))  # type: ignore[arg-type]
        ),
        UNUSUAL,
    ),
    (ExactRoot, "value"): Shown(
        about_number(
            replace(CONTRADICTED, parameters=(("p", ExactRoot(polynomial="p", value=7141.5, root=None)),))  # type: ignore[arg-type]
        ),
        "7141.5",
    ),
}

OTHERWISE: dict[tuple[type, str], str] = {
    (Bound, "closed"): "tests/unit/report/test_closed_forms.py",
    (Evidence, "uncertified"): "said where certificates are written: tests/unit/cli/test_cli_model_text.py",
    (Computed, "solution"): "what a proof rests on, which is checked and not shown",
    (Contradicted, "bound"): "always None",
    (Disproved, "bound"): "always None",
    (Proved, "exceptional"): "empty once a claim was judged everywhere",
    (Computed, "exceptional"): "empty once a claim was judged everywhere",
    (Contradicted, "exceptional"): "says where it is no refutation, which the witness is one of",
    (Compare, "shorter"): "lengths that are judged as well, to count what the claim counts",
    (Apart, "differs"): "a key of JSON; the others show only those that differ",
    (Claim, "exceptional"): "the claim was judged there, too: `apart`",
    (Claim, "anew"): "how that is done",
    (Claim, "relation"): "test_every_format_shows_what_a_claim_says_of_another_system",
    (Bound, "best"): "replayed, it is the witness of the verdict",
    (Evidence, "certificates"): "written to files by --certificates",
    (ExactRoot, "root"): "the number of which `value` is the decimal",
    (Claim, "origin"): "see Origin",
    (Claim, "cases"): "see Compare",
    (Claim, "limit"): "it is the reason of the verdict",
    (Claim, "programs"): "for those who look for state spaces; no part of an answer",
    (Compare, "goal"): "it is the kind of the claim",
    (Compare, "tables"): "what they are is in the source; of the witness it is in the witness",
    (Compare, "family"): "that it holds is what the claim says; its name is in the source",
    (Compare, "skipped"): "warnings say so; the detail of a proof where nothing is left",
}

WALKED = (
    *(Proved, Refuted, Contradicted, Disproved, Unknown, Computed, Found, NoneFound),
    *(Apart, Witness, Bound, Evidence, NamedValue, Requirement, ExactRoot, Claim, Origin, Compare),
)


def test_every_field_is_entered() -> None:
    there = {(kind, each.name) for kind in WALKED for each in fields(kind)}
    assert set(FIELDS) | set(OTHERWISE) == there
    assert not set(FIELDS) & set(OTHERWISE)


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("key", FIELDS, ids=lambda key: f"{key[0].__name__}.{key[1]}")
def test_every_format_shows_the_field(key: tuple[type, str], output_format: str) -> None:
    shown = FIELDS[key]
    wanted = shown.by_format.get(output_format, shown.text)
    if wanted is not None:
        assert wanted in rendered(output_format, shown.result)


@pytest.mark.parametrize("output_format", FORMATS)
def test_the_odd_values_are_odd(output_format: str) -> None:
    """Nothing but the field can have brought them in."""
    results = [compared(REFUTED), compared(PROVED), about_number(CONTRADICTED), find(FOUND), find(NONE), named()]
    for text in (UNUSUAL, "7141", "7151"):
        for result in results:
            assert text not in rendered(output_format, result)


RECORDED: dict[type, dict[str, tuple[type, str] | str]] = {
    Judgement: {
        "verdict": (Claim, "verb"),
        "statement": (Computed, "value"),
        "engine": (Proved, "engine"),
        "is_internal": (Unknown, "is_internal"),
        "epsilon": (Refuted, "epsilon"),
        "delta": (Refuted, "delta"),
        "value": (Computed, "value"),
        "values": (Computed, "values"),
        "gives_ratios": "how values are written",
        "multiplied": "how values are written",
        "required": (Contradicted, "required"),
        "arguments": (Contradicted, "arguments"),
        "parameters": (Contradicted, "parameters"),
        "best_possible": (Found, "best_possible"),
        "bound": (Proved, "bound"),
        "witness": (Refuted, "witness"),
        "seen": "what words are called",
        "excess": "test_every_format_shows_the_excess",
        "evidence": (Proved, "evidence"),
        "evidence_by": "test_every_format_shows_who_proved_what_was_found",
        "is_checked": (Proved, "checked"),
        "reason": (Unknown, "reason"),
        "facts": (Disproved, "facts"),
        "conditions": "test_every_format_shows_of_which_secrets_nothing_is_asked",
        "apart": (Computed, "apart"),
    },
    Record: {
        "name": (Claim, "name"),
        "verb": (Claim, "verb"),
        "kind": (Claim, "kind"),
        "subject": (Claim, "subject"),
        "relation": "test_every_format_shows_what_a_claim_says_of_another_system",
        "origin": (Origin, "line"),
        "expected": (Claim, "expected"),
        "as_expected": (Claim, "expected"),
        "lengths": (Compare, "lengths"),
        "unit": (Compare, "unit"),
        "space": (Compare, "parameters"),
        "direction": "test_every_format_shows_the_direction_of_a_find",
        "judgement": "see Judgement",
        "notes": (Claim, "notes"),
        "remarks": (Claim, "remarks"),
    },
}


@pytest.mark.parametrize("kind", [Judgement, Record])
def test_every_field_of_the_record_comes_from_one_that_is_shown(kind: type) -> None:
    entered = RECORDED[kind]
    assert set(entered) == {each.name for each in fields(kind)}
    for source in entered.values():
        if isinstance(source, tuple):
            assert source in FIELDS
        elif source.startswith("test_"):
            assert source in globals()


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_of_which_secrets_nothing_is_asked(output_format: str) -> None:
    table = samples.table(0, 1)
    sides = [replace(side, nonzero=(CONDITION,)) for side in table.sides]
    assert UNUSUAL in rendered(output_format, with_question(PROVED, tables=(replace(table, sides=sides),)))


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_the_excess(output_format: str) -> None:
    """2/3 - 2 * 1/6."""
    result = delta_at(samples.LN2)
    assert "1/3" in rendered(output_format, result)


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_who_proved_what_was_found(output_format: str) -> None:
    assert UNUSUAL in rendered(output_format, find(replace(FOUND, proof=replace(PROVED, engine=UNUSUAL))))


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_what_a_claim_says_of_another_system(output_format: str) -> None:
    (claim,) = compile_text(f"{samples.AUTOMATON} check implements Once of Once;").claims
    question = claim.question
    assert UNUSUAL in rendered(output_format, asked(DISPROVED, question, relation=f"of {UNUSUAL}"))


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_the_direction_of_a_find(output_format: str) -> None:
    verdict = replace(FOUND, objective=Fraction(1), best_possible=Fraction(1))
    text = rendered(output_format, find(verdict, objective=Fraction(1), direction="maximise"))
    assert ("maximise" if output_format in ("json", "sarif", "junit") else "maximum") in text


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_assumptions_and_moves(output_format: str) -> None:
    space = ParameterSpace(parameters=(samples.proved_under_parameters().claim.parameters.parameters[0],))
    space = replace(space, assumptions=((CONDITION,),))
    assert UNUSUAL in rendered(output_format, with_question(PROVED, parameters=space))
    assert "7141" in rendered(output_format, about_number(replace(PROVED, value=Fraction(1)), within=7141))
