"""Random mechanisms: the labelled system gives every run the probability that summing over all paths gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.source import SourceFile
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.options import Options
from pfl.passes.labelled import labelled
from pfl.passes.lump import lump
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.typecheck.program import check_program

VARIABLES = ("x", "y", "z")
Weights = tuple[int, int, int]
Trace = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Assign:
    target: str
    left: str
    right: str
    offset: int


@dataclass(frozen=True)
class Draw:
    target: str
    shift: str
    weights: Weights


@dataclass(frozen=True)
class Called:
    """`target ~ helper(v)`, a mechanism with a loop: 0 with 3/4, v otherwise."""

    target: str
    argument: str


@dataclass(frozen=True)
class Passed:
    """`speaker(v);`, a mechanism that emits v or 0."""

    argument: str


@dataclass(frozen=True)
class If:
    left: str
    bound: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Match:
    subject: str
    first: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True)
class For:
    """`form` says how the domain is written: a constant range, a range up to a variable, or a list of variables."""

    form: str
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class While:
    """Two turns."""

    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Show:
    word: str
    value: str


Statement = Assign | Draw | Called | Passed | If | Match | For | While | Show

names = st.sampled_from(VARIABLES)
simple = st.one_of(
    st.builds(Assign, names, names, names, st.integers(0, 2)),
    st.builds(Draw, names, names, st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))),
    st.builds(Called, names, names),
    st.builds(Passed, names),
    st.builds(Show, st.sampled_from(["emit", "emit", "return"]), names),
)


def blocks(inner: st.SearchStrategy[Statement], largest: int = 3) -> st.SearchStrategy[tuple[Statement, ...]]:
    return st.lists(inner, max_size=largest).map(tuple)


statements = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(If, names, st.integers(0, 2), blocks(inner, 2), blocks(inner, 2)),
        st.builds(Match, names, blocks(inner, 2), blocks(inner, 2)),
        st.builds(For, st.sampled_from(["constant", "variable", "list"]), blocks(inner, 2)),
        st.builds(While, blocks(inner, 2)),
    ),
    max_leaves=5,
)


class Text:
    """The program as source; loop variables and counters get fresh names."""

    def __init__(self) -> None:
        self.fresh = 0

    def block(self, body: tuple[Statement, ...]) -> str:
        return " ".join(map(self.statement, body))

    def statement(self, node: Statement) -> str:
        self.fresh += 1
        number = self.fresh
        match node:
            case Assign(target, left, right, offset):
                return f"{target} = ({left} + {right} + {offset}) mod 3;"
            case Draw(target, shift, weights):
                entries = ", ".join(f"({shift} + {k}) mod 3: {w}/{sum(weights)}" for k, w in enumerate(weights))
                return f"{target} ~ {{ {entries} }};"
            case Called(target, argument):
                return f"{target} ~ helper({argument});"
            case Passed(argument):
                return f"speaker({argument});"
            case If(left, bound, then, otherwise):
                return f"if {left} <= {bound} {{ {self.block(then)} }} else {{ {self.block(otherwise)} }}"
            case Match(subject, first, other):
                return f"match {subject} {{ 0 | 2 => {{ {self.block(first)} }} _ => {{ {self.block(other)} }} }}"
            case For(form, body):
                domain = {"constant": "0..1", "variable": "1..x", "list": "[x, z]"}[form]
                return f"for i{number} in {domain} {{ {self.block(body)} y = (y + i{number}) mod 3; }}"
            case While(body):
                turn = f"c{number} = c{number} + 1; {self.block(body)}"
                return f"var c{number} = 0; while c{number} < 2 {{ {turn} }}"
            case Show(word, value):
                return f"{word} {value};"


SOURCE = """
mechanism helper(v: 0..2) -> 0..2 {{
    while true {{
        let first ~ bernoulli(1/2);
        if first {{ return 0; }}
        let second ~ bernoulli(1/3);
        if second {{ return v; }}
    }}
}}
mechanism speaker(v: 0..2) emits 0..2 {{ let spoken ~ bernoulli(1/3); if spoken {{ emit v; return; }} emit 0; }}
mechanism tested(x0: 0..2) emits 0..2 -> 0..2 {{
    var x: 0..2 = x0; var y: 0..2 = 0; var z: 0..2 = 1;
    {body}
    return z;
}}
"""

HELPED = Fraction(3, 4)  # first: 1/2 at once; second: 1/6; else again: 1/2 / (1/2 + 1/6)

Values = dict[str, int]
Run = tuple[Fraction, Values, Trace, bool]


def paths(body: tuple[Statement, ...], run: Run) -> Iterator[Run]:
    """All ways through a block: probability, values, what was shown, and whether the run has ended."""
    if not body or run[3]:
        yield run
        return
    for after in step(body[0], run):
        yield from paths(body[1:], after)


def step(node: Statement, run: Run) -> Iterator[Run]:
    weight, values, trace, _ = run
    match node:
        case Assign(target, left, right, offset):
            yield weight, {**values, target: (values[left] + values[right] + offset) % 3}, trace, False
        case Draw(target, shift, weights):
            for k, w in enumerate(weights):
                if w:
                    drawn = (values[shift] + k) % 3
                    yield weight * Fraction(w, sum(weights)), {**values, target: drawn}, trace, False
        case Called(target, argument):
            yield weight * HELPED, {**values, target: 0}, trace, False
            yield weight * (1 - HELPED), {**values, target: values[argument]}, trace, False
        case Passed(argument):
            yield weight / 3, values, (*trace, ("emit", values[argument])), False
            yield weight * 2 / 3, values, (*trace, ("emit", 0)), False
        case If(left, bound, then, otherwise):
            yield from paths(then if values[left] <= bound else otherwise, run)
        case Match(subject, first, other):
            yield from paths(other if values[subject] == 1 else first, run)
        case For(form, body):
            domains = {"constant": [0, 1], "variable": range(1, values["x"] + 1), "list": [values["x"], values["z"]]}
            yield from turns(body, list(domains[form]), run)
        case While(body):
            yield from turns(body, [0, 0], run)
        case Show(word, value):
            yield weight, values, (*trace, (word, values[value])), word == "return"


def turns(body: tuple[Statement, ...], elements: list[int], run: Run) -> Iterator[Run]:
    if not elements or run[3]:
        yield run
        return
    for weight, values, trace, ended in paths(body, run):
        after = values if ended else {**values, "y": (values["y"] + elements[0]) % 3}
        yield from turns(body, elements[1:], (weight, after, trace, ended))


def mechanisms(source: str) -> tuple[Mechanisms, MechanismDecl]:
    def nothing(path: str) -> SourceFile:
        raise OSError(path)

    program, diagnostics = check_program(load_program(SourceFile(name="test.pfl", text=source), nothing))
    assert program is not None, diagnostics
    values, _ = elaborate_globals(program, Options())
    declaration = program.main.declarations[-1]
    assert isinstance(declaration, MechanismDecl)
    return Mechanisms(program, values, Budget()), declaration


@given(blocks(statements, 4))
@settings(max_examples=60, deadline=None)
def test_runs_have_the_probability_of_their_paths(body: tuple[Statement, ...]) -> None:
    built, declaration = mechanisms(SOURCE.format(body=Text().block(body)))
    lowered = built.program_of(declaration, ())
    starts = [(value,) for value in range(3)]
    result = labelled(built.graph(lowered, starts), Budget()).noting(Divisors())
    merged = lump(result.system, Budget())
    system = merged.system
    returns_apart = any(letter.startswith("return ") for letter in system.letters)
    for (x,), start in zip(starts, result.left):
        expected: dict[Trace, Fraction] = {}
        for weight, values, trace, ended in paths(body, (Fraction(1), {"x": x, "y": 0, "z": 1}, (), False)):
            whole = trace if ended else (*trace, ("return", values["z"]))
            expected[whole] = expected.get(whole, Fraction(0)) + weight
        vector = system.vector(merged.start(start))
        for trace, weight in expected.items():
            texts = [f"return {v}" if word == "return" and returns_apart else str(v) for word, v in trace]
            word = [system.letters.index(text) for text in [*texts, "halt"]]
            assert system.mass(vector, word) == weight
        assert sum(expected.values()) == 1
        if result.longest is not None:
            assert max(map(len, expected)) <= result.longest
