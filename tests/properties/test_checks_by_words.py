"""Checks that go word by word say what those say that go comparison by comparison, and their proofs stand up."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction, value_at
from pfl.engines.answer import Fails, Proved
from pfl.engines.parametric import by_words, parametric
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence

COUNT = 40
P = RationalFunction.parameter("p")
SHARES = [Fraction(1, 2), Fraction(1, 3), P, 1 - P, P / 2, 1 / (1 + P), 1 / (2 + P), (1 + P) / 3]


def random_question(source: Random) -> Compare:
    """Starts that show one of a few letters, and perhaps another one after it, before they end."""
    size, letters = source.randint(4, 6), 2
    end = size
    rows: list[dict[int, list[tuple[int, object]]]] = []
    for state in range(size):
        share = source.choice(SHARES)
        first, second = source.sample(range(letters), 2)
        later = end if source.random() < 0.8 else source.randrange(state, size) + 1
        row: dict[int, dict[int, object]] = {}
        for letter, target, weight in ((first, end, share), (second, later, 1 - share)):
            there = row.setdefault(letter, {})
            there[target] = there[target] + weight if target in there else weight
        rows.append({letter: sorted(there.items()) for letter, there in row.items()})
    rows.append({letters: [(end, Fraction(1))]})
    system = LabelledSystem(
        states=tuple(f"s{state}" for state in range(size + 1)),
        letters=(*(f"a{letter}" for letter in range(letters)), "halt"),
        matrices=tuple(tuple(tuple(row.get(letter, ())) for row in rows) for letter in range(letters + 1)),
    )
    sides = [Side(label=f"s{state}", vector=system.vector([(state, Fraction(1))])) for state in range(size)]
    epsilons = [
        *map(Epsilon.ln, [Fraction(3, 2), Fraction(4), Fraction(8), 1 / P, 1 + P, 2 / P]),
        Epsilon.rational(Fraction(2)),
    ]
    table = Table(
        compared=system,
        sides=sides,
        pairs=list(combinations(range(size), 2)),
        epsilon=source.choice(epsilons),
        one_way=source.random() < 0.5,
    )
    low, high = source.choice([(Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 2))])
    space = ParameterSpace(parameters=(Parameter(name="p", low=low, high=high, low_open=True, high_open=True),))
    return Compare(goal="check", tables=(table,), lengths=source.choice([(3,), (2,), "any"]), parameters=space)


def test_both_ways_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {"proved": 0, "refuted": 0}
    for seed in range(COUNT):
        question = random_question(Random(seed))
        monkeypatch.setattr(by_words, "FEWEST", 1)
        answer = parametric.answer(question, Options(), Budget())
        monkeypatch.setattr(by_words, "FEWEST", 1_000_000)
        other = parametric.answer(question, Options(), Budget())
        assert type(answer) is type(other), seed
        if isinstance(answer, Proved):
            seen["proved"] += 1
            assert not faults_of_evidence(question, answer.evidence.certificates, Budget()), seed
        elif isinstance(answer, Fails):
            seen["refuted"] += 1
            _require_excess(question, answer)
    assert min(seen.values()) > 3, seen


def _require_excess(question: Compare, answer: Fails) -> None:
    """That the word is too likely on the left at the point, by multiplying matrices."""
    violation = answer.violation
    comparison = question.comparisons[violation.comparison]
    above, below = comparison.sides[::-1] if violation.reversed else comparison.sides
    values = {name: value for name, value in violation.parameters.items() if isinstance(value, Fraction)}
    assert values.keys() == violation.parameters.keys()
    masses = [value_at(comparison.system.mass(side.vector, violation.words[0]), values) for side in (above, below)]
    assert comparison.epsilon is not None
    epsilon = comparison.epsilon.evaluate(values)
    assert masses[0] > 0
    assert not masses[1] or epsilon.compare(masses[0] / masses[1]) > 0


def test_what_is_false_has_no_certificate_of_words() -> None:
    """Whoever writes the certificate: each claim that fails somewhere is found out."""
    refused = 0
    for seed in range(COUNT):
        question = random_question(Random(seed))
        answer = parametric.answer(question, Options(), Budget())
        if isinstance(answer, Fails):
            certificate = by_words.certificate(question)
            assert faults_of_evidence(question, [certificate], Budget()), seed
            refused += 1
    assert refused > 3
