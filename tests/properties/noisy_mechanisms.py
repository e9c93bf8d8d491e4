"""Random mechanisms that draw noise without bounds, as trees: printed as PFL here, and run by `noisy_runs.py`.

An expression is a tuple whose first part says what it is: `("number", 1)`, `("name", "x")`, `("+", e, e)`,
`("<=", e, e)`, `("if", b, e, e)`, `("call", "clipped", e)`. So is a statement; blocks are lists of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

Tree: TypeAlias = tuple[Any, ...]
Block: TypeAlias = list[Tree]

ZERO, ONE = ("number", Fraction(0)), ("number", Fraction(1))
X, Y = ("name", "x"), ("name", "y")

FUNCTIONS: dict[str, tuple[tuple[str, ...], str, Tree]] = {
    "clipped": (
        ("x",),
        "N",
        ("if", ("<", X, ("neg", ONE)), ("neg", ONE), ("if", (">", X, ONE), ONE, X)),
    ),
    "larger": (("x", "y"), "N", ("if", (">=", X, Y), X, Y)),
    "above": (("x", "y"), "bool", ("or", (">", X, Y), (">", X, ("+", Y, ONE)))),
    "between": (("x",), "bool", ("and", ("<=", ZERO, X), ("<", X, ONE))),
}
"""Parameters, the type of the result (`N` is that of samples), and the body."""


@dataclass
class Noisy:
    """A mechanism with one input `q` in 0..1; `is_real` says of which kind its samples are."""

    is_real: bool
    body: Block
    draws: int
    grid: int
    """All means, shifts and bounds are multiples of 1/grid."""
    helpers: dict[str, Block] = field(default_factory=dict)

    @property
    def parameter(self) -> str:
        """The name of the parameter."""
        return "eps" if self.is_real else "a"

    def text(self, *claims: str) -> str:
        """The model."""
        number = "real" if self.is_real else "int"
        lines = ["param eps in (0, inf);" if self.is_real else "param a in (0, 1);"]
        lines += [f"record Pair {{ first: {number}, second: {number} }}"]
        for name, (parameters, result, body) in FUNCTIONS.items():
            given = ", ".join(f"{each}: {number}" for each in parameters)
            lines.append(f"fn {name}({given}): {result.replace('N', number)} = {shown(body)};")
        for name, body in self.helpers.items():
            result = number if name == "drawn" else "bool"
            emits = " emits int" if name == "told" else ""
            lines += [f"mechanism {name}(m: int){emits} -> {result} {{", *printed(body, 1), "}"]
        lines += ["mechanism noisy(q: 0..1) emits int -> bool {", *printed(self.body, 1), "}"]
        lines += ["adjacency other(a: 0..1, b: 0..1) = a != b;", *claims]
        return "\n".join(lines) + "\n"


def shown(tree: Tree) -> str:
    """An expression as PFL."""
    match tree:
        case ("number", value):
            return str(value) if value >= 0 else f"({value})"
        case ("name", name):
            return str(name)
        case ("true" | "false" as value,):
            return str(value)
        case ("neg", e):
            return f"(-{shown(e)})"
        case ("not", e):
            return f"(not {shown(e)})"
        case ("if", c, a, b):
            return f"(if {shown(c)} then {shown(a)} else {shown(b)})"
        case ("call" | "max" | "min" | "abs", *_):
            name, given = (tree[1], tree[2:]) if tree[0] == "call" else (tree[0], tree[1:])
            return f"{name}({', '.join(map(shown, given))})"
        case ("at", name, index):
            return f"{name}[{shown(index)}]"
        case ("part", name, part):
            return f"{name}.{part}"
        case ("pair", a, b):
            return f"Pair(first = {shown(a)}, second = {shown(b)})"
        case ("tuple" | "array", *parts):
            inside = ", ".join(map(shown, parts))
            return f"({inside})" if tree[0] == "tuple" else f"[{inside}]"
        case (operator, a, b):
            return f"({shown(a)} {operator} {shown(b)})"
    raise AssertionError(tree)


def distribution(tree: Tree) -> str:
    """What is drawn from: ("laplace", mean, rate) of scale 1/(rate eps), ("two_sided_geometric", mean, power), .."""
    match tree:
        case ("laplace", mean, rate):
            return f"laplace({shown(mean)}, {_scale(rate)})"
        case ("exponential", rate):
            return f"exponential({_scale(rate)})"
        case ("two_sided_geometric", mean, power):
            return f"two_sided_geometric(a^{power}, {shown(mean)})"
        case ("geometric", power):
            return f"geometric(a^{power})"
        case ("bernoulli", weight):
            return f"bernoulli({weight})"
        case ("helper", name, given):
            return f"{name}({shown(given)})"
    raise AssertionError(tree)


def _scale(rate: Fraction) -> str:
    return f"{rate.denominator}/eps" if rate.numerator == 1 else f"{rate.denominator}/({rate.numerator}*eps)"


def printed(block: Block, depth: int) -> list[str]:
    """Statements as PFL."""
    pad, lines = "    " * depth, []
    for statement in block:
        match statement:
            case ("let" | "var" as word, name, e):
                lines.append(f"{pad}{word} {name} = {shown(e)};")
            case ("typed", name, kind, e):
                lines.append(f"{pad}var {name}: {kind} = {shown(e)};")
            case ("draw", name, d):
                lines.append(f"{pad}let {name} ~ {distribution(d)};")
            case ("vardraw", name, d):
                lines.append(f"{pad}var {name} ~ {distribution(d)};")
            case ("set", place, e):
                lines.append(f"{pad}{shown(place)} = {shown(e)};")
            case ("redraw", place, d):
                lines.append(f"{pad}{shown(place)} ~ {distribution(d)};")
            case ("emit" | "return" | "tick" | "assert" as word, e):
                lines.append(f"{pad}{word} {shown(e)};")
            case ("release", d):
                lines.append(f"{pad}return {distribution(d)};")
            case ("when", c, a, b):
                lines += [f"{pad}if {shown(c)} {{", *printed(a, depth + 1), f"{pad}}} else {{"]
                lines += [*printed(b, depth + 1), f"{pad}}}"]
            case ("match", e, a, b):
                lines += [f"{pad}match {shown(e)} {{", f"{pad}    0 => {{", *printed(a, depth + 2), f"{pad}    }}"]
                lines += [f"{pad}    _ => {{", *printed(b, depth + 2), f"{pad}    }}", f"{pad}}}"]
            case ("for", name, count, inner):
                lines += [f"{pad}for {name} in 0..{count - 1} {{", *printed(inner, depth + 1), f"{pad}}}"]
            case _:
                raise AssertionError(statement)
    return lines


@dataclass
class _Scope:
    samples: list[Tree]
    changing: list[Tree]
    bools: list[Tree]
    changing_bools: list[Tree]
    ints: list[Tree]
    arrays: list[str]

    def inner(self) -> _Scope:
        return _Scope(*(list(each) for each in self.__dict__.values()))


class Generator:
    """Makes one mechanism from a source of chance."""

    def __init__(self, random: Random, most_draws: int = 3) -> None:
        self.random = random
        self.left = random.randint(1, most_draws)
        self.is_real = random.random() < 0.6
        self.halves = self.is_real and self.left <= 2 and random.random() < 0.4
        self.faults = random.random() < 0.15
        self.used = 0
        self.names = 0
        self.helpers: dict[str, Block] = {}

    def mechanism(self) -> Noisy:
        """The mechanism."""
        most = self.left
        scope = _Scope([], [], [], [], [("name", "q")], [])
        body: Block = []
        if self.random.random() < 0.5:
            body.append(("typed", "best", "int", ZERO))
            scope.ints.append(("name", "best"))
        if self.random.random() < 0.3:
            first = ("number", Fraction(self.pick([-1, 0, 2])))
            body.append(("typed", "top", "real" if self.is_real else "int", first))
            scope.samples.append(("name", "top"))
            scope.changing.append(("name", "top"))
        if self.random.random() < 0.3:
            kind = "real" if self.is_real else "int"
            body.append(("typed", "xs", f"[2] of {kind}", ("array", ZERO, ZERO)))
            scope.arrays.append("xs")
            for index in (0, 1):
                place = ("at", "xs", ("number", Fraction(index)))
                scope.samples.append(place)
                scope.changing.append(place)
        body += self.block(scope, self.random.randint(3, 8), 0)
        if not self.used:
            body += self.draw(scope)
        for sample in scope.samples[-1:]:
            if self.random.random() < 0.8:
                body.append(("emit", ("if", self.comparison(scope, sample), ONE, ZERO)))
        body.append(("return", self.condition(scope, 2)))
        return Noisy(self.is_real, body, most, 2 if self.halves else 1, self.helpers)

    def pick(self, options: list[Any]) -> Any:
        """One of them."""
        return self.random.choice(options)

    def name(self, letter: str) -> str:
        """A new name."""
        self.names += 1
        return f"{letter}{self.names}"

    def constant(self) -> Tree:
        """A number that samples are compared with or moved by."""
        values = [Fraction(n, 2) for n in range(-3, 4)] if self.halves else [Fraction(n) for n in (-2, -1, 0, 1, 2)]
        return ("number", self.pick(values))

    def number(self, scope: _Scope) -> Tree:
        """An expression that is a number."""
        chance = self.random.random()
        if chance < 0.4:
            return self.constant()
        if chance < 0.9:
            return self.pick(scope.ints)
        return ("-", self.pick(scope.ints), self.constant())

    def noise(self, scope: _Scope) -> Tree:
        """A distribution."""
        if self.is_real:
            rate = self.pick([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 2)])
            return ("exponential", rate) if self.random.random() < 0.25 else ("laplace", self.number(scope), rate)
        rate = self.pick([1, 1, 2])
        return ("geometric", rate) if self.random.random() < 0.25 else ("two_sided_geometric", self.number(scope), rate)

    def draw(self, scope: _Scope, times: int = 1) -> Block:
        """A statement that draws noise, if any may still be drawn `times` times."""
        if self.left < times:
            return []
        self.left -= times
        self.used += times
        if self.random.random() < 0.12:
            helper = self.pick(["drawn", "told", "asked"])
            self.helpers.setdefault(helper, self.helper(helper))
            name = self.name("h")
            (scope.samples if helper == "drawn" else scope.bools).append(("name", name))
            return [("draw", name, ("helper", helper, self.pick(scope.ints)))]
        noise = self.noise(scope)
        if scope.changing and self.random.random() < 0.3:
            return [("redraw", self.pick(scope.changing), noise)]
        name = self.name("x")
        scope.samples.append(("name", name))
        if self.random.random() < 0.5:
            scope.changing.append(("name", name))
            return [("vardraw", name, noise)]
        return [("draw", name, noise)]

    def helper(self, name: str) -> Block:
        """The body of a mechanism that draws one sample."""
        given = _Scope([], [], [], [], [("name", "m")], [])
        body: Block = [("draw", "z", self.noise(given))]
        given.samples.append(("name", "z"))
        if name == "drawn":
            return [("release", body[0][2])] if self.random.random() < 0.3 else [*body, ("return", ("name", "z"))]
        if name == "told":
            body.append(("emit", ("if", self.comparison(given), ONE, ("number", Fraction(2)))))
        return [*body, ("return", self.comparison(given))]

    def sample(self, scope: _Scope, depth: int = 2) -> Tree:
        """An expression that may be a sample."""
        if not scope.samples:
            return self.constant()
        chance = self.random.random()
        if depth == 0 or chance < 0.55:
            return self.pick(scope.samples)
        rest = [self.sample(scope, depth - 1) for _ in range(2)]
        if chance < 0.68:
            return ("+", rest[0], self.constant()) if chance < 0.64 else ("-", rest[0], self.pick(scope.ints))
        if chance < 0.72:
            return ("neg", rest[0])
        if chance < 0.82:
            return (self.pick(["max", "min"]), *rest)
        if chance < 0.86:
            return ("abs", rest[0])
        if chance < 0.93:
            return ("if", self.condition(scope, 1), *rest)
        return ("call", "clipped", rest[0]) if chance < 0.96 else ("call", "larger", *rest)

    def comparison(self, scope: _Scope, left: Tree | None = None) -> Tree:
        """A comparison of samples, or of a sample and a number."""
        left = left or self.sample(scope)
        operators = ["<", "<=", ">", ">="] + ([] if self.is_real else ["==", "!="])
        right = self.sample(scope) if self.random.random() < 0.6 else self.number(scope)
        if self.random.random() < 0.08:
            return ("call", "above", left, right) if self.random.random() < 0.5 else ("call", "between", left)
        return (self.pick(operators), left, right)

    def condition(self, scope: _Scope, depth: int) -> Tree:
        """A bool."""
        chance = self.random.random()
        if depth == 0 or chance < 0.5:
            if scope.bools and self.random.random() < 0.3:
                return self.pick(scope.bools)
            return self.comparison(scope) if scope.samples else ("==", self.pick(scope.ints), ONE)
        if chance < 0.65:
            return ("not", self.condition(scope, depth - 1))
        operator = self.pick(["and", "or", "and", "or", "=>", "=="])
        return (operator, self.condition(scope, depth - 1), self.condition(scope, depth - 1))

    def block(self, scope: _Scope, length: int, depth: int, times: int = 1) -> Block:
        """Statements, which run `times` times."""
        made: Block = []
        for _ in range(length):
            made += self.statement(scope, depth, times)
        return made

    def copied(self, scope: _Scope) -> Block:
        """A variable that is a sample, or is not, as a draw says, and draws after which nothing else may be needed."""
        sample, copy = self.pick(scope.samples), ("name", self.name("y"))
        drawn, forgotten = self.name("c"), self.name("c")
        other = self.pick([self.constant(), ("+", sample, self.constant()), ("neg", sample), self.sample(scope)])
        scope.samples.append(copy)
        scope.changing.append(copy)
        half = ("bernoulli", Fraction(1, 2))
        chosen = (
            "when",
            self.condition(scope, 0) if self.random.random() < 0.3 else ("name", drawn),
            [("set", copy, other)],
            [],
        )
        scope.bools.append(("name", forgotten))
        return [("var", copy[1], sample), ("draw", drawn, half), chosen, ("draw", forgotten, half)]

    def statement(self, scope: _Scope, depth: int, times: int) -> Block:
        """One statement, or none."""
        chance = self.random.random()
        if chance < 0.35 or not (scope.samples or depth):
            return self.draw(scope, times)
        if chance < 0.38 and scope.samples:
            return self.copied(scope)
        if chance < 0.45 and scope.changing:
            return [("set", self.pick(scope.changing), self.sample(scope))]
        if chance < 0.52:
            name, condition = self.name("b"), self.condition(scope, 2)
            scope.bools.append(("name", name))
            return [(self.pick(["let", "var"]), name, condition)]
        if chance < 0.56:
            name = self.name("c")
            scope.bools.append(("name", name))
            return [("draw", name, ("bernoulli", self.pick([Fraction(1, 2), Fraction(1, 3)])))]
        if chance < 0.61 and len(scope.samples) > 1:
            name, inside = self.name("p"), (self.sample(scope), self.sample(scope))
            is_pair = self.random.random() < 0.5
            parts = ("first", "second") if is_pair else (0, 1)
            scope.samples += [("part", name, part) for part in parts]
            return [("let", name, ("pair" if is_pair else "tuple", *inside))]
        if chance < 0.68:
            return [("emit", ("if", self.condition(scope, 1), ("number", Fraction(self.pick([0, 2]))), ONE))]
        if chance < 0.71 and ("name", "best") in scope.ints:
            return [("set", ("name", "best"), ("if", self.condition(scope, 1), ONE, ("name", "best")))]
        if chance < 0.73:
            return [("tick", ("if", self.condition(scope, 1), ONE, ("number", Fraction(3))))]
        if chance < 0.75 and self.faults:
            return [("assert", self.condition(scope, 2))]
        if depth >= 2:
            return []
        if chance < 0.9:
            ways = [self.block(scope.inner(), self.random.randint(1, 2), depth + 1, times) for _ in range(2)]
            ways[self.random.randint(0, 1)] *= self.random.randint(0, 1)
            if self.random.random() < 0.25:
                ways[0].append(("return", self.condition(scope, 1)))
            if self.random.random() < 0.2:
                return [("match", self.pick(scope.ints), *ways)]
            return [("when", self.condition(scope, 1), *ways)]
        inside, name = scope.inner(), self.name("i")
        inside.ints.append(("name", name))
        if scope.arrays:
            inside.samples.append(("at", "xs", ("name", name)))
            inside.changing.append(("at", "xs", ("name", name)))
        return [("for", name, 2, self.block(inside, self.random.randint(1, 3), depth + 1, times * 2))]
