"""Equality of interactive systems against comparing all short words, and after changes that nobody can see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from interactive_systems import interactive_systems

from pfl.analysis.equivalence import Equality, first_difference
from pfl.base.budget import Budget
from pfl.engines.answer import Disproved, Proved
from pfl.engines.pairs import refinement
from pfl.model.compare import Compare, Table
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Matrix, Vector
from pfl.model.two_systems import TwoSystems, next_to_each_other, take_apart
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence

Step = tuple[str, str | None]


def letters(system: InteractiveSystem) -> dict[Step, Matrix]:
    found: dict[Step, Matrix] = {(data, None): matrix for data, matrix in zip(system.data, system.data_moves)}
    for query, answers in zip(system.queries, system.answers):
        found.update({(query, answer): matrix for answer, matrix in answers})
    return found


def implementation(left: InteractiveSystem, right: InteractiveSystem) -> Compare:
    both = TwoSystems(concrete=left, abstract=right, names=("left", "right"))
    return Compare(goal="check", tables=(Table.of_systems(both),), lengths="any")


def is_implemented(left: InteractiveSystem, right: InteractiveSystem) -> bool:
    """What the engine says; a proof has certificates that stand up to the checker."""
    question = implementation(left, right)
    answer = refinement.answer(question, Options(), Budget())
    if isinstance(answer, Proved):
        assert faults_of_evidence(question, answer.evidence.certificates, Budget()) == []
        other = replace(right, start=(*right.start[1:], right.start[0]))
        if other.start != right.start and not is_equal(left, other):
            assert faults_of_evidence(implementation(left, other), answer.evidence.certificates, Budget())
        return True
    assert isinstance(answer, Disproved)
    return False


def is_equal(left: InteractiveSystem, right: InteractiveSystem) -> bool:
    return isinstance(first_difference(*next_to_each_other(left, right), Budget()), Equality)


def mass(system: InteractiveSystem, word: Sequence[Step]) -> tuple[Fraction, Fraction]:
    """The mass of a word, and how much of it waits for an input."""
    vector = [Fraction(weight) for weight in system.start]  # type: ignore[arg-type]
    known = letters(system)
    for step in word:
        after = [Fraction(0)] * system.size
        for weight, row in zip(vector, known[step]):
            for column, entry in row:
                assert isinstance(entry, Fraction)
                after[column] += weight * entry
        vector = after
    return sum(vector), sum(vector[: system.bottom])  # type: ignore[return-value]


def split(system: InteractiveSystem, state: int, share: Fraction) -> InteractiveSystem:
    """The same system with a state doubled: moves into it go to one of the two."""
    twin = system.size

    def moved(row: Sequence[tuple[int, object]]) -> tuple[tuple[int, Fraction], ...]:
        parts: list[tuple[int, Fraction]] = []
        for column, weight in row:
            assert isinstance(weight, Fraction)
            parts += [(column, weight * share), (twin, weight * (1 - share))] if column == state else [(column, weight)]
        return tuple(sorted(parts))

    def matrix(old: Matrix) -> Matrix:
        rows = [moved(row) for row in old]
        return (*rows, rows[state])

    start: Vector = tuple(weight for _, weight in sorted(moved([*enumerate(system.start)])))
    doubled = InteractiveSystem(
        states=(*system.states, "twin"),
        start=start,
        data=system.data,
        data_moves=tuple(map(matrix, system.data_moves)),
        queries=system.queries,
        answers=tuple(tuple((answer, matrix(m)) for answer, m in answers) for answers in system.answers),
    )
    return bottom_last(doubled)


def bottom_last(system: InteractiveSystem) -> InteractiveSystem:
    """Bottom, which stands before the last state, comes last."""
    order = [*range(system.size - 2), system.size - 1, system.size - 2]
    place = {old: new for new, old in enumerate(order)}

    def matrix(old: Matrix) -> Matrix:
        return tuple(tuple(sorted((place[column], weight) for column, weight in old[state])) for state in order)

    return replace(
        system,
        states=tuple(system.states[state] for state in order),
        start=tuple(system.start[state] for state in order),
        data_moves=tuple(map(matrix, system.data_moves)),
        answers=tuple(tuple((answer, matrix(m)) for answer, m in answers) for answers in system.answers),
    )


@settings(max_examples=60, deadline=None)
@given(system=interactive_systems(fixes_state=False), share=st.fractions(Fraction(1, 5), Fraction(4, 5)))
def test_a_doubled_state_is_not_seen(system: InteractiveSystem, share: Fraction) -> None:
    assert is_implemented(system, split(system, 0, share))


@settings(max_examples=40, deadline=None)
@given(system=interactive_systems(fixes_state=False), share=st.fractions(Fraction(1, 5), Fraction(4, 5)))
def test_responses_as_letters_of_their_own_say_the_same(system: InteractiveSystem, share: Fraction) -> None:
    assert is_implemented(take_apart(system), system)
    assert is_implemented(split(system, 0, share), take_apart(system))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_difference_is_that_of_some_short_word(data: st.DataObject) -> None:
    """The difference found is that of a shortest word, where some word of at most three letters has one."""
    left = data.draw(interactive_systems(fixes_state=False))
    right = data.draw(interactive_systems(fixes_state=False))
    if left.data != right.data or left.queries != right.queries:
        return
    found = first_difference(*next_to_each_other(left, right), Budget())
    # A word is told apart by its mass, or by how much of that waits: this is the mass of `y?` after it.
    lengths = [
        length + (one == other)
        for length in range(4)
        for word in product(letters(left), repeat=length)
        for (one, waits), (other, other_waits) in [(mass(left, word), mass(right, word))]
        if one != other or waits != other_waits
    ]
    assert is_implemented(left, right) == isinstance(found, Equality)
    if isinstance(found, Equality):
        assert not lengths
    elif lengths:
        assert len(found) == min(lengths)
