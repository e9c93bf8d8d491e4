"""Constants, parameters and assumptions get their values: what `--set` says, else what the source says.

In which order declarations are evaluated: each after the constants and parameters that it mentions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias, TypeVar, assert_never

from pfl.analysis.polynomial.elimination import reduce_pinned
from pfl.base.budget import Budget, ProgressReport, moment_after, silent
from pfl.base.diagnostics import Diagnostic, Diagnostics, LimitReached
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import Exponential, FinerUnit
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import EvaluationFault
from pfl.evaluation.globals.assumptions import Clause, assumption
from pfl.evaluation.globals.global_errors import (
    assumed_of_endless,
    assumption_violated,
    empty_interval,
    interval_depends_on_parameter,
    interval_text,
    limit_reached,
    setting_does_not_fit,
    unknown_setting,
)
from pfl.evaluation.linkage import GlobalValues
from pfl.model.parameters import Condition, HalfLine, Parameter, ParameterSpace, names_in
from pfl.model.values import Enumeration, RecordShape, Value
from pfl.options import Options
from pfl.syntax.spelling import closest
from pfl.syntax.tree.ast import Expr, Identifier, Name, Node
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    Assume,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    Param,
    RecordDecl,
    TypeDecl,
)
from pfl.syntax.tree.tree_walk import children
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.fitting import a
from pfl.typecheck.types import IntType, RealType

Evaluated: TypeAlias = Const | Param | Assume
_Followed: TypeAlias = Evaluated | FnDecl | DistDecl | AdjacencyDecl | TypeDecl | RecordDecl


def in_order_of_dependency(program: CheckedProgram) -> list[tuple[Evaluated, frozenset[int]]]:
    """Constants, parameters and assumptions that are needed, of all modules, with the identities of what each needs,
    also through functions and types. The checker has refused circular definitions."""
    followed = list(_followed(program))
    direct = {id(declaration): list(_mentions(program, declaration)) for declaration in followed}
    needs: dict[int, frozenset[int]] = {}
    ordered: list[tuple[Evaluated, frozenset[int]]] = []
    for declaration in followed:
        for finished in _depth_first(declaration, direct, needs):
            needs[id(finished)] = _all_below(direct[id(finished)], needs)
            if isinstance(finished, Evaluated):
                ordered.append((finished, needs[id(finished)]))
    return ordered


def _all_below(mentioned: Iterable[_Followed], needs: dict[int, frozenset[int]]) -> frozenset[int]:
    return frozenset().union(
        {id(other) for other in mentioned if isinstance(other, Evaluated)}, *(needs[id(other)] for other in mentioned)
    )


def _followed(program: CheckedProgram) -> Iterator[_Followed]:
    """The declarations of the main file, and those of others that it needs: a library's own claims do not count."""
    used = _used(program) if len(program.modules) > 1 else set[int]()
    for module in program.modules:
        for declaration in module.declarations:
            if isinstance(declaration, _Followed) and (module is program.main or id(declaration) in used):
                yield declaration


def _used(program: CheckedProgram) -> set[int]:
    """What the main file mentions, directly or through other declarations, and what is assumed of those parameters."""
    assumed: dict[int, list[Node]] = {}
    for module in program.modules:
        for declaration in module.declarations:
            if isinstance(declaration, Assume):
                for mentioned in _mentions(program, declaration):
                    assumed.setdefault(id(mentioned), []).append(declaration)
    used: set[int] = set()
    pending: list[Node] = list(program.main.declarations)
    while pending:
        node = pending.pop()
        if isinstance(node, Name | Identifier):
            target = program.target_or_none(node)
            if isinstance(target, Node) and id(target) not in used:
                used.add(id(target))
                pending += assumed.get(id(target), ())
                if target.span.file is not program.main.file:  # all of that one is looked at as it is
                    pending.append(target)
        elif isinstance(node, Assume):
            used.add(id(node))
        pending.extend(children(node))
    return used


def _mentions(program: CheckedProgram, declaration: Node) -> Iterable[_Followed]:
    found: dict[int, _Followed] = {}
    pending = [declaration]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            target = program.target(node)
            if isinstance(target, _Followed):
                found[id(target)] = target
        pending.extend(children(node))
    return found.values()


def _depth_first(
    start: _Followed, direct: dict[int, list[_Followed]], visited: dict[int, frozenset[int]]
) -> Iterator[_Followed]:
    """What is not visited yet, below `start` and itself, each after what it mentions."""
    if id(start) in visited:
        return
    entered = {id(start)}
    waiting: list[tuple[_Followed, Iterator[_Followed]]] = [(start, iter(direct[id(start)]))]
    while waiting:
        current, remaining = waiting[-1]
        following = next((other for other in remaining if id(other) not in visited and id(other) not in entered), None)
        if following is not None:
            entered.add(id(following))
            waiting.append((following, iter(direct[id(following)])))
        else:
            waiting.pop()
            yield current


