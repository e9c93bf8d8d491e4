"""Compiled expressions agree with a small interpreter that shares nothing with the compiler, on random expressions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.reading import open_source
from pfl.base.source import SourceFile
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import EvaluationFault
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.model.values import Bag, BoolValue, EnumValue, truth
from pfl.options import Options
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast_declarations import FnDecl
from pfl.typecheck.program import check_program


class Fault(Exception):
    """The expression has no value."""


@dataclass(frozen=True)
class Term:
    """An expression: its source text, and what it means where variables have values."""

    text: str
    meaning: Any

    def __repr__(self) -> str:
        return self.text


def term(pattern: str, operation: Any, *parts: Term) -> Term:
    """An expression made of others, all of them evaluated."""
    texts = [f"({part.text})" for part in parts]
    return Term(pattern.format(*texts), lambda env: operation(*(part.meaning(env) for part in parts)))


def lazily(pattern: str, operation: Any, k: str, *parts: Term) -> Term:
    """An expression made of others, which the operation evaluates as it needs; `k` is the name of its binder."""
    texts = [f"({part.text})" for part in parts]
    return Term(pattern.format(*texts, k=k), lambda env: operation(env, k, *(part.meaning for part in parts)))


def divided(left: Any, right: Any) -> Fraction:
    if right == 0:
        raise Fault
    return Fraction(left) / right


def floored(left: int, right: int) -> int:
    if right == 0:
        raise Fault
    return floor(Fraction(left, right))


def remainder(left: int, right: int) -> int:
    return left - right * floored(left, right)


def element(array: list[Any], index: int) -> Any:
    if index not in range(len(array)):
        raise Fault
    return array[index]


def changed(array: list[Any], index: int, value: Any) -> list[Any]:
    element(array, index)
    return [value if position == index else held for position, held in enumerate(array)]


def extremum(choose: Any, values: Any) -> Any:
    listed = list(values)
    if not listed:
        raise Fault
    return choose(listed)


Rule = tuple[str, Any, tuple[str, ...]]
"""A way to make an expression: its pattern, its meaning, and the kinds of its parts."""

LEAVES: dict[str, list[Term]] = {
    "int": [
        *(Term(str(n), lambda _env, n=n: n) for n in range(-2, 6)),
        Term("x", lambda env: env["x"]),
        Term("y", lambda env: env["y"]),
    ],
    "real": [
        *(Term(f"{n}/{d}", lambda _env, n=n, d=d: Fraction(n, d)) for n in (-3, 1, 2, 4) for d in (2, 3, 5)),
        Term("0.06", lambda _env: Fraction(3, 50)),
    ],
    "bool": [
        Term("true", lambda _env: True),
        Term("false", lambda _env: False),
        Term("b", lambda env: env["b"]),
        Term("h == sick", lambda env: env["h"] == "sick"),
    ],
    "array": [Term("[3, 1, 4]", lambda _env: [3, 1, 4]), Term("[x, y]", lambda env: [env["x"], env["y"]])],
    "set": [Term("{x, 2}", lambda env: {env["x"], 2}), Term("{z in 0..3 | z > x}", lambda env: _above(env["x"]))],
    "bag": [Term("bag {0, x, x}", lambda env: Counter([0, env["x"], env["x"]]))],
}


def _above(low: int) -> set[int]:
    return {n for n in range(4) if n > low}


EAGER: dict[str, list[Rule]] = {
    "int": [
        ("{} + {}", lambda p, q: p + q, ("int", "int")),
        ("{} - {} + {}", lambda p, q, r: p - q + r, ("int", "int", "int")),
        ("{} * {}", lambda p, q: p * q, ("int", "int")),
        ("{} div {}", floored, ("int", "int")),
        ("{} mod {}", remainder, ("int", "int")),
        ("-{}", lambda p: -p, ("int",)),
        ("abs{}", abs, ("int",)),
        ("max({}, {})", max, ("int", "int")),
        ("{}[{}]", element, ("array", "int")),
        ("size{}", len, ("array",)),
        ("size{}", len, ("set",)),
        ("size{}", lambda p: sum(p.values()), ("bag",)),
        ("sum{}", sum, ("array",)),
        ("sum{}", lambda p: sum(n * c for n, c in p.items()), ("bag",)),
        ("min{}", lambda p: extremum(min, p), ("set",)),
        ("floor{}", floor, ("real",)),
        ("-floor(-{})", lambda p: -floor(-p), ("real",)),
    ],
    "real": [
        ("{} / {}", divided, ("real", "real")),
        ("{} / {}", divided, ("int", "int")),
        ("{} + {} - {}", lambda p, q, r: p + q - r, ("real", "int", "real")),
        ("{} * {}", lambda p, q: p * q, ("real", "real")),
        ("{} ^ 3", lambda p: p**3, ("real",)),
        ("{} ^ -2", lambda p: divided(1, p * p), ("real",)),
    ],
    "bool": [
        ("not {}", lambda p: not p, ("bool",)),
        ("{} == {}", lambda p, q: p == q, ("bool", "bool")),
        ("{} < {}", lambda p, q: p < q, ("real", "int")),
        ("{} != {}", lambda p, q: p != q, ("int", "real")),
        ("{} >= {}", lambda p, q: p >= q, ("int", "int")),
        ("{} in {}..{}", lambda p, q, r: q <= p <= r, ("int", "int", "int")),
        ("{} not in {}", lambda p, q: p not in q, ("int", "set")),
        ("{} in {}", lambda p, q: q[p] > 0, ("int", "bag")),
        ("{} == {}", lambda p, q: p == q, ("set", "set")),
        ("{} != {}", lambda p, q: p != q, ("array", "array")),
        ("{} == {}", lambda p, q: p == q, ("bag", "bag")),
    ],
    "array": [
        ("[{}, {}]", lambda p, q: [p, q], ("int", "int")),
        ("{} with {{ [{}] = {} }}", changed, ("array", "int", "int")),
    ],
    "set": [
        ("{{{}, {}}}", lambda p, q: {p, q}, ("int", "int")),
        ("union({}, {})", lambda p, q: p | q, ("set", "set")),
        ("add({}, {})", lambda p, q: p | {q}, ("set", "int")),
        ("remove({}, {})", lambda p, q: p - {q}, ("set", "int")),
    ],
    "bag": [
        ("bag {{{}, {}}}", lambda p, q: Counter([p, q]), ("int", "int")),
        ("union({}, {})", lambda p, q: p + q, ("bag", "bag")),
        ("add({}, {})", lambda p, q: p + Counter([q]), ("bag", "int")),
        ("remove({}, {})", lambda p, q: p - Counter([q]), ("bag", "int")),
    ],
}


def over(env: Any, k: str, meaning: Any, values: Any) -> list[Any]:
    """What an expression means for each value of the binder."""
    return [meaning({**env, k: value}) for value in values]


def kept(env: Any, k: str, condition: Any, values: Any) -> list[Any]:
    """The values of the binder for which a condition holds."""
    return [value for value in values if condition({**env, k: value})]


LAZY: dict[str, list[Rule]] = {
    "int": [
        ("if {} then {} else {}", lambda e, _k, p, q, r: q(e) if p(e) else r(e), ("bool", "int", "int")),
        (
            "match {} {{ 0 | 3..5 => {}, _ => {} }}",
            lambda e, _k, p, q, r: q(e) if p(e) in (0, 3, 4, 5) else r(e),
            ("int", "int", "int"),
        ),
        (
            "sum({1} for {k} in {0} if {2})",
            lambda e, k, p, q, r: sum(sum(over(e, k, q, kept(e, k, r, [n]))) for n in sorted(p(e))),
            ("set", "int", "bool"),
        ),
        ("count({k} for {k} in {} if {})", lambda e, k, p, q: len(kept(e, k, q, p(e))), ("array", "bool")),
    ],
    "real": [("if {} then {} else {}", lambda e, _k, p, q, r: q(e) if p(e) else r(e), ("bool", "real", "int"))],
    "bool": [
        ("{} and {}", lambda e, _k, p, q: p(e) and q(e), ("bool", "bool")),
        ("{} or {}", lambda e, _k, p, q: p(e) or q(e), ("bool", "bool")),
        ("{} => {}", lambda e, _k, p, q: not p(e) or q(e), ("bool", "bool")),
        ("forall {k} in {}: {}", lambda e, k, p, q: all(q({**e, k: n}) for n in sorted(p(e))), ("set", "bool")),
        ("exists {k} in {}: {}", lambda e, k, p, q: any(q({**e, k: n}) for n in p(e)), ("array", "bool")),
    ],
    "array": [("[{1} for {k} in {0}]", lambda e, k, p, q: over(e, k, q, sorted(p(e))), ("set", "int"))],
    "set": [
        ("{{{k} in {} | {}}}", lambda e, k, p, q: set(kept(e, k, q, sorted(p(e)))), ("set", "bool")),
        ("{{{1} for {k} in {0}}}", lambda e, k, p, q: set(over(e, k, q, p(e))), ("array", "int")),
    ],
    "bag": [("bag {{{1} for {k} in {0}}}", lambda e, k, p, q: Counter(over(e, k, q, p(e))), ("array", "int"))],
}


def random_term(random: Random, kind: str, depth: int, bound: tuple[str, ...] = ()) -> Term:
    """An expression of a kind, at most so deep; `bound` are the binders around it."""
    if depth == 0 or random.random() < 0.15:
        binders = [Term(k, lambda env, k=k: env[k]) for k in bound] if kind == "int" else []
        return random.choice([*LEAVES[kind], *binders])
    eager, lazy = EAGER[kind], LAZY[kind]
    choice = random.randrange(len(eager) + len(lazy))
    if choice < len(eager):
        pattern, meaning, kinds = eager[choice]
        return term(pattern, meaning, *(random_term(random, part, depth - 1, bound) for part in kinds))
    pattern, meaning, kinds = lazy[choice - len(eager)]
    k = f"k{depth}"
    # The first part is the domain of the binder, and does not see it.
    first = random_term(random, kinds[0], depth - 1, bound)
    inside = (*bound, k) if "{k}" in pattern else bound
    return lazily(pattern, meaning, k, first, *(random_term(random, part, depth - 1, inside) for part in kinds[1:]))


def plain(value: Any) -> Any:
    """A value of the compiler in the interpreter's terms."""
    match value:
        case BoolValue():
            return bool(value)
        case EnumValue(name=name):
            return name
        case tuple():
            return [plain(part) for part in value]
        case frozenset():
            return {plain(part) for part in value}
        case Bag():
            return Counter(map(plain, value))
        case _:
            return value


