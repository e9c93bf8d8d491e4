"""The search from the last letters to the first: against all words, one by one, and its proofs by the checker."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from pfl.analysis.ratio.bounded import BoundedSearch
from pfl.analysis.ratio.certificate import FrontProof
from pfl.analysis.ratio.covering import Raised
from pfl.analysis.ratio.directed.search import DirectedSearch, is_suitable
from pfl.analysis.ratio.obligation import Obligation, Settled, ratio_of
from pfl.analysis.ratio.prepared import Prepared
from pfl.base.budget import Budget
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.verify.certificates.certificate import verify_certificate

LENGTHS = {3: (9, 10), 4: (7, 8)}
"""A little longer than those of which every word is looked at at once, by the number of letters."""


def distribution(source: random.Random, size: int) -> Vector:
    weights = [source.randint(1, 9) for _ in range(size)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def random_system(source: random.Random, size: int, letters: int, kind: str) -> LabelledSystem:
    """A hidden Markov model whose states lead anywhere (dense), are left rarely (sticky), or lead to two (sparse)."""
    moves: list[dict[int, Fraction]] = []
    for state in range(size):
        if kind == "sparse":
            moves.append(dict(zip(source.sample(range(size), 2), distribution(source, 2))))
            continue
        row = dict(enumerate(distribution(source, size)))
        if kind == "sticky":
            row = {target: weight / 20 + Fraction(19, 20) * (target == state) for target, weight in row.items()}
        moves.append(row)
    shows = [distribution(source, letters) for _ in range(size)]
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(size)),
        letters=tuple(f"a{letter}" for letter in range(letters)),
        matrices=tuple(
            tuple(
                tuple((target, shows[state][letter] * weight) for target, weight in sorted(moves[state].items()))
                for state in range(size)
            )
            for letter in range(letters)
        ),
    )


def largest_of_all_words(task: Obligation, length: int) -> Fraction | None:
    """None for a positive mass over none."""
    pairs = {(task.left, task.right)}
    for _ in range(length):
        pairs = {task.step(*pair, position) for pair in pairs for position in range(len(task.part.letters))}
    ratios = [ratio_of(*pair) for pair in pairs]
    return None if None in ratios else max(ratio for ratio in ratios if ratio is not None)


@pytest.mark.parametrize("seed", range(16))
def test_from_a_random_word_to_the_largest_ratio(seed: int) -> None:
    """From a bad word on, each word that is found is above the bound; the last bound is that of all words, and its
    proof holds for no smaller one. (400 seeds: 0 wrong, 1 given up.)"""
    source = random.Random(seed)
    letters = source.choice([3, 4])
    length = source.choice(LENGTHS[letters])
    system = random_system(source, source.randint(2, 6), letters, source.choice(["dense", "sparse", "sticky"]))
    left, right = distribution(source, system.size), distribution(source, system.size)
    prepared, budget = Prepared(), Budget()
    task = prepared.obligation(system, left, right)
    tools = prepared.tools(task.part)
    if not is_suitable(task, tools, length):
        pytest.skip("letters that are alike are one, so that words are few")
    word = tuple(source.randrange(len(task.part.letters)) for _ in range(length))
    bound = ratio_of(*task.follow(word))
    assert bound is not None
    search = DirectedSearch(task, tools, length=length, guide=word)
    proof = search.prove(bound, 100_000, budget)
    while isinstance(proof, tuple):
        found = ratio_of(*task.follow(proof))
        assert len(proof) == length
        assert found is not None
        assert found > bound
        bound = found
        proof = search.prove(bound, 100_000, budget)
    assert proof is not None
    assert bound == largest_of_all_words(task, length)
    certificate = proof.certificate()
    assert not verify_certificate(certificate, system, left, right, bound, length=length, budget=budget)
    smaller = bound * (1 - Fraction(1, 10**9))
    assert verify_certificate(certificate, system, left, right, smaller, length=length, budget=budget)


def test_turns_with_the_search_from_the_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the front keeps more than its first turn allows, the other search ends it, with raised vectors."""
    source = random.Random(1)
    length = 15
    system = random_system(source, 8, 3, "sticky")
    left, right = distribution(source, system.size), distribution(source, system.size)

    def settled() -> Settled:
        prepared = Prepared()
        task = prepared.obligation(system, left, right)
        search = BoundedSearch(
            task,
            prepared.tools(task.part),
            length=length,
            bound=Fraction(0),
            is_too_large=None,
            budget=Budget(),
        )
        outcome = search.settle(None)
        assert isinstance(outcome, Settled)
        return outcome

    monkeypatch.setattr("pfl.analysis.ratio.bounded._FIRST_TURN", 50)
    in_turns = settled()
    monkeypatch.setattr("pfl.analysis.ratio.bounded._FIRST_TURN", 10**6)
    from_the_front = settled()
    assert in_turns.bound == from_the_front.bound
    assert isinstance(in_turns.proof, FrontProof)
    assert isinstance(from_the_front.proof, FrontProof)
    assert any(isinstance(kept, Raised) for kept in in_turns.proof.kept)
    assert not any(isinstance(kept, Raised) for kept in from_the_front.proof.kept)
    for outcome in (in_turns, from_the_front):
        certificate = outcome.proof.certificate()
        assert not verify_certificate(certificate, system, left, right, outcome.bound, length=length, budget=Budget())
