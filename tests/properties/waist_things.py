"""Random things of the waist, and whether two of them are the same in all that they hold.

Systems are built so that they are well formed; every other dataclass is filled as its annotations say, so that new
questions are tried without a change here.
"""

from __future__ import annotations

import ast
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Claim
from pfl.model.interactive import Action, Input, InteractiveSystem, Plts
from pfl.model.labelled_system import Exchange, Hmm, LabelledSystem, Matrix, SparseRow, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import Condition
from pfl.model.program import Program, Receive, Slot, Stop
from pfl.model.text.apart import Apart
from pfl.model.text.descriptions import LEFT_OUT
from pfl.model.transition_graph import Label, TransitionGraph
from pfl.model.values import (
    FALSE,
    NEVER,
    SILENT,
    TRUE,
    UNSET,
    Bag,
    Enumeration,
    MechanismValue,
    RecordShape,
    RecordValue,
    SymbolValue,
    TupleValue,
)

P, Q = RationalFunction.parameter("p"), RationalFunction.parameter("q_1")
Z, E = RationalFunction.parameter("exp(-p/4)"), RationalFunction.parameter("exp(-1)")
NUMBERS: Sequence[Number] = (
    Fraction(1),
    Fraction(-2, 3),
    Fraction(10**30, 7),
    Fraction(10**4100 + 1, 3),
    P,
    -P,
    1 - P,
    P / 3,
    (1 - P) / 2,
    3 * P / (2 * Q),
    P**2 / Q**3,
    (4 - 3 * P) / (12 - 6 * P),
    (P * Q - Q**2 / 5) / (1 + P),
    Z,
    (4 * Z - P * Z**2) / 6,
    (1 - Z**12) / (Z + 3 * E**5),
    1 / (7 * Z**10),
    E**3,
)
WORDS = (
    "a",
    "b",
    "rain",
    "nothing",
    "never",
    "0",
    "",
    "two words",
    'a "quoted" \\',
    "line\nbreak",
    "ö",
    "a -> b",
    "// c",
)

names = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.sampled_from(NUMBERS)
epsilons = st.builds(
    lambda constant, pairs: sum((Epsilon.ln(r) * c for c, r in pairs), Epsilon.rational(constant)),
    st.fractions(max_denominator=9),
    st.lists(
        st.tuples(
            st.fractions(max_denominator=5).filter(bool),
            st.sampled_from([Fraction(2), Fraction(7, 3), P, 1 + P / Q, 1 + Z, Z**-6, Z**2]),
        ),
        max_size=2,
        unique_by=lambda pair: pair[1],
    ),
)

COLOURS = Enumeration("Colour", ("red", "two words", "p"), "paint.pfl")
SHAPES = (RecordShape("Visit", ("who", "long")), COLOURS.shape)
_plain_values = st.one_of(
    st.sampled_from([TRUE, FALSE, NEVER, SILENT, UNSET, *COLOURS.values, MechanismValue("m", 77, None)]),
    names.map(SymbolValue),
    st.integers(-3, 10**20),
    numbers,
)
values = st.recursive(
    _plain_values,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3).map(lambda held: TupleValue(tuple(held))),
        st.frozensets(_plain_values.filter(lambda value: value is not UNSET), max_size=3),
        st.lists(_plain_values.filter(lambda value: value is not UNSET), max_size=3).map(Bag.of),
        st.builds(lambda a, b: RecordValue(SHAPES[0], (a, b)), inner, inner),
        st.builds(lambda a, b, c: RecordValue(SHAPES[1], (a, b, c)), inner, inner, inner),
    ),
    max_leaves=5,
)


@st.composite
def rows(draw: st.DrawFn, size: int) -> SparseRow:
    columns = draw(st.lists(st.integers(0, size - 1), max_size=3, unique=True)) if size else []
    return tuple((column, draw(numbers)) for column in sorted(columns))


def matrices(size: int) -> st.SearchStrategy[Matrix]:
    return st.lists(rows(size), min_size=size, max_size=size).map(tuple)


def vectors(size: int) -> st.SearchStrategy[Vector]:
    return st.lists(numbers | st.just(Fraction(0)), min_size=size, max_size=size).map(tuple)


@st.composite
def state_names(draw: st.DrawFn, least: int = 0) -> tuple[str, ...]:
    plain = st.lists(st.sampled_from(["s", "t", "u", "v"]), min_size=least, max_size=4, unique=True)
    return tuple(draw(plain | st.lists(names, min_size=least, max_size=4)))


def maybe(draw: st.DrawFn, strategy: st.SearchStrategy[Any]) -> Any:
    return draw(st.none() | strategy)