DECLARATIONS = "enum Health { well, sick } fn it(x: int, y: int, b: bool, h: Health) ="


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(sorted(LEAVES)),
    st.integers(-2, 4),
    st.integers(-2, 4),
    st.booleans(),
    st.sampled_from(["well", "sick"]),
)
def test_compiled_expressions_agree_with_the_interpreter(seed: int, kind: str, x: int, y: int, b: bool, h: str) -> None:
    expression = random_term(Random(seed), kind, 4)
    source = SourceFile(name="model.pfl", text=f"{DECLARATIONS} {expression.text};")
    program, found = check_program(load_program(source, open_source))
    assert program is not None, (expression.text, [d.message for d in found])
    values, _ = elaborate_globals(program, Options())
    declaration = program.globals["model.pfl"]["it"]
    assert isinstance(declaration, FnDecl)
    locals_ = [program.local(parameter.name) for parameter in declaration.parameters]
    health = next(e for e in values.enumerations.values()).values[int(h == "sick")]
    compiler = Compiler.of(program, values)
    arguments = (x, y, truth(b), health)
    outcomes = []
    for function, given_values in [
        (compiler.expression(declaration.body, locals_), arguments),
        (compiler.bind(dict(zip(locals_, arguments))).expression(declaration.body), ()),
    ]:
        try:
            outcomes.append(plain(function(*given_values)))
        except EvaluationFault:
            outcomes.append(Fault)
    try:
        expected = expression.meaning({"x": x, "y": y, "b": b, "h": h})
    except Fault:
        expected = Fault
    assert outcomes == [expected, expected], expression.text
