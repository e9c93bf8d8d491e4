"""What the declarations of a program stand for, once the numbers in it are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pfl.base.number import Number
from pfl.frontend.ast_globals import Const, EnumDecl, Param, RecordDecl
from pfl.frontend.compile.side_conditions import SideConditions
from pfl.ir.parameters import Condition, ParameterSpace
from pfl.ir.values import Enumeration, RecordShape, Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GlobalValues:
    """Values of constants and parameters, and the enums and records, each by the identity of its declaration.

    A parameter is a `RationalFunction`, or a `Fraction` where `--set` fixes it. `space` has those that are not fixed,
    and `has_parameters` says whether there are any. `equations` are those under which a claim is judged apart.
    `side_conditions` grows while expressions are evaluated.
    """

    constants: Mapping[int, Value] = field(default_factory=dict)
    parameters: Mapping[int, Number] = field(default_factory=dict)
    enumerations: Mapping[int, Enumeration] = field(default_factory=dict)
    shapes: Mapping[int, RecordShape] = field(default_factory=dict)
    has_parameters: bool = False
    space: ParameterSpace = field(default_factory=ParameterSpace)
    equations: tuple[Condition, ...] = ()
    side_conditions: SideConditions = field(default_factory=SideConditions)

    def constant(self, declaration: Const) -> Value:
        return self.constants[id(declaration)]

    def parameter(self, declaration: Param) -> Number:
        return self.parameters[id(declaration)]

    def enumeration(self, declaration: EnumDecl) -> Enumeration:
        return self.enumerations[id(declaration)]

    def shape(self, declaration: RecordDecl) -> RecordShape:
        return self.shapes[id(declaration)]
