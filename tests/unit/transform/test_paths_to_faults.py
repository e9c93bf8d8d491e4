"""A fault on a reachable state comes with the inputs, draws and moves that lead there."""

from __future__ import annotations

import pytest

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.driver import check_text
from pfl.explore.explore import explore
from pfl.model.program import Program, Receive, Run, Slot, Stop, code

COUNTING = """
automaton counting {
    data d: {one, two};
    query y: {go, stop};
    state x: 0..3 = 0;
    on data d { x = if d == two then min(3, x + 1) else x; }
    on query y { BODY }
}
check it: noninterference counting() { epsilon 1; }
"""


def fault(text: str) -> Diagnostic:
    (found,) = check_text(text).diagnostics
    return found


def counting(body: str) -> Diagnostic:
    return fault(COUNTING.replace("BODY", body))


def test_a_division_by_zero_in_a_response_tells_the_inputs() -> None:
    found = counting("respond bernoulli(1 / (2 - x));")
    assert str(found.code) == "PFL0342"
    assert found.notes == ("data point [two]", "data point [two]", "query go", "before its last step, x = 2")


def test_bad_weights_tell_inputs_and_draws() -> None:
    found = counting("let n ~ {0: 1/2, 1: 1/2}; if y == stop { x = min(3, x + n); } respond {yes: x/2, no: 1 - x/2};")
    assert str(found.code) == "PFL0402"
    assert found.notes == (
        "data point [two]",
        "data point [two]",
        "query stop",
        "line 7: draws n = 1",
        "before its last step, x = 3",
    )


def test_the_path_has_the_fewest_inputs() -> None:
    # Two data points also make x = 2, in as many steps, and another input follows.
    found = counting("respond x; x = x + 2;")
    assert str(found.code) == "PFL0340"
    assert found.notes == ("query go -> 0", "query go", "before its last step, x = 2")


def test_a_response_after_a_draw_stands_on_its_own() -> None:
    found = fault(
        """
automaton slow {
    data d: {pt};
    query y: {go};
    state x: 0..3 = 0;
    on data d { }
    on query y { let n ~ {0: 1/2, 1: 1/2}; respond n; x = x + 2*n; }
}
check it: noninterference slow() { epsilon 1; }
"""
    )
    drawn = ("query go", "line 7: draws n = 1", "respond 1")
    assert found.notes == (*drawn, *drawn[:2], "before its last step, x = 2")


def test_inputs_of_two_channels_are_told_apart() -> None:
    found = fault(
        """
automaton two {
    data d: 0..1;
    query y: 0..1;
    query z: 0..1;
    state x: 0..3 = 0;
    on data d { x = min(1, x + d); }
    on query y { respond x; if x == 1 and y == 0 { x = 2; } }
    on query z { respond bernoulli(if x == 2 then 2 else 0); }
}
check it: noninterference two() { epsilon 1; }
"""
    )
    assert found.notes == ("data point [1]", "query y 0 -> 1", "query z 0", "before its last step, x = 2")


def test_received_values_are_told() -> None:
    found = fault(
        """
mechanism sums(n: 1..3) -> bool {
    var sum: 0..9 = 0;
    for i in 1..n { receive b: 0..1; sum = sum + b; emit sum > 5; }
    return bernoulli(1 / (2 - sum));
}
adjacency same(a: 1..3, b: 1..3) = a == b;
adjacency any_two(a: 0..1, b: 0..1) = true;
check it: privacy sums { adjacent same; received any_two; epsilon 1; }
"""
    )
    assert found.notes == (
        "`sums` starts with n = 2",
        "line 4: receives b = 1",
        "emit false",
        "line 4: receives b = 1",
        "emit false",
        "before its last step, sum = 2",
    )


CHAIN = """
hmm walk {
    state x: 0..3;
    init  x ~ { 0: 1/2, 1: 1/2 };
    emit  bernoulli(1/(3 - x));
    step  x ~ { x: 1/2, min(3, x + 1): 1/2 };
}
"""


def test_moves_of_a_chain_are_counted() -> None:
    found = fault(f"{CHAIN} check it: pufferfish walk {{ secrets x == 0 vs x == 1; epsilon 1; length 5; }}")
    assert found.notes == (
        "`walk` starts with x = 1",
        "step 1: x = 2",
        "step 2: x = 3",
        "before its last step, x = 3",
    )


def test_what_is_drawn_for_a_variable_is_told_where_moves_are_not_shown() -> None:
    found = fault(f"{CHAIN} compute it: expected steps walk {{ from {{0: 1}}; until x == 4; }}")
    assert found.notes == (
        "`walk` starts with x = 0",
        "x becomes 1",
        "x becomes 2",
        "x becomes 3",
        "before its last step, x = 3",
    )


def test_an_input_without_a_variable_is_told_by_its_value() -> None:
    def fail(value: int) -> int:
        raise InputRejected([Diagnostic(code=codes.DIVISION_BY_ZERO, message=f"cannot use {value}")])

    nodes = (
        Receive(slot="given", channel="elements", values=(4, 5), next=1),
        Run(code=code("x = fail(given) if given == 5 else given"), next=2),
        Stop(),
    )
    slots = (Slot(identifier="given", name="given", hidden=True), Slot(identifier="x", name="x"))
    program = Program(name="test", slots=slots, nodes=nodes, results=("x",), namespace={"fail": fail})
    with pytest.raises(InputRejected) as caught:
        explore(program, [{}], Budget())
    assert caught.value.diagnostics[0].notes == ("receives 5",)
