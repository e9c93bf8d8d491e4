"""How each type of the waist is written and read.

The form of a type follows from its fields and their annotations; what would be hard to read so has a form of its own
here. A new field, or a new question, is therefore written and read without a change here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Claim, Origin
from pfl.model.compare import Balance, Side
from pfl.model.interactive import Action, Input, InteractiveSystem, Plts
from pfl.model.labelled_system import Exchange, Hmm, LabelledSystem, Matrix, SparseRow, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Requirement, Results
from pfl.model.parameters import Condition, ExponentialSpace, Parameter, ParameterSpace
from pfl.model.program import Branch, Draw, Program, Receive, Run, Show, Slot, Stop, Tick
from pfl.model.text.apart import Apart
from pfl.model.text.forms import (
    EPSILON,
    FLAG,
    INTEGER,
    NAME,
    NUMBER,
    RATIONAL,
    Choice,
    Fixed,
    Form,
    Listed,
    Mapped,
    Reading,
    Shared,
    Writing,
    optional,
)
from pfl.model.text.lines import NOTHING, Line
from pfl.model.text.matrix_forms import EMISSION, MATRIX, ROW, VECTOR, ByState, Transitions, chain_states
from pfl.model.text.records import Columns, OneOf, OnOneLine, Part, Record, Whole
from pfl.model.text.value_forms import CODE, EXPRESSION, SharedIfLong, Sorted, TextLines, Values
from pfl.model.transition_graph import Label, TransitionGraph
from pfl.model.two_runs import TwoRuns
from pfl.model.two_systems import TwoSystems
from pfl.model.values import Enumeration, RecordShape

LEFT_OUT: Mapping[type, frozenset[str]] = {
    Slot: frozenset({"show", "origin"}),
    Program: frozenset({"namespace"}),
    **{node: frozenset({"origin"}) for node in (Run, Branch, Draw, Show, Receive, Tick, Stop)},
}
"""Fields that no text holds: functions, and places in a source that is not there any more."""

WORDS: Mapping[type, str] = {
    LabelledSystem: "system",
    InteractiveSystem: "interactive",
    TransitionGraph: "graph",
    MarkovChain: "chain",
    ParameterSpace: "parameters",
    Enumeration: "enum",
    RecordShape: "record",
    TwoRuns: "runs",
}
"""Words of types that are not called as their classes are."""


def _own_states(system: Any) -> tuple[object, Sequence[str], int]:
    return system.states, system.states, len(system.states)


def _states_of_runs(runs: TwoRuns) -> tuple[object, Sequence[str], int]:
    return runs, (), 3 * runs.system.size


def _states_of_both(both: TwoSystems) -> tuple[object, Sequence[str], int]:
    return both, (), both.side_by_side.size


SHARED: Mapping[type, Callable[[Any], tuple[object, Sequence[str], int]] | None] = {
    LabelledSystem: _own_states,
    Hmm: _own_states,
    Plts: _own_states,
    InteractiveSystem: _own_states,
    MarkovChain: chain_states,
    TwoRuns: _states_of_runs,
    TwoSystems: _states_of_both,
    TransitionGraph: None,
    Program: None,
    ParameterSpace: None,
    Enumeration: None,
    RecordShape: None,
}
"""What stands under a number of its own, and whose states lines that refer to it may name."""


def word_of(kind: type) -> str:
    """The word that says that something is of a type: `ResultDistribution` is a `result_distribution`."""
    name = kind.__name__
    return WORDS.get(kind) or "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


@cache
def record_of(kind: type) -> Record:
    """The lines of a dataclass, all its fields in order."""
    return Record(kind, word_of(kind), lambda: _parts(kind))


@cache
def form_of_type(kind: type) -> Record | OnOneLine | Shared:
    """The form of a dataclass: on one line, under a number, or a line for each field."""
    if kind in _ON_ONE_LINE:
        return _ON_ONE_LINE[kind]
    return Shared(word_of(kind), record_of(kind), SHARED[kind]) if kind in SHARED else record_of(kind)


def _parts(kind: type) -> list[Part]:
    own = {field: part for part in _OWN_PARTS.get(kind, ()) for field in part.fields}
    parts: list[Part] = []
    for field in fields(kind):
        if field.name in own:
            parts += [own[field.name]] if own[field.name] not in parts else []
        elif field.init and field.name not in LEFT_OUT.get(kind, ()):
            parts.append(_whole(kind, field))
    return sorted(parts, key=lambda part: isinstance(part, Transitions))  # which name states that others describe


def _whole(kind: type, field: Field[Any]) -> Part:
    form = _OWN_FORMS.get((kind, field.name)) or form_of(annotation(kind, field))
    return Whole(field, form, states=field.name == "states")


def annotation(kind: type, field: Field[Any]) -> Any:
    """What is written behind a field; an alias is the very object that the module calls so."""
    if not isinstance(field.type, str):
        return field.type
    return eval(field.type, vars(sys.modules[kind.__module__]))  # `get_type_hints` would make aliases anew


def form_of(hint: Any) -> Form:
    """The form of what an annotation says. Raises TypeError for what has none."""
    for alias, form in _ALIASES:
        if hint is alias:
            return form
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _of_union(arguments)
    if origin is Literal:
        return Choice({word: word for word in arguments})
    if (origin in (tuple, Sequence) and arguments[-1] is Ellipsis) or origin is Sequence:
        return Listed(form_of(arguments[0]))
    if origin is tuple:
        return Fixed(*map(form_of, arguments))
    if origin is frozenset:
        return Listed(form_of(arguments[0]), frozenset, "{}")
    if origin in (Mapping, dict):
        return Mapped(_form_of_key(arguments[0]), form_of(arguments[1]))
    if isinstance(hint, type) and is_dataclass(hint):
        return form_of_type(hint)
    raise TypeError(f"nothing says how {hint} is written")


def _form_of_key(hint: Any) -> Form:
    """The form of what stands before a colon, which is one line: of a dataclass its fields with their names."""
    if not is_dataclass(hint) or hint in _ON_ONE_LINE:
        return form_of(hint)
    assert isinstance(hint, type)
    named = [(field.name, (field.name, form_of(annotation(hint, field)))) for field in fields(hint)]
    return OnOneLine(hint, *(part for parts in named for part in parts))


def _of_union(alternatives: Sequence[Any]) -> Form:
    words: dict[str, Any] = {NOTHING: None} if type(None) in alternatives else {}
    rest = []
    for each in alternatives:
        if get_origin(each) is Literal:
            words |= {word: word for word in get_args(each)}
        elif each is not type(None):
            rest.append(each)
    if not rest:
        return Choice(words)
    if set(rest) == {Fraction, RationalFunction}:
        form: Form = NUMBER
    else:
        form = form_of(rest[0]) if len(rest) == 1 else OneOf({kind: form_of_type(kind) for kind in rest})
    return Choice(words, form) if words else form


class _WhereEquationsHold(Part):
    """`Claim.anew`, as far as it is known which claims it gives."""

    fields, words = ("anew",), ("where",)

    def __init__(self) -> None:
        self._form = Listed(Fixed(_CONDITION, record_of(Claim)))

    def lines(self, record: Any, page: Writing) -> Iterator[str]:
        if isinstance(record.anew, Apart) and record.anew.claims:
            yield from self._form.rows("where", record.anew.claims, page)

    def read(self, word: str, line: Line, found: dict[str, Any], page: Reading) -> None:  # noqa: ARG002
        found["anew"] = Apart(claims=self._form.read(line, page))

    def finish(self, found: dict[str, Any]) -> str | None:
        found.setdefault("anew", None)
        return None


_SHAPES = Shared("record", record_of(RecordShape))
_VALUES = Values(Shared("enum", record_of(Enumeration)), _SHAPES)
_SETS = SharedIfLong("set", Sorted())
_OUTCOMES = SharedIfLong("outcomes", Listed(Fixed(NAME, optional(INTEGER))))
TEXT = Shared("text", TextLines())

_ALIASES: Sequence[tuple[Any, Form]] = ((Vector, VECTOR), (SparseRow, ROW), (Matrix, MATRIX), (Number, NUMBER))
_PLAIN: Mapping[Any, Form] = {
    str: NAME,
    int: INTEGER,
    bool: FLAG,
    Fraction: RATIONAL,
    Epsilon: EPSILON,
    Any: _VALUES,
    frozenset[int]: _SETS,
    ast.expr: EXPRESSION,
    tuple[ast.stmt, ...]: CODE,
}

_KIND = Choice({word: word for word in ("data", "query", "output", "hidden")})
_SHOWN = Choice({word: word for word in ("emit", "return", "respond", "input", "move")})
_ACCOUNT = Choice({word: word for word in ("moves", "turns", "ticks")})
_RELATION = Choice({word: word for word in ("<", "<=", "==", "!=")})
_CONDITION = OnOneLine(Condition, ("polynomial", NUMBER), ("relation", _RELATION), "0 as", ("text", NAME))
_OPENING, _CLOSING = Choice({"(": True, "[": False}), Choice({")": True, "]": False})

_ON_ONE_LINE: Mapping[type, OnOneLine] = {
    Exchange: OnOneLine(Exchange, "given", ("given", optional(NAME)), "seen", ("seen", optional(NAME))),
    Input: OnOneLine(Input, ("kind", _KIND), ("value", _VALUES), "in", ("channel", NAME)),
    Action: OnOneLine(Action, ("kind", _KIND), ("name", NAME)),
    Label: OnOneLine(Label, ("kind", _SHOWN), ("value", _VALUES), ("channel", NAME, "in", "")),
    Condition: _CONDITION,
    Parameter: OnOneLine(
        Parameter,
        ("name", NAME),
        "in",
        ("low_open", _OPENING),
        ("low", RATIONAL),
        ",",
        ("high", RATIONAL),
        ("high_open", _CLOSING),
    ),
    ExponentialSpace: OnOneLine(
        ExponentialSpace,
        ("base", Choice({"1": ONE}, NAME)),
        "in",
        ("low_open", _OPENING),
        ("low", RATIONAL),
        ",",
        ("high", Choice({"inf": None}, RATIONAL)),
        ("high_open", _CLOSING),
        "over",
        ("unit", INTEGER),
    ),
    Requirement: OnOneLine(
        Requirement, ("relation", Choice({w: w for w in ("equals", "at least", "at most")})), ("number", NUMBER)
    ),
    Balance: OnOneLine(Balance, ("epsilon", EPSILON), "as", ("label", NAME)),
    Side: OnOneLine(
        Side,
        ("label", NAME),
        ("vector", VECTOR),
        ("weight", NUMBER, "weight", Fraction(1)),
        ("nonzero", Listed(_CONDITION), "where", ()),
    ),
    Origin: OnOneLine(
        Origin,
        ("file", NAME),
        "from",
        ("line", INTEGER),
        ":",
        ("column", INTEGER),
        "to",
        ("end_line", INTEGER),
        ":",
        ("end_column", INTEGER),
    ),
    Slot: OnOneLine(
        Slot,
        ("identifier", NAME),
        "as",
        ("name", NAME),
        ("hidden", FLAG, "hidden", False),
        ("is_endless", FLAG, "endless", False),
    ),
    Run: OnOneLine(Run, "run", ("code", CODE), "->", ("next", INTEGER)),
    Branch: OnOneLine(
        Branch, "branch", ("condition", EXPRESSION), "->", ("then", INTEGER), "else", ("otherwise", INTEGER)
    ),
    Draw: OnOneLine(
        Draw,
        "draw",
        ("slot", NAME),
        "from",
        ("distribution", EXPRESSION),
        ("partial", FLAG, "partial", False),
        "->",
        ("next", INTEGER),
    ),
    Show: OnOneLine(Show, "show", ("kind", _SHOWN), ("value", EXPRESSION), "->", ("next", INTEGER)),
    Receive: OnOneLine(
        Receive,
        "receive",
        ("slot", NAME),
        "of",
        ("values", Listed(_VALUES)),
        "in",
        ("channel", NAME),
        "->",
        ("next", INTEGER),
    ),
    Tick: OnOneLine(Tick, "tick", ("cost", EXPRESSION), "of", ("counts", _ACCOUNT), "->", ("next", INTEGER)),
    Stop: OnOneLine(Stop, "stop"),
}
"""Dataclasses that stand on one line."""

_OWN_PARTS: Mapping[type, Sequence[Part]] = {
    LabelledSystem: (Columns("letter", "letters", "matrices", MATRIX),),
    InteractiveSystem: (
        Columns("data", "data", "data_moves", MATRIX),
        Columns("query", "queries", "answers", Listed(Fixed(NAME, MATRIX))),
    ),
    MarkovChain: (Transitions(has_size=True),),
    Claim: (_WhereEquationsHold(),),
    TransitionGraph: (Transitions(labels=_ON_ONE_LINE[Label], has_size=False),),
}

_OWN_FORMS: Mapping[tuple[type, str], Form] = {
    (Plts, "transitions"): ByState(Mapped(_ON_ONE_LINE[Action], ROW), dict),
    (Hmm, "emission"): EMISSION,
    (Results, "outcomes"): _OUTCOMES,
    (Claim, "programs"): Listed(TEXT),
}

NUMBERED: Mapping[str, Shared] = {
    form.word: form
    for form in (*map(form_of_type, SHARED), TEXT, _SETS.shared, _OUTCOMES.shared)
    if isinstance(form, Shared)
}
"""What may stand at the margin under a number, by its word."""