def many(strategy: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[Any]:
    return st.lists(strategy, min_size=size, max_size=size).map(tuple)


@st.composite
def labelled_systems(draw: st.DrawFn) -> LabelledSystem:
    states = draw(state_names(1))
    letters = tuple(draw(st.lists(names, max_size=3)))
    inputs = maybe(draw, many(st.integers(-1, 2), len(letters)))
    return LabelledSystem(
        states=states,
        letters=letters,
        matrices=draw(many(matrices(len(states)), len(letters))),
        stochastic=draw(st.booleans()),
        inputs=inputs,
        channels=None if inputs is None else maybe(draw, many(st.integers(-1, 2), len(letters))),
        exchanges=maybe(draw, many(st.builds(Exchange, st.none() | names, st.none() | names), len(letters))),
        final=maybe(draw, vectors(len(states))),
    )


@st.composite
def hmms(draw: st.DrawFn) -> Hmm:
    states, letters = draw(state_names()), tuple(draw(st.lists(names, max_size=3)))
    size = len(states)
    return Hmm(
        states=states,
        letters=letters,
        start=maybe(draw, vectors(size)),
        transition=draw(matrices(size)),
        emission=draw(many(rows(len(letters)), size)),
        silent=draw(vectors(size)),
    )


@st.composite
def markov_chains(draw: st.DrawFn) -> MarkovChain:
    states = draw(state_names(1))
    weights = tuple(draw(st.lists(numbers, min_size=1, unique=True, max_size=4)))
    costs = (Fraction(0), Fraction(1), P) if draw(st.booleans()) else ()
    offsets, targets, chosen, costing = _transitions(draw, len(states), weights, costs)
    return MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=chosen,
        weight_table=weights,
        costs=costing if costs else None,
        cost_table=costs,
        names=states if draw(st.booleans()) else (),
    )


def _transitions(
    draw: st.DrawFn, size: int, weights: Sequence[Number], costs: Sequence[Number]
) -> tuple[array[int], array[int], array[int], array[int]]:
    offsets, targets, chosen, costing = array("q", [0]), array("i"), array("i"), array("i")
    for _ in range(size):
        for _ in range(draw(st.integers(0, 3))):
            targets.append(draw(st.integers(0, size - 1)))
            chosen.append(draw(st.integers(0, len(weights) - 1)))
            if costs:
                costing.append(draw(st.integers(0, len(costs) - 1)))
        offsets.append(len(targets))
    return offsets, targets, chosen, costing


@st.composite
def interactive_systems(draw: st.DrawFn) -> InteractiveSystem:
    states = draw(state_names(1))
    size = len(states)
    data, queries = tuple(draw(st.lists(names, max_size=2))), tuple(draw(st.lists(names, max_size=2)))
    pairs = st.lists(st.tuples(names, matrices(size)), max_size=2).map(tuple)
    return InteractiveSystem(
        states=states,
        start=draw(vectors(size)),
        data=data,
        data_moves=draw(many(matrices(size), len(data))),
        queries=queries,
        answers=draw(many(pairs, len(queries))),
        values=draw(st.just(()) | many(st.tuples(st.tuples(names, values)), size)),
        shown=tuple(draw(st.lists(values, max_size=2))),
        responding=maybe(draw, st.frozensets(st.integers(0, size - 1))),
    )


@st.composite
def pltss(draw: st.DrawFn) -> Plts:
    states = draw(state_names())
    kinds = st.sampled_from(["data", "query", "output", "hidden"])
    actions = tuple(draw(st.lists(st.builds(Action, kinds, names), unique=True, max_size=3)))
    moves = st.dictionaries(st.sampled_from(actions), rows(len(states)), max_size=2) if actions else st.just({})
    return Plts(
        states=states,
        start=draw(vectors(len(states))),
        actions=actions,
        transitions=draw(many(moves, len(states))),
    )


PROGRAM = Program(
    name="m",
    slots=(Slot(identifier="x", name="x"), Slot(identifier="rest_1", name="rest", hidden=True)),
    nodes=(Receive(slot="x", channel="in", values=(1, SymbolValue("a")), next=1), Stop()),
    inputs=("x",),
    results=("x",),
)


@st.composite
def graphs(draw: st.DrawFn) -> TransitionGraph:
    size = draw(st.integers(1, 4))
    weights = tuple(draw(st.lists(numbers, min_size=1, unique=True, max_size=4)))
    costs = (Fraction(0), Fraction(1)) if draw(st.booleans()) else ()
    offsets, targets, chosen, costing = _transitions(draw, size, weights, costs)
    kinds = st.sampled_from(["emit", "return", "respond", "input", "move"])
    shown = values | st.builds(Input, st.sampled_from(["data", "query"]), names, values)
    labels = (None, *draw(st.lists(st.builds(Label, kinds, shown, st.just("") | names), max_size=3)))
    return TransitionGraph(
        program=PROGRAM,
        states=tuple((draw(st.sampled_from([-1, 0, 1])), *draw(st.lists(values, max_size=2))) for _ in range(size)),
        starts=tuple(draw(st.lists(st.integers(0, size - 1), max_size=2))),
        offsets=offsets,
        targets=targets,
        weights=chosen,
        labels=array("i", [draw(st.integers(0, len(labels) - 1)) for _ in targets]),
        weight_table=weights,
        label_table=labels,
        live=(("x",), ()),
        costs=costing if costs else None,
        cost_table=costs,
    )


