"""A delta that is computed comes with the words whose excess it is, and with the pair that they tell apart."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from pfl.analysis.excess import excess
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.driver import check_text
from pfl.engines.answer import Attains, Computed, Proved, Unknown
from pfl.engines.ratio import delta as exact_delta
from pfl.engines.witness import Witness
from pfl.verify.verdict import Refuted, Verdict


def weather(seed: int, first: str, clauses: str, kind: str = "delta") -> str:
    """Two states and three letters with random numbers in quarters; the first state shows `a` with probability p."""
    source = random.Random(seed)
    stay, change = (Fraction(source.randint(0, 4), 4) for _ in range(2))
    a, b = source.choice([(0, 1), (1, 2), (3, 1), (2, 2)])
    return (
        "param p in (0, 1); hmm W { states s, t; init s: 1/2, t: 1/2;"
        f"s -> s: {stay}, t: {1 - stay}; t -> s: {change}, t: {1 - change};"
        f"s emits a: {first}, b: (1 - {first})/2, c: (1 - {first})/2;"
        f"t emits a: {Fraction(a, 4)}, b: {Fraction(b, 4)}, c: {1 - Fraction(a + b, 4)}; }}"
        f"compute {kind} W {{ secrets s@0 vs t@0; {clauses} }}"
    )


DIARY = """
hmm Diary {
    states well, weak, sick;
    init well: 1;
    well -> well: 8/10, weak: 13/100, sick: 7/100;
    weak -> well: 11/100, weak: 72/100, sick: 17/100;
    sick -> well: 19/100, weak: 6/100, sick: 75/100;
    well emits quiet: 51/100, cough: 31/100, silence: 18/100;
    weak emits quiet: 23/100, cough: 47/100, silence: 3/10;
    sick emits quiet: 29/100, cough: 33/100, silence: 38/100;
}
"""
"""Words of it lead to ever new directions."""


@pytest.mark.parametrize("epsilon", ["0", "ln(11/10)", "2", "10", "1000", "100000"])
def test_words_are_a_part_of_what_nearby_directions_show(epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "MANY", 1)
    monkeypatch.setattr(excess, "_FIRST_LOOK", 1)
    monkeypatch.setattr(excess, "WIDTH", Fraction(1, 10**5))
    clauses = f"between {{ well: 1 }} and {{ weak: 1 }}; epsilon {epsilon}; length any;"
    verdict = computed(f"{DIARY} compute delta Diary {{ {clauses} }}")
    assert isinstance(verdict.value, Fraction | Enclosure)
    if verdict.witness is not None:
        assert verdict.witness.out_of == "inf"
    for delta, wanted in (("1/1000000000", Refuted if epsilon in ("0", "ln(11/10)") else Proved), ("1/2", Proved)):
        shown = verdict_of(f"{DIARY} check pufferfish Diary {{ {clauses} delta {delta}; }}")
        assert isinstance(shown, wanted), shown


def verdict_of(model: str) -> Verdict:
    findings = check_text(model)
    (result,) = findings.results
    return result.verdict


def computed(model: str) -> Computed:
    verdict = verdict_of(model)
    assert isinstance(verdict, Computed), verdict
    return verdict


def probabilities(model: str, length: int) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
    """Of every word from either state, by a sum over hidden paths that shares no code with pfl."""
    rows: dict[str, dict[str, Fraction]] = {}
    for part in model.split("{", 1)[1].split(";"):
        words = part.replace("->", " -> ").split()
        if len(words) > 2 and words[1] in ("->", "emits"):
            entries = [entry.split(":") for entry in " ".join(words[2:]).split(",")]
            rows[words[0] + words[1]] = {name.strip(): Fraction(value.strip()) for name, value in entries}
    result = {}
    for word in product("abc", repeat=length):
        sides = []
        for start in "st":
            reached = {start: Fraction(1)}
            for letter in word:
                after: dict[str, Fraction] = {}
                for state, weight in reached.items():
                    for target, move in rows[f"{state}->"].items():
                        step = weight * rows[f"{state}emits"].get(letter, Fraction(0)) * move
                        after[target] = after.get(target, Fraction(0)) + step
                reached = after
            sides.append(sum(reached.values(), Fraction(0)))
        result[word] = sides[0], sides[1]
    return result


def plain(model: str) -> str:
    """The model with its numbers written out as fractions alone."""
    for value in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        model = model.replace(f"(1 - {value})/2", str((1 - value) / 2))
    return model


def seen(witness: Witness, table: dict[tuple[str, ...], tuple[Fraction, Fraction]], side: int) -> Fraction:
    """The probability of the words, each standing for all longer ones."""
    begins = witness.words
    return sum(
        (masses[side] for word, masses in table.items() if any(word[: len(start)] == start for start in begins)),
        Fraction(0),
    )


@pytest.mark.parametrize("seed", range(24))
def test_the_words_have_the_excess_that_is_computed(seed: int) -> None:
    first = random.Random(seed).choice(["1/4", "1/2", "3/4"])
    length, ratio = 1 + seed % 4, Fraction(seed % 5 + 4, 4)
    model = plain(weather(seed, first, f"length {length}; epsilon ln({ratio});"))
    verdict, table = computed(model), probabilities(model, length)
    wanted = max(
        sum((max(Fraction(0), masses[one] - ratio * masses[other]) for masses in table.values()), Fraction(0))
        for one, other in ((0, 1), (1, 0))
    )
    assert verdict.value == wanted
    if not wanted:
        assert verdict.witness is None
        return
    witness = verdict.witness
    assert witness is not None
    left = 0 if witness.left == "s@0" else 1
    assert witness.probability_left == seen(witness, table, left)
    assert witness.probability_right == seen(witness, table, 1 - left)
    assert witness.excess(Epsilon.ln(ratio)) == wanted


@pytest.mark.parametrize("seed", range(24))
def test_the_words_ask_for_the_epsilon_that_is_computed(seed: int) -> None:
    first = random.Random(seed).choice(["1/4", "1/2", "3/4"])
    length, delta = 1 + seed % 4, Fraction(seed % 5 + 1, 40)
    model = plain(weather(seed, first, f"length {length}; delta {delta};", "epsilon"))
    verdict, table = computed(model), probabilities(model, length)
    assert verdict.bound is not None
    if verdict.bound.ratio == 1:
        return
    witness = verdict.witness
    assert witness is not None
    left = 0 if witness.left == "s@0" else 1
    one, other = (seen(witness, table, side) for side in (left, 1 - left))
    assert (witness.probability_left, witness.probability_right) == (one, other)
    assert verdict.bound.ratio == ((one - delta) / other if other else "inf")


@pytest.mark.parametrize("epsilon", ["ln(2)", "1/2", "ln(3)/2"])
@pytest.mark.parametrize("seed", range(8))
def test_under_parameters_the_words_come_near(seed: int, epsilon: str) -> None:
    verdict = verdict_of(weather(seed, "p", f"length {1 + seed % 3}; epsilon {epsilon};"))
    assert isinstance(verdict, Computed)
    value = verdict.value
    assert value is not None, "also where it is enclosed"
    low, high = (value.low, value.high) if isinstance(value, Enclosure) else (value, value)
    witness = verdict.witness
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    if low == 0:
        return
    assert witness is not None
    assert witness.epsilon is not None
    assert witness.reaches(witness.epsilon, low * Fraction(98, 100))
    assert not witness.exceeds(witness.epsilon, high)
    assert dict(witness.parameters).keys() == {"p"}


ADAPTIVE = """
    adjacency close(a: 0..1, b: 0..1) = true;
    mechanism M() emits 0..1 {
        for round in 1..3 { receive v: 0..1; let x ~ bernoulli(if v == 1 then 3/4 else 1/4); emit if x then 1 else 0; }
    }
    compute delta M { received close at most 1; epsilon ln(2); }
