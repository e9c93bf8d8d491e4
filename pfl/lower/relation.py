"""`check unwinding A by R`: the relations that an author wrote down, evaluated on the pairs that runs come to.

`check implements A of B`: both automata with hidden steps closed, to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from pfl.analysis.unwinding.candidates import candidate_pairs
from pfl.base.diagnostics import InputRejected
from pfl.base.epsilon import Epsilon
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.lower.automaton.automata import automaton_of, automaton_with
from pfl.lower.automaton.automaton_table import negative_balance, no_data_points, relation_of_other_arguments
from pfl.lower.comparing import epsilon_of
from pfl.lower.noninterference import ADJACENCY_NOTES, SEVERAL_POINTS, adjacencies, table_of_runs
from pfl.lower.request import Request, Setting, written
from pfl.model.claims import Case
from pfl.model.coincidence import coincidences
from pfl.model.compare import Balance, Compare, Family, Table
from pfl.model.interactive import InteractiveSystem
from pfl.model.two_runs import two_runs
from pfl.model.two_systems import TwoSystems
from pfl.model.values import RecordShape, RecordValue, Value, show
from pfl.syntax.tree.ast import Expr, Name, Node
from pfl.syntax.tree.ast_declarations import RelationDecl
from pfl.syntax.tree.tree_walk import children
from pfl.typecheck.bindings import Local


def relation_check(request: Request) -> tuple[Case, ...]:
    """One check for every binding of `for` and every adjacency. Raises InputRejected and LimitReached."""
    request.notes.extend(ADJACENCY_NOTES[adjacency] for adjacency in adjacencies(request))
    request.remarks.append(SEVERAL_POINTS)
    checks = [(setting, check) for setting in request.settings() for check in _checks(request, setting)]
    return tuple(Case(arguments=_told(setting, checks), question=check) for setting, check in checks)


def _checks(request: Request, setting: Setting) -> Iterator[Compare]:
    program = request.session.program
    reference = request.claim.relation
    assert reference is not None, "the checker asks for a relation"
    declaration = program.target(reference.name)
    assert isinstance(declaration, RelationDecl)
    automaton = automaton_of(request, setting)
    balances: list[tuple[Balance, Callable[[RecordValue, RecordValue], bool]]] = []
    for label, compiler in _instances(setting.compiler, declaration, program.local):
        own = automaton_with(request.session, compiler, automaton.declaration, declaration.arguments or ())
        if own is not automaton:
            raise InputRejected([relation_of_other_arguments(declaration, request.claim)])
        balance = compiler.epsilon(_clause(declaration, "balance"))()
        if not balance.parameters and balance.compare(Fraction(1)) > 0:
            raise InputRejected([negative_balance(declaration, label, str(balance))])
        holds = _clause(declaration, "holds")
        sides = _sides(program.target, holds)
        condition = compiler.condition(holds, [side for side in sides if side is not None])
        balances.append((Balance(label=label, epsilon=balance), _on_both(condition, sides)))
    if not any(balance.epsilon.parameters for balance, _ in balances):  # otherwise the engine gives up
        balances.sort(key=lambda held: _Ascending(held[0].epsilon))
    system = automaton.system_for_relations.noting(request.divisors)
    epsilon = epsilon_of(request, setting)
    assert epsilon is not None, "the checker asks for an epsilon"
    records = _records(system)
    for adjacency in adjacencies(request):
        runs = two_runs(system, adjacency)
        if not runs.extras:
            request.session.found.add(no_data_points(automaton.declaration, request.claim.span, adjacency))
        related = {}
        for left, right in candidate_pairs(runs):
            if system.bottom in (left, right):
                continue
            for place, (_, holds_for) in enumerate(balances):
                if holds_for(records[left], records[right]):
                    related[left, right] = place
                    break
        family = Family(name=declaration.name.text, balances=tuple(balance for balance, _ in balances), related=related)
        yield Compare(goal="check", tables=(table_of_runs(runs, epsilon),), lengths="any", unit="input", family=family)


@struct(kw_only=False)
class _Ascending:
    """Epsilons in their order, decided exactly."""

    epsilon: Epsilon

    def __lt__(self, other: _Ascending) -> bool:
        return (self.epsilon - other.epsilon).sign() < 0


def _instances(
    compiler: Compiler, declaration: RelationDecl, local: Callable[..., Local]
) -> Iterator[tuple[str, Compiler]]:
    """The relation for every value of its parameters; types may mention earlier parameters."""
    pending: list[tuple[str, Compiler]] = [("", compiler)]
    for parameter in declaration.parameters:
        pending = [
            (f"{label}, {parameter.name.text} = {show(value)}".lstrip(", "), bound.bind({local(parameter.name): value}))
            for label, bound in pending
            for value in bound.elements(parameter.type)()
        ]
    yield from pending


def _clause(declaration: RelationDecl, keyword: str) -> Expr:
    return next(clause.value for clause in declaration.clauses if clause.kind.text == keyword)


def _sides(target: Callable[[Name], object], holds: Expr) -> tuple[Local | None, Local | None]:
    """The variables `left` and `right`, None where they are not mentioned."""
    found: dict[str, Local] = {}
    pending: list[Node] = [holds]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            meant = target(node)
            if isinstance(meant, Local) and meant.kind == "side":
                found[meant.name.text] = meant
        pending.extend(children(node))
    return found.get("left"), found.get("right")


def _on_both(
    condition: Callable[..., bool], sides: tuple[Local | None, Local | None]
) -> Callable[[RecordValue, RecordValue], bool]:
    """The condition as a function of both states, whichever it mentions."""

    def holds(left: RecordValue, right: RecordValue) -> bool:
        given: Sequence[Value] = [value for side, value in zip(sides, (left, right)) if side is not None]
        return condition(*given)

    return holds


def _records(system: InteractiveSystem) -> list[RecordValue]:
    """Every state as a record of its variables."""
    names = tuple(name for name, _ in system.values[0]) if system.values else ()
    shape = RecordShape(name="state", fields=names)
    return [RecordValue(shape, tuple(value for _, value in values)) for values in system.values]


def implementation(request: Request) -> tuple[Case, ...]:
    """One comparison for every binding of `for`. Raises InputRejected and LimitReached."""
    found = [(setting, _compared(request, setting)) for setting in request.settings()]
    return tuple(Case(arguments=_told(setting, found), question=question) for setting, question in found)


def _told(setting: Setting, among: Sequence[object]) -> tuple[tuple[str, str], ...]:
    """The binding of a case, where there are others."""
    return setting.bindings if len(among) > 1 else ()


def _compared(request: Request, setting: Setting) -> Compare:
    concrete, abstract = automaton_of(request, setting), automaton_of(request, setting, request.claim.relation)
    request.programs.extend(a.program for a in (concrete, abstract) if a.program is not None)
    relation = request.claim.relation
    assert relation is not None, "the checker asks for an automaton"
    one, other = (automaton.system.noting(request.divisors) for automaton in (concrete, abstract))
    request.divisors.note(coincidences((*one.shown, *other.shown)))
    both = TwoSystems(concrete=one, abstract=other, names=(written(request.claim.system.span), written(relation.span)))
    space = request.session.values.space
    return Compare(goal="check", tables=(Table.of_systems(both),), lengths="any", parameters=space)
