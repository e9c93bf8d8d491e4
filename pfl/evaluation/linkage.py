"""What all generated code of a program shares: its namespace, and its functions, compiled when first called.

What the declarations of a program stand for, once the numbers in it are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.fragment import Namespace, SideConditions
from pfl.model.distribution import DistributionValue
from pfl.model.noise import SampleMisused
from pfl.model.parameters import Condition, HalfLine, ParameterSpace
from pfl.model.values import Enumeration, MechanismValue, RecordShape, Value
from pfl.syntax.tree.ast import (
    Call,
    Comprehension,
    DistributionComprehension,
    KeyedComprehension,
    Name,
    Node,
    Quantified,
    SetFilter,
)
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    MechanismDecl,
    Param,
    RecordDecl,
)
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck.bindings import Builtin, CheckedProgram


@struct(eq=False)
class GlobalValues:
    """Values of constants and parameters, and the enums and records, each by the identity of its declaration.

    A parameter is a `RationalFunction`, or a `Fraction` where `--set` fixes it. `space` has those that are not fixed,
    and `has_parameters` says whether there are any, or powers of e, which are computed with in the same way.
    `equations` are those under which a claim is judged apart.
    `side_conditions` grows while expressions are evaluated. `endless` are the parameters without an upper end, which
    are not in `space`, and `units` what exponents are multiples of: of eps/4 where `units["eps"]` is 4, of eps without.
    `sought` are the names that a `find` looks for, which may be factors of other parameters in an epsilon.
    """

    constants: Mapping[int, Value] = field(default_factory=dict)
    parameters: Mapping[int, Number] = field(default_factory=dict)
    enumerations: Mapping[int, Enumeration] = field(default_factory=dict)
    shapes: Mapping[int, RecordShape] = field(default_factory=dict)
    has_parameters: bool = False
    space: ParameterSpace = field(default_factory=ParameterSpace)
    equations: tuple[Condition, ...] = ()
    endless: Mapping[str, HalfLine] = field(default_factory=dict)
    units: Mapping[str, int] = field(default_factory=dict)
    sought: frozenset[str] = frozenset()
    side_conditions: SideConditions = field(default_factory=SideConditions)

    def constant(self, declaration: Const) -> Value:
        return self.constants[id(declaration)]

    def parameter(self, declaration: Param) -> Number:
        return self.parameters[id(declaration)]

    def enumeration(self, declaration: EnumDecl) -> Enumeration:
        return self.enumerations[id(declaration)]

    def shape(self, declaration: RecordDecl) -> RecordShape:
        return self.shapes[id(declaration)]


Called: TypeAlias = FnDecl | AdjacencyDecl | DistDecl | MechanismDecl
"""What has parameters and is called in expressions."""

MechanismDistribution: TypeAlias = Callable[[MechanismDecl, tuple[Value, ...]], DistributionValue]
"""The distribution of a mechanism's result for given inputs: found by exploring its program."""

REMEMBERED = 1 << 16
"""How many different arguments something is remembered for."""


Remembered = TypeVar("Remembered")


def remembering(compute: Callable[..., Remembered], *, may_hold_samples: bool) -> Callable[..., Remembered]:
    """A function that remembers its results, but for arguments that hold samples."""
    remembered = lru_cache(REMEMBERED)(compute)
    if not may_hold_samples:
        return remembered

    def unless_sampled(*arguments: Any) -> Remembered:
        try:
            hash(arguments)
        except SampleMisused:
            return compute(*arguments)
        return remembered(*arguments)

    return unless_sampled


@struct(eq=False, frozen=False)
class Linkage:
    """The functions of a program, by the identity of their declaration.

    `compile_function` and `compile_check` make the body of a called declaration and the check of its arguments.
    `parts_of_types` counts what each declared type is made of.
    """

    program: CheckedProgram
    globals: GlobalValues
    namespace: Namespace
    limit: int
    mechanism_distribution: MechanismDistribution | None
    compile_function: Callable[[Linkage, Called], Callable[..., Any]]
    compile_check: Callable[[Linkage, Called], Callable[..., Any]]
    parts_of_types: dict[int, int] = field(default_factory=dict)
    _functions: dict[int, str] = field(default_factory=dict)
    _checks: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.namespace.globals["_call_mechanism"] = self.call_mechanism

    def function(self, declaration: Called) -> str:
        """The name of the Python function that a declaration becomes; it takes the arguments in order."""
        return self._lazily(self._functions, declaration, self.compile_function)

    def argument_check(self, declaration: Called) -> str:
        """The name of a function of arguments and their places that gives the arguments, or a fault."""
        return self._lazily(self._checks, declaration, self.compile_check)

    def call_mechanism(self, mechanism: MechanismValue, arguments: tuple[Value, ...], places: Sequence[Span]) -> Any:
        """The distribution of the result of a mechanism that is a value."""
        known = self.namespace.globals
        checked = known[self.argument_check(mechanism.declaration)](*arguments, places)
        return known[self.function(mechanism.declaration)](*checked)

    def leads_on(self, declaration: Called) -> bool:
        """Whether one call may be more work than the text of the declaration says: it has a loop, or calls another."""
        return any(self._is_work(node) for node in descendants(declaration))

    def _is_work(self, node: Node) -> bool:
        if isinstance(node, Call):
            callee = self.program.target(node.callee) if isinstance(node.callee, Name) else None
            return not isinstance(callee, Builtin | RecordDecl)
        return isinstance(node, Comprehension | DistributionComprehension | KeyedComprehension | Quantified | SetFilter)

    def _lazily(
        self, names: dict[int, str], declaration: Called, compile_now: Callable[[Linkage, Called], Callable[..., Any]]
    ) -> str:
        known = names.get(id(declaration))
        if known is not None:
            return known

        def stub(*arguments: Any) -> Any:
            compiled = self.namespace.globals[name] = compile_now(self, declaration)
            return compiled(*arguments)

        name = names[id(declaration)] = self.namespace.bind_function(stub, leads_on=self.leads_on(declaration))
        return name