SYSTEMS: Mapping[type, st.SearchStrategy[Any]] = {
    LabelledSystem: labelled_systems(),
    Hmm: hmms(),
    MarkovChain: markov_chains(),
    InteractiveSystem: interactive_systems(),
    Plts: pltss(),
    TransitionGraph: graphs(),
}


def things(kind: type) -> st.SearchStrategy[Any]:
    """Random things of a type of the waist."""
    if kind in SYSTEMS:
        return SYSTEMS[kind]
    return st.deferred(lambda: _filled(kind))


@st.composite
def _filled(draw: st.DrawFn, kind: type) -> Any:
    """A dataclass whose fields hold whatever their annotations allow; defaults as often as not."""
    given: dict[str, Any] = {}
    for field in fields(kind):
        if not field.init or field.name in LEFT_OUT.get(kind, ()):
            continue
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        if has_default and draw(st.booleans()):
            continue
        annotation = field.type
        if field.name == "anew":
            equations = things(Condition)
            if draw(st.integers(0, 5)) == 5:
                given["anew"] = Apart(claims=((draw(equations), draw(_filled(Claim))),))
            continue
        if isinstance(annotation, str):
            annotation = eval(annotation, vars(sys.modules[kind.__module__]))
        given[field.name] = draw(_of(annotation))
    return kind(**given)


def _of(hint: Any) -> st.SearchStrategy[Any]:
    plain: dict[Any, st.SearchStrategy[Any]] = {
        str: names,
        int: st.integers(-2, 10**12),
        bool: st.booleans(),
        Fraction: st.fractions(max_denominator=9),
        RationalFunction: numbers.filter(lambda number: isinstance(number, RationalFunction)),
        Epsilon: epsilons,
        Any: values,
        ast.expr: st.just(ast.parse("x + 1", mode="eval").body),
        tuple[ast.stmt, ...]: st.just(tuple(ast.parse("x = 1\ny = (x, 'a')").body)),
        type(None): st.none(),
        SparseRow: rows(1),
    }
    if hint in plain:
        return plain[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(_of, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is Sequence or (origin is tuple and arguments[-1] is Ellipsis):
        return st.lists(_of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(_of, arguments))
    if origin is frozenset:
        return st.frozensets(_of(arguments[0]), max_size=3)
    if origin is Mapping:
        return st.dictionaries(_of(arguments[0]), _of(arguments[1]), max_size=2)
    assert is_dataclass(hint), hint
    return things(hint)


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two things differ, in all that they hold; tables of numbers and labels do not count, what they say does."""
    if isinstance(one, (MarkovChain, TransitionGraph)) and type(one) is type(other):
        pairs = [(each, _transitions_of(one), _transitions_of(other)) for each in [f"{path}.transitions"]]
        tables = {"offsets", "targets", "weights", "labels", "weight_table", "label_table", "costs", "cost_table"}
        pairs += [
            (f"{path}.{f.name}", getattr(one, f.name), getattr(other, f.name))
            for f in fields(one)
            if f.name not in tables
        ]
        return [found for where, left, right in pairs for found in differences(left, right, where)]
    if isinstance(one, MechanismValue):
        return [] if one.name == other.name else [path]
    if isinstance(one, ast.AST):
        return [] if ast.dump(one) == ast.dump(other) else [path]
    if isinstance(one, Mapping):
        return differences(list(one.items()), list(other.items()), path)
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        if len(one) != len(other):
            return [f"{path}: {len(one)} and {len(other)}"]
        return [found for place, pair in enumerate(zip(one, other)) for found in differences(*pair, f"{path}[{place}]")]
    if isinstance(one, frozenset) and not all(isinstance(each, int) for each in one):
        from pfl.model.values import in_order

        return differences(in_order(one), in_order(other), path)
    if isinstance(one, Epsilon):
        return [] if (one.constant, set(one.logarithms)) == (other.constant, set(other.logarithms)) else [path]
    if is_dataclass(one) and not isinstance(one, RationalFunction):
        if type(one) is not type(other):
            return [f"{path}: {type(one)} and {type(other)}"]
        kept = [f.name for f in fields(one) if f.name not in LEFT_OUT.get(type(one), ()) and f.init]
        return [
            found for name in kept for found in differences(getattr(one, name), getattr(other, name), f"{path}.{name}")
        ]
    return [] if one == other else [f"{path}: {one!r} and {other!r}"]


def _transitions_of(graph: Any) -> list[Any]:
    result = []
    for state in range(graph.size):
        costs = [None if graph.costs is None else graph.cost_table[graph.costs[edge]] for edge in graph.row(state)]
        result.append([list(graph.transitions(state)), costs])
    return [*result, graph.costs is None]
