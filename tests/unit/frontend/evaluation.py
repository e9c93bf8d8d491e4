"""Models given as text, checked, with their numbers filled in, ready to be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic
from pfl.base.reading import open_source
from pfl.base.source import SourceFile
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import EvaluationFault
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.model.distribution import DistributionValue
from pfl.model.values import Value, show
from pfl.options import Options
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast_declarations import Const, DistDecl, FnDecl, MechanismDecl
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.program import check_program


def checked(text: str) -> CheckedProgram:
    """A model without errors."""
    program, diagnostics = check_program(load_program(SourceFile(name="model.pfl", text=text), open_source))
    assert program is not None, [(str(d.code), d.message) for d in diagnostics]
    return program


def faults_of_globals(text: str, **settings: str) -> tuple[Diagnostic, ...]:
    """What is wrong with the constants, parameters and settings of a model."""
    return elaborate_globals(checked(text), _options(settings))[1]


def _options(settings: Mapping[str, str]) -> Options:
    return Options(settings={name: Fraction(value) for name, value in settings.items()})


@dataclass
class Model:
    """A model whose expressions are evaluated."""

    text: str
    settings: Mapping[str, str] = field(default_factory=dict)
    limit: int = 2_000_000
    mechanism: Callable[[MechanismDecl, tuple[Value, ...]], DistributionValue] | None = None

    def __post_init__(self) -> None:
        self.program = checked(self.text)
        self.globals, diagnostics = elaborate_globals(self.program, _options(self.settings))
        assert not diagnostics, [(str(d.code), d.message) for d in diagnostics]
        budget = Budget(max_states=self.limit)
        self.compiler = Compiler.of(self.program, self.globals, mechanism_distribution=self.mechanism, budget=budget)

    def constant(self, name: str) -> Value:
        """The value of a constant."""
        declaration = self.program.globals["model.pfl"][name]
        assert isinstance(declaration, Const)
        return self.globals.constant(declaration)

    def function(self, name: str) -> Callable[..., Any]:
        """The body of a function or distribution, compiled as an expression of its parameters."""
        declaration = self.program.globals["model.pfl"][name]
        assert isinstance(declaration, FnDecl | DistDecl)
        variables = [self.program.local(parameter.name) for parameter in declaration.parameters]
        if isinstance(declaration, DistDecl):
            return self.compiler.distribution(declaration.body, variables)
        return self.compiler.expression(declaration.body, variables)


def value_of(expression: str, declarations: str = "") -> Value:
    """The value of a closed expression."""
    return Model(f"{declarations}\nfn it() = {expression};").function("it")()


def shown(expression: str, declarations: str = "") -> str:
    """The value of a closed expression, as it would be written."""
    return show(value_of(expression, declarations))


def fault_of(expression: str, declarations: str = "") -> Diagnostic:
    """The fault of evaluating a closed expression."""
    function = Model(f"{declarations}\nfn it() = {expression};").function("it")
    try:
        function()
    except EvaluationFault as fault:
        return fault.diagnostic
    raise AssertionError(f"{expression} has a value")
