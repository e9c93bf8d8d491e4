"""Pieces of generated Python: expression trees of bounded depth, over one namespace of constants and functions.

Python compiles only trees of moderate depth, and recurses to do so. So a fragment that has become deep is moved into a
function of its own, of the variables it reads, and a call takes its place: sources nested hundreds of levels, and
sums of a hundred thousand terms, compile and run in bounded depth.

What must hold for all values of the parameters so that a model means something: weights >= 0, divisors != 0.

Recursion without Python's stack: a task is a generator that yields the tasks it needs and returns its result.

Sources nest hundreds of levels, and chains of `else if` far more; Python's own stack holds a thousand calls.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias, TypeVar

from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.faults import EvaluationFault
from pfl.model.code_places import CodePlaces
from pfl.model.distribution import DistributionValue
from pfl.model.parameters import Condition
from pfl.model.values import FALSE, TRUE, BoolValue


@struct
class SideCondition:
    """A condition on the parameters, and the place in the source that needs it."""

    condition: Condition
    place: Span


@struct(frozen=False, kw_only=False)
class SideConditions:
    """Collects side conditions while expressions are evaluated: each once, for the first place that needs it."""

    _found: dict[tuple[Number, str], SideCondition] = field(default_factory=dict)

    def add(self, condition: Condition, place: Span) -> None:
        key = condition.polynomial, condition.relation
        self._found.setdefault(key, SideCondition(condition=condition, place=place))

    def add_weights(self, distribution: DistributionValue, place: Span) -> None:
        """That no weight of a distribution is negative."""
        for condition in distribution.conditions:
            self.add(condition, place)

    def rollback(self, length: int) -> None:
        """Forget all but the first `length` conditions."""
        for key in list(self._found)[length:]:
            del self._found[key]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[SideCondition]:
        return iter(self._found.values())


DEEPEST = 24
"""Fragments of this depth become functions."""


class _Unknown:
    """The constant of a fragment whose value is not known at compile time."""


UNKNOWN: Final = _Unknown()


@struct(kw_only=False)
class Fragment:
    """A Python expression. `names` are the Python variables it reads.

    A *test* yields a Python bool and stands where Python branches; any other fragment yields a value. `constant` is
    what a closed fragment evaluates to, where that is known.
    """

    tree: ast.expr
    depth: int = 1
    names: tuple[str, ...] = ()
    is_test: bool = False
    constant: Any = UNKNOWN

    @property
    def is_known(self) -> bool:
        return self.constant is not UNKNOWN


class Namespace:
    """The globals of generated code: constants, functions, run-time operations, each under a fresh name.

    All names start with an underscore; the names of variables that callers choose must not.
    """

    def __init__(self, operations: Mapping[str, Any], side_conditions: SideConditions) -> None:
        self.globals: dict[str, Any] = {"__builtins__": {}, **operations}
        self._side_conditions = side_conditions
        self._constants: dict[tuple[type, Any, Any], str] = {}
        self._leading: set[str] = set()
        self._next = 0
        self._places: CodePlaces | None = None

    def keep_places(self) -> None:
        """From now on code says by its lines what it was made from."""
        self._places = CodePlaces()
        self._places.enter(self.globals)

    @property
    def keeps_places(self) -> bool:
        """Whether code says what it was made from."""
        return self._places is not None

    def placed(self, fragment: Fragment, span: Span) -> Fragment:
        """The fragment, made from what stands there."""
        if self._places is not None and not fragment.is_known:
            self._places.put(fragment.tree, span)
        return fragment

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        self._next += 1
        return f"_{prefix}{self._next}"

    def constant(self, value: Any) -> Fragment:
        """A fragment for a value known now."""
        if type(value) is int:
            return Fragment(ast.Constant(value), constant=value)
        try:
            key = (type(value), value, getattr(value, "place", None))  # noise is told of where it is written
            name = self._constants.get(key)
        except TypeError:  # a value that has no hash is not shared
            return Fragment(ast.Name(self.bind("k", value), ast.Load()), constant=value)
        if name is None:
            name = self._constants[key] = self.bind("k", value)
        return Fragment(ast.Name(name, ast.Load()), constant=value)

    def bind(self, prefix: str, value: Any) -> str:
        """A fresh name for an object."""
        name = self.fresh(prefix)
        self.globals[name] = value
        return name

    def bind_function(self, function: Callable[..., Any], *, leads_on: bool) -> str:
        """A fresh name for a function of the source."""
        name = self.bind("f", function)
        if leads_on:
            self._leading.add(name)
        return name

    def leads_on(self, *trees: ast.AST) -> bool:
        """Whether evaluation of any of the trees may come to a loop, or to a function from which it goes on."""
        return any(
            isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.Name) and node.id in self._leading)
            for tree in trees
            for node in ast.walk(tree)
        )

    def object(self, value: Any) -> ast.expr:
        """An expression for an object that is no PFL value, such as a syntax node that a fault points at."""
        return ast.Name(self.bind("o", value), ast.Load())

    def combine(
        self,
        build: Callable[..., ast.expr],
        *parts: Fragment,
        is_test: bool = False,
        bound: Sequence[str] = (),
        fold: bool = True,
        levels: int = 1,
    ) -> Fragment:
        """A fragment made of the trees of others: computed now if they are all known, moved into a function if deep.

        `bound` are variables that the new tree binds itself; `levels` is how much deeper it is than its parts.
        """
        names = tuple(variable for variable in union_of_names(parts) if variable not in bound)
        depth = levels + max((part.depth for part in parts), default=0)
        fragment = Fragment(build(*(part.tree for part in parts)), depth, names, is_test)
        if fold and not bound and all(part.is_known for part in parts):
            return self._folded(fragment)
        return fragment if depth < DEEPEST else self.outline([ast.Return(fragment.tree)], names, is_test=is_test)

    def computed_in_steps(
        self, parts: Sequence[Fragment], size: int, build: Callable[[ast.expr, int, list[ast.expr]], ast.expr]
    ) -> Fragment:
        """A long run of parts, computed `size` at a time: `build(computed so far, position of the next, next ones)`."""
        done = "_done"
        body: list[ast.stmt] = [ast.Assign([ast.Name(done, ast.Store())], parts[0].tree)]
        for first in range(1, len(parts), size):
            trees = [part.tree for part in parts[first : first + size]]
            body.append(ast.Assign([ast.Name(done, ast.Store())], build(name(done), first, trees)))
        body.append(ast.Return(name(done)))
        fragment = self.outline(body, union_of_names(parts))
        return self._folded(fragment) if all(part.is_known for part in parts) else fragment

    def _folded(self, fragment: Fragment) -> Fragment:
        """The fragment computed at compile time, unless it fails: it may stand where it is never evaluated."""
        conditions = len(self._side_conditions)
        try:
            value = self.evaluate(fragment)
        except (EvaluationFault, LimitReached):
            return fragment
        if len(self._side_conditions) > conditions:
            self._side_conditions.rollback(conditions)
            return fragment
        return known_test(value) if fragment.is_test else self.constant(value)

    def outline(self, body: Sequence[ast.stmt], names: Iterable[str], *, is_test: bool = False) -> Fragment:
        """A call of a new function with the statements given, of the variables that it reads."""
        read = tuple(names)
        name = self.define("part", read, body)
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(variable, ast.Load()) for variable in read], [])
        return Fragment(call, 2, read, is_test)

    def define(self, prefix: str, parameters: Sequence[str], body: Sequence[ast.stmt]) -> str:
        """The fresh name of a new function."""
        name = self.fresh(prefix)
        if self.leads_on(*body):
            self._leading.add(name)
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(parameter) for parameter in parameters],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        definition = ast.FunctionDef(name=name, args=arguments, body=list(body), decorator_list=[])
        module = ast.fix_missing_locations(ast.Module([definition], []))
        exec(compile(module, "<pfl>", "exec"), self.globals)
        return name

    def function(self, tree: ast.expr, parameters: Sequence[str]) -> Callable[..., Any]:
        """The Python function of the parameters that an expression computes."""
        name = self.define("f", parameters, [ast.Return(tree)])
        function: Callable[..., Any] = self.globals.pop(name)
        return function

    def evaluate(self, fragment: Fragment) -> Any:
        """The value of a fragment that reads no variables."""
        return eval(compile(ast.fix_missing_locations(ast.Expression(fragment.tree)), "<pfl>", "eval"), self.globals)

    def as_value(self, fragment: Fragment) -> Fragment:
        """The fragment with `TRUE` and `FALSE` instead of Python's bools."""
        if not fragment.is_test:
            return fragment
        if fragment.is_known:
            return self.constant(TRUE if fragment.constant else FALSE)
        return self.combine(lambda tree: ast.IfExp(tree, name("_TRUE"), name("_FALSE")), fragment)

    def as_test(self, fragment: Fragment) -> Fragment:
        """The fragment with a Python bool instead of `TRUE` and `FALSE`."""
        if fragment.is_test:
            return fragment
        if isinstance(fragment.constant, BoolValue):
            return known_test(fragment.constant is TRUE)
        return self.combine(lambda tree: ast.Compare(tree, [ast.Is()], [name("_TRUE")]), fragment, is_test=True)


