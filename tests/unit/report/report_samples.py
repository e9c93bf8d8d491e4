"""Claims built by hand, with the verdicts that reports are tried on."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.base.source import SourceFile, Span
from pfl.engines.answer import Bound, Computed, Evidence, NamedValue, NoneFound, Proved, Unknown, Violation
from pfl.model.claims import Case, Claim, Origin, Search
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.verify.replay import refute
from pfl.verify.verdict import ClaimResult, Findings, Found, Refuted

LN2 = Epsilon.ln(Fraction(2))
THIRDS = [Fraction(n, 6) for n in (4, 1, 1, 2, 2, 2, 1, 1, 4)]


def survey() -> LabelledSystem:
    """The number of sick people, 0 to 2, reported through the 1/2-geometric mechanism; it never changes."""
    return LabelledSystem(
        states=("sick = 0", "sick = 1", "sick = 2"),
        letters=("zero", "one", "two"),
        matrices=tuple(tuple(((s, THIRDS[3 * s + a]),) for s in range(3)) for a in range(3)),
    )


def point(state: int, label: str) -> Side:
    return Side(label=label, vector=tuple(Fraction(int(s == state)) for s in range(3)))


AUTOMATON = """
automaton Once {
  states open, shut;  start open;  data d;  query q;  output r;
  open -- d --> open;  open -- q --> shut;  shut -- r --> open;
}
"""


def origin(line: int, file: str = "flu.pfl") -> Origin:
    return Origin(file=file, line=line, column=1, end_line=line + 3, end_column=2)


def table(left: int, right: int, epsilon: Epsilon | None = LN2) -> Table:
    return Table.of_pair(
        survey(), [point(left, f"{left} sick"), point(right, f"{right} sick")], epsilon=epsilon, heading="start"
    )


def question(left: int, right: int, epsilon: Epsilon | None = LN2) -> Compare:
    return Compare(
        goal="check" if epsilon is not None else "epsilon",
        tables=(table(left, right, epsilon),),
        lengths=(1,),
    )


def claim(name: str, asked: Compare | Measure | Search, line: int = 21) -> Claim:
    return Claim(
        name=name,
        verb="check",
        kind="pufferfish",
        subject="Survey",
        cases=(Case(question=asked),),
        origin=origin(line),
        expected="proved",
    )


def refuted_as_expected() -> ClaimResult:
    asked = question(0, 2)
    verdict = refute(asked, "exact", Violation(comparison=0, reversed=False, words=((0,),)))
    assert isinstance(verdict, Refuted)
    bound = Bound(ratio=Fraction(4), lower=Fraction(4), upper=Fraction(4))
    return ClaimResult(
        claim=replace(claim("contagious", asked), expected="refuted"), verdict=replace(verdict, bound=bound)
    )


def refuted_by_surprise() -> ClaimResult:
    result = refuted_as_expected()
    return replace(result, claim=replace(result.claim, expected="proved"))


def proved_under_parameters() -> ClaimResult:
    p = Parameter(name="p", low=Fraction(0), high=Fraction(1), low_open=True, high_open=True)
    asked = replace(question(0, 1), parameters=ParameterSpace(parameters=(p,)))
    bound = Bound(ratio=Fraction(2), lower=Fraction(2), upper=Fraction(2), attained=False, limit_at="p -> 0")
    evidence = Evidence(kind="exhaustive")
    return ClaimResult(
        claim=claim("independent", asked, 9),
        verdict=Proved(engine="parametric", evidence=evidence, checked=False, bound=bound),
    )


def undecided() -> ClaimResult:
    bound = Bound(ratio=None, lower=Fraction(3), upper=Fraction(7, 2))
    asked = replace(question(0, 1), lengths="any")
    reason = "the time limit was reached after 12 letters; try a larger --timeout"
    return ClaimResult(claim=claim("drifting", asked, 30), verdict=Unknown(engine="exact", reason=reason, bound=bound))


def computed_epsilon() -> ClaimResult:
    asked = question(0, 2, None)
    result = refuted_as_expected().verdict
    assert isinstance(result, Refuted)
    bound = Bound(ratio=Fraction(4), lower=Fraction(4), upper=Fraction(4))
    verdict = Computed(engine="exact", bound=bound, witness=result.witness)
    return ClaimResult(
        claim=replace(claim("epsilon Survey", asked, 40), verb="compute", kind="epsilon", expected=None),
        verdict=verdict,
    )


START = ((0, Fraction(1)),)


def computed_values() -> ClaimResult:
    asked = Measure(system=survey(), start=START, quantity=Observed(word=(0, None, 1), posterior=True))
    values = (
        NamedValue(name="sick@0 == 0", value=Fraction(1, 3)),
        NamedValue(name="sick@0 == 1", value=Fraction(2, 3)),
    )
    verdict = Computed(engine="exact", value=Fraction(3, 8), values=values)
    return ClaimResult(
        claim=replace(claim("likelihood Survey", asked, 50), verb="compute", kind="likelihood", expected=None),
        verdict=verdict,
    )


def computed_expression() -> ClaimResult:
    p = RationalFunction.parameter("p")
    value = (4 - 3 * p) / (12 - 6 * p)
    asked = Measure(system=survey(), start=START, quantity=Observed(word=(0,), posterior=False))
    return ClaimResult(
        claim=replace(claim("symbolic", asked, 55), verb="compute", kind="likelihood", expected=None),
        verdict=Computed(engine="exact", value=value),
    )


def found() -> ClaimResult:
    asked = Search(names=("p0", "p1"), claim=question(0, 1))
    proof = Proved(engine="exact", evidence=Evidence(kind="certificate"), checked=True)
    verdict = Found(engine="synthesis", values=(("p0", Fraction(1, 2)), ("p1", Fraction(1, 4))), proof=proof)
    return ClaimResult(claim=replace(claim("belief", asked, 60), verb="find", expected="found"), verdict=verdict)


def none_found() -> ClaimResult:
    asked = Search(names=("w",), claim=question(0, 1))
    verdict = NoneFound(engine="synthesis", evidence=Evidence(kind="solver"), checked=False)
    return ClaimResult(claim=replace(claim("hopeless", asked, 70), verb="find", expected="found"), verdict=verdict)


def all_results() -> tuple[ClaimResult, ...]:
    return (
        proved_under_parameters(),
        refuted_as_expected(),
        refuted_by_surprise(),
        undecided(),
        computed_epsilon(),
        computed_values(),
        computed_expression(),
        found(),
        none_found(),
    )


def row_sum() -> Diagnostic:
    file = SourceFile(name="flu.pfl", text="hmm Flu {\n    states sick, well;\n    sick -> sick: 3/5, well: 1/2;\n}\n")
    start = file.text.index("sick: 3/5")
    span = Span(file, start, start + len("sick: 3/5, well: 1/2"))
    return Diagnostic(
        code=codes.ROW_SUM,
        message="outgoing probabilities of state `sick` add up to 11/10, not 1",
        labels=(Label(span, "3/5 + 1/2 = 11/10"),),
        help="a row must sum to exactly 1",
    )


def findings() -> Findings:
    return Findings(diagnostics=(row_sum(),), results=all_results())