"""


def test_inputs_that_are_chosen_online_are_told_with_the_words() -> None:
    verdict = computed(ADAPTIVE)
    witness = verdict.witness
    assert witness is not None
    assert witness.excess(Epsilon.ln(Fraction(2))) == verdict.value
    chosen: dict[tuple[str, ...], str] = {}
    for word, given in zip(witness.words, witness.inputs):
        for place, value in enumerate(given):
            assert chosen.setdefault(word[:place], value) == value, "one strategy"


COINS = """
    mechanism m(x: bool) emits bool {
        for n in 1..14 { emit bernoulli(if x then 3/5 else 2/5); }
    }
    adjacency other(a: bool, b: bool) = a != b;
    compute delta m { adjacent other; epsilon ln(2); }
"""


def test_of_very_many_words_some_are_told_and_how_many_there_are() -> None:
    verdict = computed(COINS)
    witness = verdict.witness
    assert witness is not None
    assert len(witness.words) == 1000
    assert isinstance(witness.out_of, int)
    assert witness.out_of > 1000
    excess = witness.excess(Epsilon.ln(Fraction(2)))
    assert isinstance(excess, Fraction)
    assert isinstance(verdict.value, Fraction)
    assert 0 < excess < verdict.value


def test_words_with_another_excess_are_a_fault_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    model = plain(weather(5, "3/4", "length 2; epsilon ln(5/4);"))
    assert computed(model).witness is not None
    whole = exact_delta.Deltas.computed

    def shorter(self: exact_delta.Deltas) -> Attains:
        found = whole(self)
        assert isinstance(found, Attains)
        assert isinstance(found.computed.value, Fraction)
        return replace(found, computed=replace(found.computed, value=found.computed.value / 2))

    monkeypatch.setattr(exact_delta.Deltas, "computed", shorter)
    verdict = verdict_of(model)
    assert isinstance(verdict, Unknown)
    assert verdict.is_internal
