"""Pairs of arrays that an adjacency relates: found by what its folds remember, and by trying all pairs."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from pfl.analysis.paired_arrays import accepted_pairs
from pfl.base.budget import Budget, silent
from pfl.base.diagnostics import LimitReached
from pfl.base.source import SourceFile
from pfl.driver import DEFAULT, open_model
from pfl.lower.mechanism.adjacency import AppliedAdjacency, _tried, bound_to, relation
from pfl.lower.mechanism.adjacent_arrays import adjacent_arrays
from pfl.syntax.tree.ast_declarations import AdjacencyDecl
from pfl.typecheck.bindings import input_parameters


def _condition(random: Random) -> str:
    parts = [
        f"forall i in 0..n-1: abs(a[i] - b[i]) <= {random.randint(0, 2)}",
        f"count(i for i in 0..n-1 if a[i] != b[i]) <= {random.randint(0, 2)}",
        f"count(i for i in 0..n-1 if a[i] != b[i]) == {random.randint(0, 2)}",
        f"sum(a) <= sum(b) + {random.randint(0, 2)}",
        f"exists i in 0..n-1: a[i] == b[i] + {random.randint(0, 1)}",
        "a == b",
        f"forall i in 1..n-1: a[i] == b[i] or a[i] == {random.randint(0, 1)}",
        "sum(abs(a[i] - b[i]) for i in 0..n-1) <= 1",
        "a[0] <= b[0]",
        "max(a) == max(b)",
    ]
    chosen = random.sample(parts, random.randint(1, 3))
    return f" {random.choice(['and', 'or'])} ".join(f"({part})" for part in chosen)


@pytest.mark.parametrize("seed", range(60))
def test_both_ways_find_the_same_pairs(seed: int) -> None:
    random = Random(seed)
    length, high = random.choice([(2, 3), (3, 2), (3, 1), (4, 1)])
    narrow = random.choice([high, max(1, high - 1)])
    text = (
        f"adjacency close(const n: int, a: [n] of 0..{narrow}, b: [n] of 0..{high}) = {_condition(random)};\n"
        f"mechanism told(q: [{length}] of 0..{high}) -> int {{ return q[0]; }}\n"
        f"check privacy told {{ adjacent close({length}); epsilon 1; }}\n"
    )
    model = open_model(SourceFile(name="model.pfl", text=text), lambda name: pytest.fail(name), DEFAULT, silent)
    assert model.lowering is not None, list(model.found)
    session = model.lowering._session
    declaration = next(each for each in session.program.main.declarations if isinstance(each, AdjacencyDecl))
    applied = AppliedAdjacency(declaration=declaration, given=(length,), place=declaration.span)
    inputs = [(values,) for values in product(range(high + 1), repeat=length)]
    related = relation(session.program, session.compiler, applied)
    found = adjacent_arrays(
        session.program,
        bound_to(session.program, session.compiler, applied),
        declaration,
        input_parameters(session.program.target, declaration),
        inputs,
        related,
        Budget(),
    )
    assert found is None or list(found) == _tried(inputs, related, Budget())
    assert found is not None or "max(" in text or "a[0]" in text


def test_more_pairs_than_fit_are_counted_before_any_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time limit could end that, and memory would not do: arrays [6] of 0..4 that differ are 244 million."""
    moves = {
        "same": [(a, b, "same" if a == b else "other") for a in range(3) for b in range(3)],
        "other": [(a, b, "other") for a in range(3) for b in range(3)],
    }
    levels, sizes = [moves] * 3, [3] * 3
    monkeypatch.setattr("pfl.analysis.paired_arrays.MOST_PAIRS", 27 * 26)
    left, _ = accepted_pairs(levels, sizes, "same", ["other"], Budget())
    assert len(left) == 27 * 26
    monkeypatch.setattr("pfl.analysis.paired_arrays.MOST_PAIRS", 27 * 26 - 1)
    with pytest.raises(LimitReached, match="relates 702 pairs of inputs, and no more than 701 can be looked at"):
        accepted_pairs(levels, sizes, "same", ["other"], Budget())
