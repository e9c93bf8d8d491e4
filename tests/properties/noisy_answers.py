"""What the compiler says of random mechanisms with noise, beside what their runs say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from flint import arb, ctx
from noisy_mechanisms import Generator, Noisy
from noisy_rewritten import otherwise_written
from noisy_runs import Outcome, Runs, Seen, summed

from pfl import Computed, Options, check_text, compile_text
from pfl.analysis.word_tree import word_tree
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.compare import Compare

NEAR = 1e-9
ctx.prec = 300


def value_of(number: Number | str, parameter: str, value: Fraction) -> arb:
    """A number at a value of its parameter, from its text."""
    text = str(number).replace("^", "**")
    text = re.sub(r"(?<![\w.])(\d+)", r"arb(\1)", text).replace("**arb(", "**int(")
    point = arb(value.numerator) / value.denominator
    return arb(eval(text, {"arb": arb, "exp": lambda x: x.exp(), "inf": arb("inf"), parameter: point}))


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


def disagreements(noisy: Noisy) -> Iterator[str]:
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
    if wrong or codes:
        if not wrong or not codes:
            yield f"wrong {wrong}, but {[each.message for each in compiled.diagnostics]}"
        elif len(wrong) == 1 and ("misused" in wrong) != (codes == {"PFL0482"}):
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


def _results(
    name: str, verdict: object, outcomes: dict[tuple[int, Fraction], list[Outcome]], noisy: Noisy
) -> Iterator[str]:
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


def verdict_disagreements(noisy: Noisy) -> Iterator[str]:
    """What differs between verdicts and dense evaluation of the exact probabilities over the parameter."""
    compiled = compile_text(noisy.text(CLAIMS[0]), Options(debug=True))
    if compiled.diagnostics:
        return
    masses = words_of(compiled.claims[0].cases[0].question)
    at = Dense(masses, noisy)
    yield from _smallest(noisy, at) if noisy.is_real else _of_alpha(noisy, at)


class Dense:
    """Probabilities at many values of the parameter."""

    def __init__(self, masses: dict[int, dict[Seen, Number]], noisy: Noisy) -> None:
        self.masses = masses
        self.noisy = noisy
        self.words = sorted(masses[0].keys() | masses[1].keys())

    def at(self, value: Fraction) -> list[tuple[arb, arb]]:
        """Of each word and each direction, both probabilities."""
        found = []
        for word in self.words:
            pair = [value_of(self.masses[q].get(word, Fraction(0)), self.noisy.parameter, value) for q in (0, 1)]
            found += [(pair[0], pair[1]), (pair[1], pair[0])]
        return found

    def largest(self, value: Fraction) -> float:
        """The logarithm of the largest ratio."""
        logarithms = [0.0]
        for above, below in self.at(value):
            if above > 0:
                logarithms.append(float((above / below).log()) if below > 0 else float("inf"))
        return max(logarithms)

    def excess(self, value: Fraction, epsilon: Fraction) -> float:
        """The largest of both sums of excesses."""
        factor = (arb(epsilon.numerator) / epsilon.denominator).exp()
        pairs = [float(above - factor * below) for above, below in self.at(value)]
        return max(sum(max(0.0, each) for each in pairs[side::2]) for side in (0, 1))


_PLACES = [Fraction(2) ** k * Fraction(m, 4) for k in range(-12, 11) for m in (4, 5, 6, 7)]


def _smallest(noisy: Noisy, dense: Dense) -> Iterator[str]:
    sup = max(dense.largest(eps) / float(eps) for eps in _PLACES)
    claims = ["compute e: epsilon noisy { adjacent other; }"]
    low, high = Fraction(0), Fraction(0)
    if sup <= _ENDLESS:
        low, high = Fraction(round(sup * 1000 * 0.97), 1000), Fraction(round(sup * 1000 * 1.05) + 2, 1000)
        claims.append(f"check high: privacy noisy {{ adjacent other; epsilon {high}*eps; }}")
        if sup > 0.01:
            claims.append(f"check low: privacy noisy {{ adjacent other; epsilon {low}*eps; expect refuted; }}")
    else:
        claims.append("check low: privacy noisy { adjacent other; epsilon 10*eps; expect refuted; }")
    half = max(dense.excess(eps, eps / 2) for eps in _PLACES)
    up, down = Fraction(round(half * 1000) + 15, 1000), Fraction(round(half * 1000 * 0.95), 1000)
    if up < 1:
        claims.append(f"check small: privacy noisy {{ adjacent other; epsilon eps/2; delta {up}; }}")
    if down > 0:
        claims.append(f"check large: privacy noisy {{ adjacent other; epsilon eps/2; delta {down}; expect refuted; }}")
    for result in check_text(noisy.text(*claims), Options(debug=True)).results:
        name, verdict = result.claim.name, result.verdict
        if name == "e":
            found = str(verdict.value) if isinstance(verdict, Computed) else str(verdict)
            if isinstance(verdict, Computed) and verdict.bound is not None and verdict.value is None:
                found = str(verdict.bound.upper)
            if not _is_about(found, verdict, sup):
                yield f"smallest multiple {found}, but {sup}"
        elif not result.as_expected:
            yield f"{name}: {verdict}, sup {sup}, {low} {high}, delta {half} {down} {up}"
    for eps in (Fraction(1, 2), Fraction(3)):
        yield from _fixed(noisy, dense, eps)


_ENDLESS = 500
"""A ratio above 1 at eps = 0 asks for any multiple at all as eps falls to 2^-12."""


def _is_about(found: str, verdict: object, sup: float) -> bool:
    assert isinstance(verdict, Computed), found
    if sup == float("inf"):
        return found == "inf"
    if found == "inf":
        return sup > _ENDLESS
    if verdict.value is None:
        return verdict.bound is not None and verdict.bound.upper == 1 and sup < 1e-9
    low = high = verdict.value
    if hasattr(low, "low"):
        low, high = low.low, high.high
    ends = [float(value_of(end, "eps", Fraction(1))) for end in (low, high)]
    return ends[0] <= sup * 1.1 + 0.002 and ends[1] >= sup - 1e-9


def _fixed(noisy: Noisy, dense: Dense, value: Fraction) -> Iterator[str]:
    parameter = noisy.parameter
    claims = ["compute e: epsilon noisy { adjacent other; }", "compute d: delta noisy { adjacent other; epsilon 1/4; }"]
    claims += CLAIMS[1:3]
    options = Options(debug=True, settings={parameter: value})
    for result in check_text(noisy.text(*claims), options).results:
        name, verdict = result.claim.name, result.verdict
        if not isinstance(verdict, Computed):
            yield f"{name} at {value}: {verdict}"
        elif name == "e":
            largest = dense.largest(value)
            bound = verdict.bound
            assert bound is not None
            if (bound.upper == "inf") != (largest == float("inf")):
                yield f"epsilon at {value}: {bound}, but {largest}"
            elif largest != float("inf"):
                low, high = (float(value_of(end, parameter, value).log()) for end in (bound.lower, bound.upper))
                if not low - 1e-12 <= largest <= high + 1e-12:
                    yield f"epsilon at {value}: {low} to {high}, but {largest}"
        elif name == "d":
            most = dense.excess(value, Fraction(1, 4))
            number = verdict.value
            ends = (number.low, number.high) if hasattr(number, "low") else (number, number)
            low, high = (float(value_of(end, parameter, value)) for end in ends)
            if not low - NEAR <= most <= high + NEAR:
                yield f"delta at {value}: {number}, but {most}"
        else:
            plain: dict[str, float] = {}
            for word, mass in dense.masses[int(name[1])].items():
                number = float(value_of(mass, parameter, value))
                plain[word[-1]] = plain.get(word[-1], 0.0) + number
            exact = {each.name: float(value_of(each.value, parameter, value)) for each in verdict.values}
            for key in plain.keys() | exact.keys():
                if abs(plain.get(key, 0.0) - exact.get(key, 0.0)) > NEAR:
                    yield f"{name} at {value}: {exact}, but {plain}"


def _of_alpha(noisy: Noisy, dense: Dense) -> Iterator[str]:
    places = [Fraction(k, 64) for k in range(1, 64)] + [Fraction(1, 2000), Fraction(1999, 2000)]
    most = [dense.largest(a) / float(-arb(a.numerator).log() + arb(a.denominator).log()) for a in places]
    sup, claims = max(most), []
    for k in range(5):
        claims.append(f"check k{k}: privacy noisy {{ adjacent other; epsilon {k}*ln(1/a); }}")
    for result in check_text(noisy.text(*claims), Options(debug=True)).results:
        k = int(result.claim.name[1:])
        holds = type(result.verdict).__name__ == "Proved"
        if type(result.verdict).__name__ not in ("Proved", "Refuted"):
            yield f"{result.claim.name}: {result.verdict}"
        elif holds != (sup <= k + 1e-9) and abs(sup - k) > 0.02:
            yield f"{result.claim.name}: {result.verdict}, but {sup}"
    for value in (Fraction(1, 3), Fraction(4, 5)):
        yield from _fixed(noisy, dense, value)


def differently_written(noisy: Noisy) -> Iterator[str]:
    """What differs from a mechanism that means the same: its words have the same functions of the parameter."""
    compiled = [compile_text(each.text(CLAIMS[0]), Options(debug=True)) for each in (noisy, otherwise_written(noisy))]
    codes = [{str(each.code) for each in one.diagnostics} for one in compiled]
    if codes[0] or codes[1]:
        if not (codes[0] and codes[1]):  # of several faults, which is found first depends on how it is written
            yield f"{codes} {compiled[1].diagnostics}"
        return
    first, second = (words_of(one.claims[0].cases[0].question) for one in compiled)
    for q in (0, 1):
        for seen in first[q].keys() | second[q].keys():
            one, other = first[q].get(seen, Fraction(0)), second[q].get(seen, Fraction(0))
            if one != other:
                yield f"{seen} of {q}: {one}, {other}"