def elaborate_globals(
    program: CheckedProgram,
    options: Options,
    progress: ProgressReport = silent,
    equations: Sequence[Condition] = (),
    sought: Collection[str] = (),
    units: Mapping[str, int] = MappingProxyType({}),
) -> tuple[GlobalValues, tuple[Diagnostic, ...]]:
    """The values of all constants and parameters, the parameter space cut by all assumptions, and every fault.

    `options.settings` are the `--set` values, by the names that the main file knows. Where a fault is an error, what
    depends on it is missing from the values. `equations` between the parameters of the space are assumed besides; what
    they determine is eliminated, as by an assumption of the source. Parameters that are `sought` are eliminated last.
    Exponents are multiples of what `units` says, or finer where that is too coarse for a constant.
    """
    while True:
        try:
            return _elaborated(program, options, progress, equations, sought, units)
        except FinerUnit as finer:
            units = {**units, finer.base: finer.unit}


def _elaborated(
    program: CheckedProgram,
    options: Options,
    progress: ProgressReport,
    equations: Sequence[Condition],
    sought: Collection[str],
    units: Mapping[str, int],
) -> tuple[GlobalValues, tuple[Diagnostic, ...]]:
    budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states, progress=progress)
    found = Diagnostics()
    settings = _settings_by_declaration(program, options.settings, found)
    elaboration = _Elaboration(program, settings, found, budget, units)
    elaboration.evaluate()
    space = elaboration.space().restricted(*equations)
    # Under `assume p + q + r == 1` the weights p, q, r are a distribution: as an identity once r is 1 - p - q.
    definitions = reduce_pinned(space, sought).definitions
    if definitions:
        elaboration = _Elaboration(program, settings, Diagnostics(), budget, units, definitions)
        elaboration.evaluate()
    values = replace(
        elaboration.values,
        space=space,
        endless=elaboration.endless,
        equations=tuple(equations),
        sought=frozenset(sought),
    )
    return values, found.sorted()


def _settings_by_declaration(
    program: CheckedProgram, settings: Mapping[str, Fraction], found: Diagnostics
) -> dict[int, Fraction]:
    file = program.main.file.name
    known = {name: target for name, target in program.globals[file].items() if isinstance(target, Const | Param)}
    for name in settings:
        if name not in known:
            found.add(unknown_setting(name, file, closest(name, known), tuple(known)))
    return {id(known[name]): value for name, value in settings.items() if name in known}


