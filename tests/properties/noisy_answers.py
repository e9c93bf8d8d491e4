"""What the compiler says of random mechanisms with noise, beside what their runs say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from flint import arb, ctx
from noisy_mechanisms import Generator, Noisy
from noisy_runs import Outcome, Runs, Seen, summed

from pfl import Computed, Options, check_text, compile_text
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.engines.exponential.words import word_tree
from pfl.model.compare import Compare
from pfl.model.measure import Measure

NEAR = 1e-9
ctx.prec = 300


def value_of(number: Number | str, parameter: str, value: Fraction) -> arb:
    """A number at a value of its parameter, from its text."""
    text = str(number).replace("^", "**")
    text = re.sub(r"(?<![\w.])(\d+)", r"arb(\1)", text).replace(f"**arb(", "**int(")
    point = arb(value.numerator) / value.denominator
    return arb(eval(text, {"arb": arb, "exp": lambda x: x.exp(), parameter: point}))  # noqa: S307


def values_of(noisy: Noisy) -> tuple[Fraction, ...]:
    """Values of the parameter at which there are few cells."""
    if not noisy.is_real:
        return (Fraction(1, 3), Fraction(1, 5))
    return (Fraction(3), Fraction(9, 2)) if noisy.draws > 2 else (Fraction(1), Fraction(3))


def noisy_of(seed: int, most_draws: int = 3) -> Noisy:
    """The mechanism of a seed."""
    return Generator(Random(seed), most_draws).mechanism()


CLAIMS = (
    "compute words: epsilon noisy { adjacent other; }",
    "compute d0: distribution noisy(0);",
    "compute d1: distribution noisy(1);",
    "compute c0: expected cost noisy(0);",
    "compute c1: expected cost noisy(1);",
)


def disagreements(noisy: Noisy, set_too: bool = True) -> Iterator[str]:
    """What differs."""
    text = noisy.text(*CLAIMS)
    compiled = compile_text(text, Options(debug=True))
    values = values_of(noisy)
    outcomes = {(q, value): Runs(noisy, q, value, noisy.grid).all() for q in (0, 1) for value in values}
    for (q, _), found in outcomes.items():
        if abs(sum(each.probability for each in found) - 1) > NEAR:
            yield f"the runs of {q} have {sum(each.probability for each in found)}"
    wrong = {each.wrong for found in outcomes.values() for each in found if each.wrong and each.probability > 1e-11}
    codes = {str(each.code) for each in compiled.diagnostics}
    named = {"assert": {"PFL0601", "PFL0411", "PFL0345"}, "misused": {"PFL0482"}}
    if wrong or codes:
        if not wrong or not codes:
            yield f"wrong {wrong}, but {[each.message for each in compiled.diagnostics]}"
        elif len(wrong) == 1 and "misused" in wrong and codes != {"PFL0482"}:
            yield f"wrong {wrong}, codes {codes}"
        elif len(wrong) == 1 and "assert" in wrong and "PFL0482" in codes:
            yield f"wrong {wrong}, codes {codes}"
        for each in compiled.diagnostics:
            if not each.labels:
                yield f"no place: {each.message}"
        return
    outcomes = {key: [each for each in found if not each.wrong] for key, found in outcomes.items()}
    claims = {claim.name: claim for claim in compiled.claims}
    masses = words_of(claims["words"].cases[0].question)
    for (q, value), found in outcomes.items():
        yield from _words(masses[q], found, noisy.parameter, value)
    if sum(1 for q in (0, 1) if not _is_one(masses[q])):
        yield "words do not add up to 1"
    results = check_text(text, Options(debug=True, claims=("d0", "d1", "c0", "c1"))).results
    for result in results:
        yield from _results(result.claim.name, result.verdict, outcomes, noisy)


def words_of(question: object) -> dict[int, dict[Seen, Number]]:
    """Of each input, the probability of each word."""
    assert isinstance(question, Compare)
    (table,) = question.tables
    tree = word_tree(table.system, (side.vector for side in table.sides), question.lengths, 10_000, Budget())
    found: dict[int, dict[Seen, Number]] = {}
    for side in table.sides:
        named: dict[Seen, Number] = {}
        for leaf, mass in zip(tree.leaves, tree.masses(side.vector), strict=True):
            letters = tuple(table.system.letters[each] for each in tree.word(leaf))
            word = tuple(each for each in letters if each != "halt")
            named[word] = named.get(word, Fraction(0)) + mass
        found[int(side.label[-1])] = named
    return found


def _is_one(masses: dict[Seen, Number]) -> bool:
    return sum(masses.values(), Fraction(0)) == 1


def _words(masses: dict[Seen, Number], found: list[Outcome], parameter: str, value: Fraction) -> Iterator[str]:
    plain = summed(found)
    for seen in plain.keys() | masses.keys():
        exact = value_of(masses.get(seen, Fraction(0)), parameter, value)
        if not abs(float(exact) - plain.get(seen, 0.0)) < NEAR:
            yield f"{seen} at {value}: {masses.get(seen)} = {float(exact)}, but {plain.get(seen, 0.0)}"


def _results(name: str, verdict: object, outcomes: dict[tuple[int, Fraction], list[Outcome]], noisy: Noisy) -> Iterator[str]:
    if not isinstance(verdict, Computed):
        yield f"{name}: {verdict}"
        return
    for value in values_of(noisy):
        found = outcomes[int(name[1]), value]
        if name[0] == "c":
            plain = {"": sum(each.probability * float(each.cost) for each in found)}
            exact = {"": verdict.value}
        else:
            plain = {}
            for each in found:
                plain[each.seen[-1]] = plain.get(each.seen[-1], 0.0) + each.probability
            exact = {each.name: each.value for each in verdict.values}
        for key in plain.keys() | exact.keys():
            number = float(value_of(exact.get(key, Fraction(0)), noisy.parameter, value))
            if not abs(number - plain.get(key, 0.0)) < NEAR * 10:
                yield f"{name} {key} at {value}: {exact.get(key)} = {number}, but {plain.get(key)}"


_ = Measure