def known_test(holds: bool) -> Fragment:
    """A test whose outcome is known."""
    return Fragment(ast.Constant(holds), is_test=True, constant=holds)


def name(text: str) -> ast.expr:
    """The expression that reads a Python name."""
    return ast.Name(text, ast.Load())


def call(function: str, *arguments: ast.expr) -> ast.expr:
    """The call of a function of the namespace."""
    return ast.Call(name(function), list(arguments), [])


def component(tree: ast.expr, attribute: str, position: int) -> ast.expr:
    """`tree.attribute[position]`."""
    return ast.Subscript(ast.Attribute(tree, attribute, ast.Load()), ast.Constant(position), ast.Load())


def union_of_names(parts: Iterable[Fragment]) -> tuple[str, ...]:
    """The variables that any of the parts reads, in order of first mention."""
    return tuple(dict.fromkeys(variable for part in parts for variable in part.names))


Result = TypeVar("Result")

Task: TypeAlias = "Generator[Task[Any], Any, Result]"


def run(task: Task[Result]) -> Result:
    """The result of a task, and of all tasks that it asks for, in order."""
    waiting: list[Task[Any]] = [task]
    result: Any = None
    while waiting:
        try:
            needed = waiting[-1].send(result)
        except StopIteration as finished:
            waiting.pop()
            result = finished.value
        else:
            waiting.append(needed)
            result = None
    final: Result = result
    return final


def done(result: Result) -> Task[Result]:
    """A task that needs nothing."""
    return result
    yield  # makes this function a generator
