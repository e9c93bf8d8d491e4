"""Exploration of hand-written programs: states, liveness, loops, visible steps, faults and limits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.divided import Divisors
from pfl.explore.explore import explore
from pfl.model.distribution import DistributionValue, uniform
from pfl.model.program import (
    Branch,
    Draw,
    EvaluationFault,
    Node,
    Program,
    Receive,
    Run,
    Show,
    Slot,
    Stop,
    Tick,
    code,
    describe,
    expression,
)
from pfl.model.transition_graph import Label, TransitionGraph
from pfl.model.values import NEVER
from pfl.passes.close_silent import close_silent, run_block

BUDGET = Budget()


def coin(weight: Fraction) -> DistributionValue:
    return DistributionValue(((1, weight), (0, 1 - weight)))


def fail(value: object) -> object:
    raise EvaluationFault(Diagnostic(code=codes.ROW_SUM, message=f"cannot use {value}"))


def program(slots: str, *nodes: Node, inputs: tuple[str, ...] = (), results: tuple[str, ...] = ()) -> Program:
    return Program(
        name="test",
        slots=tuple(Slot(identifier=name, name=name) for name in slots.split()),
        nodes=nodes,
        inputs=inputs,
        results=results,
        namespace={
            "coin": coin,
            "uniform": uniform,
            "half": Fraction(1, 2),
            "range": range,
            "fail": fail,
            "NEVER": NEVER,
            "DistributionValue": DistributionValue,
        },
    )


def letters(graph: TransitionGraph) -> set[Label]:
    return {label for label in graph.label_table if label is not None}


def test_dead_variables_are_forgotten() -> None:
    tosses = program(
        "x y",
        Draw(slot="x", distribution=expression("uniform(range(100))"), next=1),
        Draw(slot="y", distribution=expression("coin(half)"), next=2),
        Stop(),
        results=("y",),
    )
    graph = explore(tosses, [{}], BUDGET)
    assert [graph.show_state(state) for state in range(graph.size)] == ["", "", "y = 1", "y = 0"]
    [outcome] = run_block(tosses, [{}], BUDGET).noting(Divisors())
    assert outcome.finals == {(1,): Fraction(1, 2), (0,): Fraction(1, 2)}
    assert outcome.never == 0


def test_values_are_restored_between_the_branches_of_a_draw() -> None:
    block = program(
        "total x",
        Draw(slot="x", distribution=expression("uniform([1, 2, 3])"), next=1),
        Run(code=code("total = total + x"), next=2),
        Stop(),
        inputs=("total",),
        results=("total",),
    )
    [outcome] = run_block(block, [{"total": 10}], BUDGET).noting(Divisors())
    assert outcome.finals == {(value,): Fraction(1, 3) for value in (11, 12, 13)}


def test_gamblers_ruin() -> None:
    ruin = program(
        "x step",
        Branch(condition=expression("0 < x < 5"), then=1, otherwise=3),
        Draw(slot="step", distribution=expression("coin(half + half / 3)"), next=2),
        Run(code=code("x = x + 2 * step - 1"), next=0),
        Stop(),
        inputs=("x",),
        results=("x",),
    )
    outcomes = run_block(ruin, [{"x": start} for start in range(6)], BUDGET).noting(Divisors())
    for start, outcome in enumerate(outcomes):
        won = (1 - Fraction(1, 2) ** start) / (1 - Fraction(1, 2) ** 5)
        assert outcome.finals.get((5,), 0) == won
        assert outcome.finals.get((0,), 0) == 1 - won


def test_a_deterministic_loop_is_a_run_without_end() -> None:
    spin = program("x", Branch(condition=expression("x == x"), then=0, otherwise=1), Stop(), inputs=("x",))
    [outcome] = run_block(spin, [{"x": 1}], BUDGET).noting(Divisors())
    assert outcome.finals == {}
    assert outcome.never == 1


def test_a_draw_may_be_a_run_without_end() -> None:
    lost = program(
        "x",
        Draw(slot="x", distribution=expression("DistributionValue([(1, half), (NEVER, half)])"), next=1, partial=True),
        Stop(),
        results=("x",),
    )
    [outcome] = run_block(lost, [{}], BUDGET).noting(Divisors())
    assert outcome.finals == {(1,): Fraction(1, 2)}
    assert outcome.never == Fraction(1, 2)


def test_shown_values_label_the_step_that_draws_them() -> None:
    stream = program(
        "x",
        Draw(slot="x", distribution=expression("coin(half)"), next=1),
        Show(kind="emit", value=expression("x"), next=2),
        Show(kind="emit", value=expression("x"), next=3),
        Show(kind="return", value=expression("x"), next=4),
        Stop(),
    )
    graph = explore(stream, [{}], BUDGET)
    assert letters(graph) == {Label(kind, value) for kind in ("emit", "return") for value in (0, 1)}
    closure = close_silent(graph, graph.starts, BUDGET).noting(Divisors())
    assert sorted(closure.rows[0].values()) == [Fraction(1, 2), Fraction(1, 2)]
    shown = [[label.value for _, _, label in graph.transitions(state) if label] for state in range(graph.size)]
    assert shown == [[1, 0], [1], [0], [1], [0], []]


def test_a_stream_without_a_draw_has_one_state() -> None:
    forever = program("x", Show(kind="emit", value=expression("x"), next=0), inputs=("x",))
    graph = explore(forever, [{"x": 7}], BUDGET)
    assert graph.size == 1
    assert list(graph.transitions(0)) == [(0, Fraction(1), Label("emit", 7))]


def test_every_input_has_a_row_of_its_own() -> None:
    echo = program(
        "y",
        Receive(slot="y", channel="bit", values=(0, 1), next=1),
        Draw(slot="y", distribution=expression("coin(half if y else half / 2)"), next=2),
        Show(kind="emit", value=expression("y"), next=0),
    )
    graph = explore(echo, [{}], BUDGET)
    assert [label for _, _, label in graph.transitions(0)] == [Label("input", 0, "bit"), Label("input", 1, "bit")]
    closure = close_silent(graph, [target for target, _, _ in graph.transitions(0)], BUDGET).noting(Divisors())
    masses = [{graph.label_table[exit.label]: mass for exit, mass in row.items()} for row in closure.rows]
    assert masses[0] == {Label("emit", 1): Fraction(1, 4), Label("emit", 0): Fraction(3, 4)}
    assert masses[1] == {Label("emit", 1): Fraction(1, 2), Label("emit", 0): Fraction(1, 2)}
    assert list(close_silent(graph, [0], BUDGET).noting(Divisors()).rows[0].values()) == [1]


def test_costs_ride_on_transitions() -> None:
    paid = program(
        "x",
        Draw(slot="x", distribution=expression("uniform([1, 2])"), next=1),
        Tick(cost=expression("half * x"), next=2),
        Tick(cost=expression("3 * half"), next=3),
        Tick(cost=expression("1"), counts="turns", next=4),
        Stop(),
    )
    graph = explore(paid, [{}], BUDGET, costs="ticks")
    assert graph.costs is not None
    assert [graph.cost_table[cost] for cost in graph.costs] == [2, Fraction(5, 2)]
    turns = explore(paid, [{}], BUDGET, costs="turns")
    assert turns.costs is not None
    assert [turns.cost_table[cost] for cost in turns.costs] == [1, 1]


def test_code_that_many_ways_lead_to_is_shared() -> None:
    """Twenty conditionals with a draw on one side: code is linear in them, states as many as are needed."""
    count = 20
    nodes: list[Node] = []
    for position in range(count):
        at = 3 * position
        nodes += [
            Branch(condition=expression(f"bits[{position}]"), then=at + 1, otherwise=at + 2),
            Draw(slot="x", distribution=expression("coin(half)"), next=at + 2),
            Run(code=code("total = total + x"), next=at + 3),
        ]
    nodes.append(Stop())
    sums = program("bits total x", *nodes, inputs=("bits", "total", "x"), results=("total",))
    bits = tuple(position % 3 == 0 for position in range(count))
    [outcome] = run_block(sums, [{"bits": bits, "total": 0, "x": 0}], BUDGET).noting(Divisors())
    joint = {(0, 0): Fraction(1)}
    for bit in bits:
        following: dict[tuple[int, int], Fraction] = {}
        for (total, x), weight in joint.items():
            for value, chance in ((0, Fraction(1, 2)), (1, Fraction(1, 2))) if bit else ((x, Fraction(1)),):
                key = total + value, value
                following[key] = following.get(key, Fraction(0)) + weight * chance
        joint = following
    expected: dict[tuple[int], Fraction] = {}
    for (total, _), weight in joint.items():
        expected[(total,)] = expected.get((total,), Fraction(0)) + weight
    assert outcome.finals == expected


def test_a_fault_tells_the_path() -> None:
    faulty = program(
        "a x y",
        Draw(slot="x", distribution=expression("uniform([1, 2])"), next=1),
        Show(kind="emit", value=expression("x"), next=2),
        Draw(slot="y", distribution=expression("uniform([5, 6])"), next=3),
        Run(code=code("a = fail(y) if x + y == 8 else a"), next=4),
        Stop(),
        inputs=("a",),
        results=("a",),
    )
    with pytest.raises(InputRejected) as caught:
        explore(faulty, [{"a": 3}], BUDGET)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.message == "cannot use 6"
    assert diagnostic.notes == (
        "`test` starts with a = 3",
        "draws x = 2",
        "emit 2",
        "draws y = 6",
        "before its last step, a = 3, x = 2",
    )


def test_a_fault_in_a_distribution_tells_the_path_up_to_it() -> None:
    faulty = program(
        "x y",
        Draw(slot="x", distribution=expression("uniform([1, 2])"), next=1),
        Draw(slot="y", distribution=expression("fail(x) if x == 2 else coin(half)"), next=2),
        Stop(),
    )
    with pytest.raises(InputRejected) as caught:
        explore(faulty, [{}], BUDGET)
    assert caught.value.diagnostics[0].notes == ("draws x = 2", "before its last step, x = 2")


def test_too_many_states_names_the_variable_that_grows() -> None:
    counting = program(
        "small large",
        Draw(slot="small", distribution=expression("coin(half)"), next=1),
        Run(code=code("large = large + 1"), next=2),
        Branch(condition=expression("small < 2"), then=0, otherwise=3),
        Stop(),
        inputs=("large",),
    )
    with pytest.raises(LimitReached, match=r"`test` has more than 1,000 states .*`large` grows"):
        explore(counting, [{"large": 0}], Budget(max_states=1000))


def test_every_node_is_printed() -> None:
    text = describe(
        program(
            "x",
            Receive(slot="x", channel="0..1", values=(0, 1), next=1),
            Branch(condition=expression("x == 0"), then=2, otherwise=3),
            Tick(cost=expression("1"), next=3),
            Run(code=code("x = x + 1"), next=4),
            Draw(slot="x", distribution=expression("coin(half)"), next=5),
            Show(kind="return", value=expression("x"), next=6),
            Stop(),
        )
    )
    for part in ("receive x in 0..1", "if x == 0 -> 2 else -> 3", "tick 1", "x = x + 1", "x ~ coin(half)", "return x"):
        assert part in text
