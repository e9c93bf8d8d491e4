"""A weight computed with a symbolic parameter has, at each point, the value it has where `--set` fixes it."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.reading import open_source
from pfl.base.source import SourceFile
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import EvaluationFault
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.options import Options
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast_declarations import FnDecl
from pfl.typecheck.program import check_program


def weight(random: Random, depth: int) -> str:
    """A real expression in p, q and the int x."""
    if depth == 0:
        return random.choice(["p", "q", "x", "1", "2", "1/3", "0.25"])
    left, right = weight(random, depth - 1), weight(random, depth - 1)
    patterns = [
        "({}) + ({})",
        "({}) - ({})",
        "({}) * ({})",
        "({}) / ({})",
        "({}) ^ 2 - ({})",
        "if x > 0 then {} else {}",
    ]
    return random.choice(patterns).format(left, right)


def evaluate(text: str, x: int, values: dict[str, Fraction]) -> tuple[Number | None, int]:
    """The value of the weight, None where it has none, and how many side conditions it has."""
    source = SourceFile(name="model.pfl", text=f"param p in (0, 1); param q in (0, 1); fn w(x: int): real = {text};")
    program, _ = check_program(load_program(source, open_source))
    assert program is not None
    globals_, _ = elaborate_globals(program, Options(settings=values))
    declaration = program.globals["model.pfl"]["w"]
    assert isinstance(declaration, FnDecl)
    local = program.local(declaration.parameters[0].name)
    function = Compiler.of(program, globals_).number(declaration.body, [local])
    try:
        return function(x), len(globals_.side_conditions)
    except EvaluationFault:
        return None, len(globals_.side_conditions)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(-1, 2), st.fractions(0, 1), st.fractions(0, 1))
def test_symbolic_and_fixed_parameters_agree(seed: int, x: int, p: Fraction, q: Fraction) -> None:
    p, q = (p + 1) / 3, (q + 1) / 4  # inside the open intervals
    text = weight(Random(seed), 4)
    symbolic, conditions = evaluate(text, x, {})
    fixed, _ = evaluate(text, x, {"p": p, "q": q})
    if symbolic is None:
        assert fixed is None  # a division by what is 0 everywhere
    elif fixed is None:
        assert conditions  # a divisor that is 0 here must have been asked not to be
    else:
        at_point = symbolic.evaluate({"p": p, "q": q}) if isinstance(symbolic, RationalFunction) else symbolic
        assert at_point == fixed
