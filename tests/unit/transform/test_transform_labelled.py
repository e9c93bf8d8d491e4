"""From transition graphs to labelled systems: letters, ends of runs, received inputs, lumping."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.explore.explore import explore
from pfl.model.distribution import DistributionValue, uniform
from pfl.model.labelled_system import LabelledSystem
from pfl.model.program import Branch, Draw, Node, Program, Receive, Run, Show, Slot, Stop, code, expression
from pfl.passes.about_to_show import about_to_show
from pfl.passes.labelled import GivenPair, Giving, Labelled, Memory, labelled
from pfl.passes.lump import lump

BUDGET = Budget()
HALF = Fraction(1, 2)


def coin(weight: Fraction) -> DistributionValue:
    return DistributionValue(((1, weight), (0, 1 - weight)))


def program(slots: str, *nodes: Node, inputs: tuple[str, ...] = ()) -> Program:
    return Program(
        name="test",
        slots=tuple(Slot(identifier=name, name=name) for name in slots.split()),
        nodes=nodes,
        inputs=inputs,
        namespace={"coin": coin, "uniform": uniform, "half": HALF},
    )


def mass(system: LabelledSystem, start: Mapping[int, Number], *word: str) -> object:
    return system.mass(system.vector(start.items()), [system.letters.index(letter) for letter in word])


def giving(choices: list[GivenPair]) -> Giving:
    return Giving(choices=lambda _channel, _memory: choices, name=str)


def row_sums(system: LabelledSystem) -> set[object]:
    return {
        sum((weight for matrix in system.matrices for _, weight in matrix[state]), Fraction(0))
        for state in range(system.size)
    }


def test_returned_and_emitted_values_are_different_letters() -> None:
    stream = program(
        "x",
        Draw(slot="x", distribution=expression("coin(half)"), next=1),
        Show(kind="emit", value=expression("x"), next=2),
        Branch(condition=expression("x == 1"), then=3, otherwise=0),
        Show(kind="return", value=expression("x"), next=4),
        Stop(),
    )
    built = labelled(explore(stream, [{}], BUDGET), BUDGET).noting(Divisors())
    system, start = built.system, built.left[0]
    assert set(system.letters) == {"0", "1", "return 1", "halt"}
    assert row_sums(system) == {1}
    assert mass(system, start, "0", "0", "1", "return 1", "halt", "halt") == Fraction(1, 8)
    assert mass(system, start, "return 1") == 0
    assert built.longest is None


def test_a_loop_that_is_left_or_not_has_the_letter_never() -> None:
    spin = program(
        "x",
        Draw(slot="x", distribution=expression("uniform([0, 1, 2])"), next=1),
        Branch(condition=expression("x == 0"), then=0, otherwise=2),
        Branch(condition=expression("x == 1"), then=2, otherwise=3),
        Show(kind="return", value=expression("x"), next=4),
        Stop(),
    )
    built = labelled(explore(spin, [{}], BUDGET), BUDGET).noting(Divisors())
    assert built.system.letters == ("2", "never", "halt") or set(built.system.letters) == {"2", "never", "halt"}
    assert mass(built.system, built.left[0], "never", "never") == HALF
    assert mass(built.system, built.left[0], "2", "halt") == HALF
    assert built.may_never_end == (True,)
    assert built.longest == 1


def test_inputs_move_each_run_by_its_own_value() -> None:
    noisy = program(
        "y z",
        Receive(slot="y", channel="bit", values=(0, 1), next=1),
        Draw(slot="z", distribution=expression("coin((1 + y) * half / 2)"), next=2),
        Show(kind="emit", value=expression("z"), next=0),
    )
    graph = explore(noisy, [{}], BUDGET)
    pairs = [(a, b) for a in (0, 1) for b in (0, 1)]
    built = labelled(graph, BUDGET, giving([GivenPair(a, b) for a, b in pairs])).noting(Divisors())
    system = built.system
    assert len(system.letters) == 8
    assert mass(system, built.left[0], "[0 | 1] 1", "[1] 0") == Fraction(1, 4) * HALF
    assert mass(system, built.right[0], "[0 | 1] 1", "[1] 0") == HALF * HALF

    def at_most_one(_channel: str, memory: Memory) -> list[GivenPair]:
        counted = [GivenPair(a, b, 1 if a != b else memory) for a, b in pairs]
        return [choice for choice in counted if choice.left == choice.right or memory == 0]

    counting = Giving(choices=at_most_one, name=lambda memory: f"{memory} differ")
    limited = labelled(graph, BUDGET, counting, [(0, 0)]).noting(Divisors())
    assert mass(limited.system, limited.left[0], "[0 | 1] 1", "[1] 0") == Fraction(1, 8)
    assert mass(limited.system, limited.left[0], "[0 | 1] 1", "[0 | 1] 1") == 0
    assert not limited.system.stochastic
    assert limited.system.inputs is not None
    for state in range(limited.system.size):
        for number in set(limited.system.inputs):
            total = sum(
                weight
                for letter, matrix in enumerate(limited.system.matrices)
                if limited.system.inputs[letter] == number
                for _, weight in matrix[state]
            )
            assert total in (0, 1)


def test_a_silent_way_to_a_question_is_not_seen() -> None:
    """Before its question the run draws in secret; between two questions without an answer it is seen to ask."""
    asking = program(
        "x y",
        Draw(slot="x", distribution=expression("coin(half)"), next=1),
        Receive(slot="y", channel="bit", values=(0, 1), next=2),
        Branch(condition=expression("x == y"), then=1, otherwise=3),
        Show(kind="return", value=expression("y"), next=4),
        Stop(),
    )
    built = labelled(explore(asking, [{}], BUDGET), BUDGET, giving([GivenPair(0, 0), GivenPair(1, 1)])).noting(
        Divisors()
    )
    assert mass(built.system, built.left[0], "[0]", "[1] 1", "halt") == HALF
    assert mass(built.system, built.left[0], "[0] 0", "halt") == HALF
    assert mass(built.system, built.left[0], "asks") == 0 if "asks" in built.system.letters else True


def words(built: Labelled, length: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for _ in range(length):
        found = [(*word, letter) for word in found for letter in range(len(built.system.letters))]
    return found


def test_lumping_keeps_all_masses() -> None:
    forgetful = program(
        "a b x",
        Draw(slot="x", distribution=expression("coin(half if (a + b) % 2 else half / 2)"), next=1),
        Show(kind="emit", value=expression("x"), next=2),
        Run(code=code("a = (a + x) % 4"), next=0),
        inputs=("a", "b"),
    )
    starts = [{"a": a, "b": b} for a in range(4) for b in range(4)]
    built = labelled(explore(forgetful, starts, BUDGET), BUDGET).noting(Divisors())
    lumping = lump(built.system, BUDGET)
    assert built.system.size == 16
    assert lumping.system.size == 2
    for word in words(built, 4):
        for start in built.left:
            merged = lumping.system.vector(lumping.start(start))
            assert built.system.mass(built.system.vector(start.items()), word) == lumping.system.mass(merged, word)


def test_starts_may_be_put_off_to_the_next_letter() -> None:
    chatty = program(
        "x",
        Draw(slot="x", distribution=expression("coin(half)"), next=1),
        Show(kind="emit", value=expression("x"), next=2),
        Branch(condition=expression("x == 1"), then=0, otherwise=3),
        Show(kind="return", value=expression("x + 5"), next=4),
        Stop(),
        inputs=("x",),
    )
    built = labelled(explore(chatty, [{"x": 0}], BUDGET), BUDGET).noting(Divisors())
    moved, [start] = about_to_show(built.system, built.left)
    assert row_sums(moved) == {1}
    assert sorted(start.values()) == [HALF, HALF]
    for word in words(built, 3):
        assert moved.mass(moved.vector(start.items()), word) == built.system.mass(
            built.system.vector(built.left[0].items()), word
        )