class _Elaboration:
    """Evaluates declarations in order of dependency; what depends on a faulty one is left out without a report."""

    def __init__(
        self,
        program: CheckedProgram,
        settings: Mapping[int, Fraction],
        found: Diagnostics,
        budget: Budget,
        units: Mapping[str, int],
        definitions: Mapping[str, Number] = MappingProxyType({}),
    ) -> None:
        self._program = program
        self._settings = settings
        self._definitions = definitions
        self._found = found
        self._constants: dict[int, Value] = {}
        self._parameters: dict[int, Number] = {}
        self._spaces: dict[int, Parameter | HalfLine] = {}
        self._clauses: dict[Clause, None] = {}
        self._failed: set[int] = set()
        self.values = GlobalValues(
            constants=self._constants,
            parameters=self._parameters,
            enumerations={id(d): enumeration(d, file) for file, d in _declared(program, EnumDecl)},
            shapes={id(d): record_shape(d, file) for file, d in _declared(program, RecordDecl)},
            units=units,
            has_parameters=program.calls_any({"exp"})
            or any(id(d) not in settings for _, d in _declared(program, Param)),
        )
        self._compiler = Compiler.of(program, self.values, budget=budget)

    def evaluate(self) -> None:
        """Fill in constants, parameters and assumptions."""
        for declaration, needed in in_order_of_dependency(self._program):
            if not needed.isdisjoint(self._failed):
                self._failed.add(id(declaration))
                continue
            try:
                match declaration:
                    case Const():
                        self._constants[id(declaration)] = self._constant(declaration)
                    case Param():
                        self._parameters[id(declaration)] = self._parameter(declaration)
                    case Assume():
                        self._assume(declaration)
                    case _:
                        assert_never(declaration)
            except EvaluationFault as fault:
                self._found.add(fault.diagnostic)
                self._failed.add(id(declaration))
            except LimitReached as limit:
                self._found.add(limit.diagnostic or limit_reached(limit.reason, declaration.span))
                self._failed.add(id(declaration))

    def space(self) -> ParameterSpace:
        """The parameters that are not fixed, in order of the source, and what is assumed of them."""
        declared = [id(declaration) for _, declaration in _declared(self._program, Param)]
        found = (self._spaces[identity] for identity in declared if identity in self._spaces)
        free = tuple(parameter for parameter in found if isinstance(parameter, Parameter))
        return ParameterSpace(parameters=free, assumptions=tuple(self._clauses))

    @property
    def endless(self) -> dict[str, HalfLine]:
        """The parameters that are not fixed and have no upper end."""
        return {found.name: found for found in self._spaces.values() if isinstance(found, HalfLine)}

    def _assume(self, declaration: Assume) -> None:
        """Add the clauses of an assumption. One that is false whatever the parameters are is a fault."""
        clauses = assumption(self._compiler.translator(), declaration.condition)
        if () in clauses:
            raise EvaluationFault(assumption_violated(declaration.condition, self._settings_text()))
        for name in sorted({name for clause in clauses for each in clause for name in names_in(each.polynomial)}):
            if name in self.endless or Exponential.of(name) is not None:
                raise EvaluationFault(assumed_of_endless(declaration.condition, name))
        self._clauses.update(dict.fromkeys(clauses))

    def _constant(self, declaration: Const) -> Value:
        setting = self._settings.get(id(declaration))
        if setting is not None:
            return self._set_constant(declaration, setting)
        if declaration.type is None:
            return self._compiler.expression(declaration.value)()
        return self._compiler.typed(declaration.value, declaration.type, what=f"constant `{declaration.name.text}`")()

    def _set_constant(self, declaration: Const, setting: Fraction) -> Value:
        """The value that `--set` gives to a constant, whose type is the declared one or that of its own value."""
        whole = setting.denominator == 1
        if declaration.type is not None:
            domain = self._compiler.domain(declaration.type)()
            if not domain.contains(setting):
                wanted = f"the type of `{declaration.name.text}` is `{domain}`"
                raise EvaluationFault(setting_does_not_fit(declaration, setting, wanted))
            return int(setting) if whole else setting
        static = self._program.type_of(declaration.value)
        if isinstance(static, RealType) or (isinstance(static, IntType) and whole):
            return int(setting) if whole else setting
        wanted = f"`{declaration.name.text}` is {a(static)}"
        raise EvaluationFault(setting_does_not_fit(declaration, setting, wanted))

    def _parameter(self, declaration: Param) -> Number:
        if declaration.high is None:
            return self._endless(declaration)
        low, high = (self._end(declaration, end) for end in (declaration.low, declaration.high))
        if low > high or (low == high and (declaration.low_open or declaration.high_open)):
            raise EvaluationFault(empty_interval(declaration, low, high))
        parameter = Parameter(
            name=self._unique_name(declaration),
            low=low,
            high=high,
            low_open=declaration.low_open,
            high_open=declaration.high_open,
        )
        return self._settled(declaration, parameter)

    def _endless(self, declaration: Param) -> Number:
        low = self._end(declaration, declaration.low)
        name = self._unique_name(declaration)
        return self._settled(declaration, HalfLine(name=name, low=low, low_open=declaration.low_open))

    def _settled(self, declaration: Param, parameter: Parameter | HalfLine) -> Number:
        """The value that `--set` gives to a parameter, else the parameter itself."""
        setting = self._settings.get(id(declaration))
        if setting is None:
            self._spaces[id(declaration)] = parameter
            return self._definitions.get(parameter.name, RationalFunction.parameter(parameter.name))
        if not parameter.contains(setting):
            wanted = f"`{declaration.name.text}` lies in {interval_text(parameter)}"
            raise EvaluationFault(setting_does_not_fit(declaration, setting, wanted))
        return setting

    def _end(self, declaration: Param, end: Expr) -> Fraction:
        value = self._compiler.number(end)()
        if isinstance(value, RationalFunction):
            raise EvaluationFault(interval_depends_on_parameter(declaration, end.span, value))
        return value

    def _unique_name(self, declaration: Param) -> str:
        """The name of a parameter; two modules may each have their own `p`."""
        taken = {parameter.name for parameter in self._spaces.values()}
        name = declaration.name.text
        number = 2
        while name in taken:
            name = f"{declaration.name.text}_{number}"
            number += 1
        return name

    def _settings_text(self) -> list[str]:
        """The settings, as they are written on the command line."""
        named = {id(d): d.name.text for _, d in _declared(self._program, Const)}
        named.update((id(d), d.name.text) for _, d in _declared(self._program, Param))
        return [f"{named[identity]}={fraction_text(value)}" for identity, value in self._settings.items()]


def enumeration(declaration: EnumDecl, file: str) -> Enumeration:
    """The values of an enum."""
    return Enumeration(declaration.name.text, tuple(value.text for value in declaration.values), file)


def record_shape(declaration: RecordDecl, file: str) -> RecordShape:
    """The fields of a record."""
    return RecordShape(declaration.name.text, tuple(field.name.text for field in declaration.fields), file)


_Declaration = TypeVar("_Declaration")


def _declared(program: CheckedProgram, kind: type[_Declaration]) -> Iterator[tuple[str, _Declaration]]:
    """All declarations of a kind, with the names of their files."""
    for module in program.modules:
        for declaration in module.declarations:
            if isinstance(declaration, kind):
                yield module.file.name, declaration
