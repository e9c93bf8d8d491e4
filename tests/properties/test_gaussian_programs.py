"""Random mechanisms with Gaussian noise: enclosures against sums and integrals by a plain meaning, and verdicts against
what these say. `python test_gaussian_programs.py SEED COUNT` searches wider."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from fractions import Fraction

import pytest
from gaussian_programs import GaussianProgram, Word, gaussian_program

from pfl.analysis.enclosed.evaluation import Evaluation
from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.driver import check_text, compile_text
from pfl.engines.answer import Computed
from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedTable
from pfl.model.enclosed.formulas import IntegralSum
from pfl.verify.certificates.enclosed.steps import Steps

CLOSE = 1e-5
UNLIMITED = Budget(deadline=None, max_states=1_000_000)


def table_of(program: GaussianProgram) -> EnclosedTable:
    (claim,) = compile_text(program.text("compute epsilon m { adjacent any; }")).claims
    question = claim.question
    assert isinstance(question, EnclosedCompare)
    (table,) = question.tables
    return table


def enclosed(program: GaussianProgram, bits: int) -> list[dict[Word, Enclosure]]:
    """The words of each input with their enclosures; all words together have probability 1."""
    table = table_of(program)
    evaluation = Evaluation(table.nodes, table.draws, bits, UNLIMITED)
    found = []
    for side in table.sides:
        words = {tuple(table.letters[i] for i in word): evaluation.probability(n) for word, n in side.words.items()}
        everything = evaluation.probability(sum(side.words.values(), IntegralSum()))
        assert everything.low <= 1 <= everything.high
        assert sum(each.low for each in words.values()) <= 1 <= sum(each.high for each in words.values())
        found.append(words)
    return found


def disagreements(program: GaussianProgram) -> Iterator[str]:
    wide, narrow = enclosed(program, 16), enclosed(program, 80)
    for q in program.inputs:
        expected = program.words(q)
        for word in expected.keys() | narrow[q].keys():
            here = narrow[q].get(word, Enclosure(Fraction(0), Fraction(0)))
            if not float(here.low) - CLOSE <= expected.get(word, 0.0) <= float(here.high) + CLOSE:
                yield f"q = {q}: {word} has probability {expected.get(word)}, not {float(here.low)}"
            rough = wide[q].get(word, Enclosure(Fraction(0), Fraction(0)))
            if not rough.low <= here.high or not here.low <= rough.high:
                yield f"q = {q}: {word} has enclosures that are apart: {rough} and {here}"
            if here.high - here.low > Fraction(1, 2**70):
                yield f"q = {q}: {word} is enclosed by {here}"
    yield from verdict_disagreements(program)
    yield from steps_disagreements(program)


def steps_disagreements(program: GaussianProgram) -> Iterator[str]:
    """Where sums of steps and narrow enclosures are apart, or sums of finer steps are wider."""
    table = table_of(program)
    evaluation = Evaluation(table.nodes, table.draws, 80, UNLIMITED)
    rough, fine = (Steps(table.nodes, table.draws, cells, UNLIMITED) for cells in (4, 16))
    for side in table.sides:
        for word, number in side.words.items():
            narrow = evaluation.probability(number)
            (low, high), (lower, upper) = fine.probability(number), rough.probability(number)
            if not (low <= narrow.low and narrow.high <= high + CLOSE) or not (lower <= low + CLOSE and high <= upper):
                yield f"{side.label}: {word} has {narrow}, and by steps {low} to {high}, and {lower} to {upper}"


def verdict_disagreements(program: GaussianProgram) -> Iterator[str]:
    left, right = (program.words(q) for q in program.inputs)
    claims = [(Fraction(e, 4), Fraction(d, 100)) for e in (0, 1, 3) for d in (0, 1, 10)]
    text = "".join(
        f"check c{n}: privacy m {{ adjacent any; epsilon {e}; delta {d}; }}\n" for n, (e, d) in enumerate(claims)
    )
    deltas = "".join(
        f"compute d{n}: delta m {{ adjacent any; epsilon {e}; }}\n" for n, (e, _) in enumerate(claims[::3])
    )
    results = {result.claim.name: result.verdict for result in check_text(program.text(text + deltas)).results}
    for n, (e, d) in enumerate(claims):
        worst = max(_excess(left, right, e, d), _excess(right, left, e, d))
        verdict = results[f"c{n}"].word
        if (verdict == "proved" and worst > CLOSE) or (verdict == "refuted" and worst < -CLOSE):
            yield f"epsilon {e} with delta {d} is {verdict}, and exceeds by {worst}"
        if verdict == "unknown" and abs(worst) > CLOSE:
            yield f"epsilon {e} with delta {d} is unknown, and exceeds by {worst}"
    for n, (e, _) in enumerate(claims[::3]):
        found = results[f"d{n}"]
        assert isinstance(found, Computed)
        delta = max(_sum_of_excesses(left, right, e), _sum_of_excesses(right, left, e))
        low, high = (found.value.low, found.value.high) if isinstance(found.value, Enclosure) else (0, 0)
        if not float(low) - CLOSE <= delta <= float(high) + CLOSE:
            yield f"delta at epsilon {e} is {delta}, not {found.value}"


def _excess(left: dict[Word, float], right: dict[Word, float], epsilon: Fraction, delta: Fraction) -> float:
    """By how much a claim fails, or, negative, holds; words that are all equal do not count."""
    if delta:
        return _sum_of_excesses(left, right, epsilon) - float(delta)
    return max(p - math.exp(epsilon) * right.get(word, 0.0) for word, p in left.items())


def _sum_of_excesses(left: dict[Word, float], right: dict[Word, float], epsilon: Fraction) -> float:
    return sum(max(0.0, p - math.exp(epsilon) * right.get(word, 0.0)) for word, p in left.items())


@pytest.mark.parametrize("seed", range(8))
def test_enclosures_hold_what_sums_and_integrals_say(seed: int) -> None:
    program = gaussian_program(seed, most_samples=2)
    assert not list(disagreements(program)), program.text()


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:3])
    for number in range(start, start + count):
        made = gaussian_program(number, most_samples=3 if number % 10 == 0 else 2)
        for problem in disagreements(made):
            print(f"seed {number}: {problem}\n{made.text()}", flush=True)
    print("done")
