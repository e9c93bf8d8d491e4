"""The state of one run of the checker, and the two ways into it: an expression, a declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from pfl.base.diagnostics import Diagnostics
from pfl.base.struct import struct
from pfl.syntax.tree.ast import Expr, Identifier, Node
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, Assume, DistDecl, FnDecl, Import, MechanismDecl
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl, TopLevel
from pfl.typecheck.bindings import Global, Local, LocalKind, Target
from pfl.typecheck.facts import SystemFacts
from pfl.typecheck.fitting import ERROR, assignable
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Scope
from pfl.typecheck.type_errors import type_mismatch
from pfl.typecheck.types import Type


@struct
class Want:
    """What the surroundings of an expression offer it. `if` and `match` hand it on to their branches.

    `type` is a hint (what `empty` is empty of); whether it fits is the caller's to check. `symbols` says whether an
    undeclared name stands for itself; `declared` is where it would, had the system not declared its outputs. `silent`
    gives that name its meaning. `states` are table states that a name means as values. `logarithms` allows `ln`.
    `emits` allows the call of a mechanism that emits. `group` is the distribution or row that a symbol is a key of.
    """

    type: Type | None = None
    symbols: Literal["unknown", "allowed", "declared"] = "unknown"
    silent: bool = False
    states: Mapping[str, Local] | None = None
    logarithms: bool = False
    emits: bool = False
    group: int | None = None

    def of(self, type_: Type | None) -> Want:
        """The same with another type."""
        return replace(self, type=type_)


NOTHING = Want()

Rule: TypeAlias = Callable[["Checker", Any, Scope, Want], Type]
"""How one kind of expression is checked: its type, ERROR where it has none (and that was reported)."""

DeclarationRule: TypeAlias = Callable[["Checker", Any, ModuleNames], None]


class Checker:
    """One run over a program: the tables that it fills, and what it found.

    Keyed by the identity of a declaration: `results` are the types of constants, and of what functions, distributions
    and mechanisms give; `facts` is what is known of systems; `worlds` what priors draw; `symbols` what declarations can
    produce; `written` the types of locals as the source says them. `logarithms` counts the calls of `ln` so far.
    """

    def __init__(
        self,
        names: Mapping[str, ModuleNames],
        expression_rules: Mapping[type, Rule],
        declaration_rules: Mapping[type, DeclarationRule],
    ) -> None:
        self.names = names
        self.found = Diagnostics()
        self.targets: dict[int, Target] = {}
        self.types: dict[int, Type] = {}
        self.results: dict[int, Type | None] = {}
        self.written: dict[int, Expr] = {}
        self.logarithms = 0
        self.facts: dict[int, SystemFacts] = {}
        self.worlds: dict[int, dict[str, Local]] = {}
        self.symbols: dict[int, set[str]] = {}
        self._expression_rules = expression_rules
        self._declaration_rules = declaration_rules
        self._done: set[int] = set()
        self._open: list[TopLevel] = []
        self._circular: set[int] = set()

    # --- expressions ---------------------------------------------------------

    def expression(self, node: Expr, scope: Scope, want: Want = NOTHING) -> Type:
        """The type of an expression, with all its parts resolved and typed; ERROR where a fault was reported."""
        type_ = self._expression_rules[type(node)](self, node, scope, want)
        self.types[id(node)] = type_
        return type_

    def fitting(self, node: Expr, scope: Scope, wanted: Type, what: str, want: Want = NOTHING) -> Type:
        """The type of an expression that must have a certain type. `what` says what it is, for `what must be ..`."""
        actual = self.expression(node, scope, want.of(wanted))
        if not assignable(actual, wanted):
            self.found.add(type_mismatch(node, what, wanted, actual))
            return ERROR
        return actual

    # --- names ---------------------------------------------------------------

    def bind(self, node: Node, target: Target) -> None:
        """Records what a name means."""
        self.targets[id(node)] = target

    def target(self, node: Node) -> Target | None:
        """What a name means; None where that is unknown."""
        return self.targets.get(id(node))

    def declare(
        self, scope: Scope, kind: LocalKind, name: Identifier, type_: Type, written: Expr | None = None
    ) -> Local:
        """Makes a local known in a scope, and reports it where it hides what it may not hide. `written` is its type, or
        what it goes through, as the source says it."""
        local = Local(kind=kind, name=name, type=type_)
        if written is not None:
            self.written[id(local)] = written
        self.bind(name, local)
        if name.text != "_":
            if (earlier := scope.find(name.text)) is not None:
                self.found.add(name_errors.local_hides_local(name, earlier))
            elif values := scope.owner.names.enum_values.get(name.text):
                self.found.add(name_errors.hides_enum_value(name, values[0]))
            scope.put(local)
        return local

    # --- declarations --------------------------------------------------------

    def ensure(self, declaration: Global, reference: Node) -> bool:
        """Checks a declaration now, unless it was; False where it is part of a circle, which is then reported."""
        if id(declaration) in self._done:
            return id(declaration) not in self._circular
        if any(declaration is entry for entry in self._open):
            self._report_circle(declaration, reference)
            return False
        self._open.append(declaration)
        module = self.names[declaration.span.file.name]
        self._declaration_rules[type(declaration)](self, declaration, module)
        self._open.pop()
        self._done.add(id(declaration))
        return True

    def check_top_level(self, declaration: TopLevel, module: ModuleNames) -> None:
        """Checks a declaration of the file, named or not."""
        rule = self._declaration_rules.get(type(declaration))
        if rule is None or id(declaration) in self._done:
            return
        self._open.append(declaration)
        rule(self, declaration, module)
        self._open.pop()
        self._done.add(id(declaration))

    def _report_circle(self, declaration: Global, reference: Node) -> None:
        start = next(position for position, entry in enumerate(self._open) if entry is declaration)
        circle = self._open[start:]
        if any(id(entry) in self._circular for entry in circle):
            return
        self._circular.update(id(entry) for entry in circle)
        unnamed = Import | Assume | ClaimDecl | FindDecl
        names = tuple(entry.name.text for entry in circle if not isinstance(entry, unnamed))
        is_call = all(isinstance(entry, FnDecl | DistDecl | MechanismDecl | AdjacencyDecl) for entry in circle)
        self.found.add(name_errors.circular_definition(reference, names, is_call))
