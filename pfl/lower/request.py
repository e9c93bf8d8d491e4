"""What the lowering of one claim works with: its clauses, and its values under every binding of `for`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Literal, NamedTuple, TypeVar

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected
from pfl.base.divided import Divisors
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.linkage import GlobalValues
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.lower.mechanism.mechanism_system import MechanismSystems
from pfl.model.measure import Measure, Requirement
from pfl.model.program import Program
from pfl.model.values import show
from pfl.options import Options
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_module import ClaimDecl, Clause, ForBinding, Versus
from pfl.typecheck.bindings import CheckedProgram, Local

Kept = TypeVar("Kept")


@struct(eq=False, frozen=False)
class Session:
    """What all claims of a program share. `models` remembers what was built for a declaration and its arguments."""

    program: CheckedProgram
    values: GlobalValues
    options: Options
    compiler: Compiler
    mechanisms: Mechanisms
    systems: MechanismSystems
    budget: Budget
    found: Diagnostics
    models: dict[tuple[Any, ...], Any] = field(default_factory=dict)


@struct(eq=False)
class Setting:
    """One binding of the variables of `for`, bound in `compiler`; `bindings` are their names and values in words."""

    compiler: Compiler
    bindings: tuple[tuple[str, str], ...]

    @property
    def words(self) -> str:
        """`a = 1, b = 2`, empty without `for`."""
        return ", ".join(f"{name} = {value}" for name, value in self.bindings)

    def natural(self, node: Expr | None, negative: Callable[[Span, int], Diagnostic]) -> int | None:
        """How many, None where nothing is said. Raises InputRejected with the fault of a `negative` number."""
        if node is None:
            return None
        count = self.compiler.expression(node)()
        assert isinstance(count, int), "the checker lets nothing else say how many"
        if count < 0:
            raise InputRejected([negative(node.span, count)])
        return count


class Measured(NamedTuple):
    """What is measured under one binding of `for`, with the values of what the claim ranges over besides."""

    setting: Setting
    arguments: tuple[tuple[str, str], ...]
    question: Measure


@struct(eq=False)
class Request:
    """One claim that is being lowered. `notes` and `remarks` collect what `Claim` says of them, `programs` what was
    explored for it, `divisors` what its numbers were divided by. `sought` are the parameters that a `find` looks for.
    """

    session: Session
    claim: ClaimDecl
    setting: Setting | None = None
    sought: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    divisors: Divisors = field(default_factory=Divisors)

    def clauses(self, *keywords: str) -> Iterator[Clause]:
        """The clauses with one of the keywords, in the order of the source."""
        return (clause for clause in self.claim.clauses if clause.keyword.text in keywords)

    def has(self, keyword: str) -> bool:
        return any(True for _ in self.clauses(keyword))

    def value(self, keyword: str) -> Expr | None:
        """The expression after a keyword; None where the clause is left out."""
        for clause in self.clauses(keyword):
            assert isinstance(clause.value, Expr)
            return clause.value
        return None

    def pairs(self, keyword: str) -> Iterator[tuple[Versus, Span]]:
        """What stands on both sides of `vs`, or of `and` after `between`."""
        for clause in self.clauses(keyword):
            assert isinstance(clause.value, Versus)
            yield clause.value, clause.value.span

    def settings(self) -> Iterator[Setting]:
        """Every binding of the variables of `for` that is asked about, in order."""
        if self.setting is not None:
            return iter((self.setting,))
        binders: list[tuple[Local, Expr]] = []
        for clause in self.clauses("for"):
            assert isinstance(clause.value, ForBinding)
            binders.append((self.session.program.local(clause.value.variable), clause.value.domain))
        return self._bound(self.session.compiler, binders, ())

    def _bound(
        self, compiler: Compiler, binders: list[tuple[Local, Expr]], bindings: tuple[tuple[str, str], ...]
    ) -> Iterator[Setting]:
        if not binders:
            yield Setting(compiler=compiler, bindings=bindings)
            return
        (local, domain), *rest = binders
        for value in compiler.elements(domain)():
            known = (*bindings, (local.name.text, show(value)))
            yield from self._bound(compiler.bind({local: value}), rest, known)


_RELATIONS: tuple[Literal["equals", "at least", "at most"], ...] = ("equals", "at least", "at most")


def requirement_of(request: Request, setting: Setting) -> Requirement | None:
    """What the claim requires of its number under one binding of `for`; None for a compute, and of a distribution."""
    if request.claim.kind.text == "distribution":
        return None
    for relation in _RELATIONS:
        if (node := request.value(relation)) is not None:
            return Requirement(relation=relation, number=setting.compiler.number(node)())
    return None


def written(span: Span) -> str:
    """Source text on one line."""
    return " ".join(span.text.split())
