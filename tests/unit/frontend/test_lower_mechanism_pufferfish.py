"""Pufferfish claims on mechanisms, from their text to the probabilities of outputs."""

from __future__ import annotations

from fractions import Fraction

from evaluation import checked

from pfl.base.diagnostics import Diagnostic
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.lower.claims import lower_claims
from pfl.model.claims import Claim
from pfl.model.compare import Compare, Comparison, Side
from pfl.options import Options

NOISY_MAX = """
dist geometric(x: 0..2) over 0..2 = match x {
    0 => { 0: 2/3, 1: 1/6, 2: 1/6 },
    1 => { 0: 1/3, 1: 1/3, 2: 1/3 },
    _ => { 0: 1/6, 1: 1/6, 2: 2/3 },
};
enum Disease { flu, cold, pox }
mechanism commonest(sick: [3] of 0..2) -> Disease {
    var best = flu;  var top = -1;
    for i in 0..2 {
        let noisy ~ geometric(sick[i]);
        if noisy > top { top = noisy; best = match i { 0 => flu, 1 => cold, _ => pox }; }
    }
    return best;
}
"""


def claims(text: str) -> tuple[tuple[Claim, ...], tuple[Diagnostic, ...]]:
    program = checked(text)
    values, diagnostics = elaborate_globals(program, Options())
    assert not diagnostics
    return lower_claims(program, values, Options())


def comparison_of(text: str) -> Comparison:
    [claim], diagnostics = claims(text)
    assert not diagnostics
    question = claim.question
    assert isinstance(question, Compare)
    [comparison] = question.comparisons
    return comparison


def masses(comparison: Comparison, side: Side) -> dict[str, object]:
    """Pr(letter | side) of every letter."""
    system = comparison.system
    found = {letter: system.mass(side.vector, [number]) for number, letter in enumerate(system.letters)}
    return {letter: mass for letter, mass in found.items() if mass}


DISEASES = f"""
{NOISY_MAX}
prior town for commonest {{
    john_flu ~ bernoulli(1/5);
    mary_flu ~ bernoulli(1/5);
    colds ~ {{ 0: 3/5, 2: 2/5 }};
    john_pox ~ bernoulli(1/2);
    mary_pox ~ bernoulli(1/2);
    start sick[0] = count(b for b in [john_flu, mary_flu] if b);
    start sick[1] = colds;
    start sick[2] = count(b for b in [john_pox, mary_pox] if b);
}}
"""

EXPECTED = (
    {"flu": Fraction(559, 1500), "cold": Fraction(971, 3000), "pox": Fraction(911, 3000)},
    {"flu": Fraction(941, 2000), "cold": Fraction(2077, 6000), "pox": Fraction(11, 60)},
)


def test_three_diseases_under_a_prior() -> None:
    claim = "check pufferfish commonest { prior town; secrets john_pox vs not john_pox; epsilon ln(2); }"
    compared = comparison_of(f"{DISEASES}\n{claim}")
    assert masses(compared, compared.left) == EXPECTED[0]
    assert masses(compared, compared.right) == EXPECTED[1]
    assert (compared.table.heading, compared.table.prior) == ("secrets", "town")
    assert (compared.left.weight, compared.right.weight) == (1, 1)


def test_a_part_of_the_start_that_is_left_out_is_a_fault() -> None:
    claim = "check pufferfish commonest { prior town; secrets john_pox vs not john_pox; epsilon ln(2); }"
    found, [fault] = claims(f"{DISEASES.replace('start sick[1] = colds;', '')}\n{claim}")
    assert found == ()
    assert str(fault.code) == "PFL0424"
    assert fault.message == "prior `town` may leave `sick`, or a part of it, without a value"


def test_three_diseases_between_two_starts() -> None:
    def start(pox: str) -> str:
        weights = "binomial_weight(a) * (if b == 0 then 3/5 else 2/5) * 1/2"
        return f"{{ [a, b, c]: {weights} for a in 0..2 for b in {{0, 2}} for c in {pox} }}"

    compared = comparison_of(
        f"""
{NOISY_MAX}
fn binomial_weight(k: 0..2): real = match k {{ 0 => 16/25, 1 => 8/25, _ => 1/25 }};
check pufferfish commonest {{ between {start("1..2")} and {start("0..1")}; epsilon ln(2); }}
"""
    )
    assert masses(compared, compared.left) == EXPECTED[0]
    assert masses(compared, compared.right) == EXPECTED[1]


def test_a_secret_that_never_holds_is_skipped() -> None:
    [claim], [warning] = claims(
        """
mechanism shown(x: 0..1, y: bool) -> 0..1 { return if y then x else 0; }
prior fixed for shown { x0 ~ bernoulli(1); start x = if x0 then 1 else 0; start y ~ bernoulli(1/2); }
check pufferfish shown { prior fixed; secrets x0 vs not x0; epsilon 0; }
"""
    )
    assert "probability 0" in warning.message
    assert isinstance(claim.question, Compare)
    assert claim.question.tables == ()
    assert len(claim.question.skipped) == 1


def test_parameters_stay_in_the_weights() -> None:
    compared = comparison_of(
        """
param p in (0, 1);
mechanism shown(x: 0..1) -> bool { let keep ~ bernoulli(2/3); return (x == 1) == keep; }
prior biased for shown { john ~ bernoulli(p); start x = if john then 1 else 0; }
compute epsilon shown { prior biased; secrets john vs not john; }
"""
    )
    assert str(compared.left.weight) == "p"
    assert str(compared.right.weight) == "1 - p"
    assert {str(mass) for mass in masses(compared, compared.left).values()} == {"2*p/3", "p/3"}
