"""Arrays that a mechanism goes through once, from one end to the other, can be given to it element by element.

Instead of one run for each of |T|^n arrays there is then one run that is given its elements while it runs, and an
adversary who chooses them; elements that have been read are forgotten. Whether that asks the same question is decided
here from the text of the mechanism. Source: docs/theory/sequential-inputs.md.

Which mechanisms show or receive something while they run, and so cannot be called as a distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.model.cardinality import size
from pfl.model.domain import ArrayDomain, Domain, TupleDomain
from pfl.model.values import Value
from pfl.syntax.tree.ast import Call, Expr, Index, Name, Node
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.syntax.tree.ast_statements import (
    Assign,
    Block,
    CallStatement,
    Emit,
    For,
    Forever,
    If,
    Let,
    MatchStatement,
    Receive,
    Return,
    Statement,
    Stepwise,
    Var,
    While,
)
from pfl.syntax.tree.tree_walk import all_statements, children, descendants
from pfl.typecheck.bindings import CheckedProgram, Local
from pfl.typecheck.types import MechanismType


def interacts(program: CheckedProgram, declaration: MechanismDecl) -> bool:
    """Whether a mechanism emits or receives, itself or through one that it calls."""
    pending = [declaration]
    seen = {id(declaration)}
    while pending:
        for statement in all_statements(pending.pop().body):
            if isinstance(statement, Emit | Receive):
                return True
            called = whole_call(statement)
            if called is None:
                continue
            if calls_emitting_value(program, called):
                return True
            target = called_mechanism(program, called)
            if target is not None and id(target) not in seen:
                seen.add(id(target))
                pending.append(target)
    return False


def returns_nothing(declaration: MechanismDecl) -> bool:
    """Whether a mechanism has no result, so that there is no distribution of it."""
    returns = (statement for statement in all_statements(declaration.body) if isinstance(statement, Return))
    return declaration.result is None and all(statement.value is None for statement in returns)


def called_mechanism(program: CheckedProgram, called: Call) -> MechanismDecl | None:
    """The mechanism that a call names; None where it calls something else, or a value of mechanism type."""
    target = program.target(called.callee) if isinstance(called.callee, Name) else None
    return target if isinstance(target, MechanismDecl) else None


def calls_emitting_value(program: CheckedProgram, called: Call) -> bool:
    """Whether a value of mechanism type is called that can only emit."""
    if isinstance(called.callee, Name) and isinstance(program.target(called.callee), MechanismDecl):
        return False
    try:
        type_ = program.type_of(called.callee)
    except KeyError:  # a function, distribution or record
        return False
    return isinstance(type_, MechanismType) and type_.result is None


def whole_call(statement: Statement) -> Call | None:
    """The call that is the whole right side of a draw, or the whole statement; what `stepwise` stands before, too."""
    value: Expr | Stepwise | None = None
    match statement:
        case Let(value=value, drawn=True) | Var(value=value, drawn=True) | Assign(value=value, drawn=True):
            pass
        case CallStatement(call=value):
            pass
        case _:
            return None
    if isinstance(value, Stepwise):
        return value.call
    return value if isinstance(value, Call) else None


MOST_GIVEN = 1_000_000
"""What can be given in all turns together; of more, all inputs are no more than counted."""


@struct(eq=False)
class SequentialLoop:
    """A loop whose turn t reads element order[t] of each of some arrays, which are read nowhere else.

    It goes through the one array itself if `is_over_array`, else through the indices. `elements` are the domains of the
    elements. `shows_each_turn` says that every turn that is completed shows equally many values, at least one;
    otherwise nothing is shown before the loop is over.
    """

    statement: For
    arrays: tuple[Parameter, ...]
    elements: tuple[Domain, ...]
    order: tuple[int, ...]
    is_over_array: bool
    shows_each_turn: bool

    def given_values(self) -> tuple[Value, ...]:
        """What can be given in a turn: an element, or an array of the elements of several arrays."""
        return tuple(product(*self.elements)) if len(self.elements) > 1 else tuple(self.elements[0])

    def elements_of(self, given: Value) -> tuple[Value, ...]:
        """The elements that are given in a turn, one for each array."""
        if len(self.elements) == 1:
            return (given,)
        assert isinstance(given, tuple)
        return given


def sequential_loop(
    program: CheckedProgram, compiler: Compiler, declaration: MechanismDecl, inputs: Sequence[Parameter]
) -> SequentialLoop | None:
    """The loop of a mechanism that goes through some of its inputs in order, if the question stays the same.

    `compiler` has the given parameters bound.
    """
    if any(isinstance(statement, Receive) for statement in all_statements(declaration.body)):
        return None
    for position, statement in enumerate(declaration.body):
        if isinstance(statement, For):
            found = _loop(program, compiler, declaration, statement, inputs)
            # Every run must come to the loop, so that coming there tells nothing; runs without end are found later.
            earlier = all_statements(declaration.body[:position])
            if found is not None and not any(isinstance(other, Return) for other in earlier):
                return found
    return None


def _loop(
    program: CheckedProgram,
    compiler: Compiler,
    declaration: MechanismDecl,
    statement: For,
    inputs: Sequence[Parameter],
) -> SequentialLoop | None:
    over = program.target(statement.domain) if isinstance(statement.domain, Name) else None
    domains: list[tuple[Parameter, ArrayDomain]] = []
    for parameter in inputs:
        if isinstance(over, Local) and over is not program.local(parameter.name):
            continue
        domain = None if compiler.reads(parameter.type) else compiler.domain(parameter.type)()
        if isinstance(domain, ArrayDomain) and _is_read_in_order(program, declaration, statement, parameter):
            domains.append((parameter, domain))
    if not domains or not domains[0][1].length:
        return None
    length = domains[0][1].length
    order = tuple(range(length)) if isinstance(over, Local) else _order(compiler, statement, length)
    shows = _shows_each_turn(program, statement.body)
    if order is None or shows is None or any(domain.length != length for _, domain in domains):
        return None
    given = size(TupleDomain(tuple(domain.element for _, domain in domains)))
    if given is None or given * length > MOST_GIVEN:
        return None
    return SequentialLoop(
        statement=statement,
        arrays=tuple(parameter for parameter, _ in domains),
        elements=tuple(domain.element for _, domain in domains),
        order=order,
        is_over_array=isinstance(over, Local),
        shows_each_turn=shows,
    )


def _order(compiler: Compiler, statement: For, length: int) -> tuple[int, ...] | None:
    """The index that is read in each turn: every index once."""
    if compiler.reads(statement.domain):
        return None
    elements = tuple(index for index in compiler.elements(statement.domain)() if isinstance(index, int))
    return elements if len(elements) == length and set(elements) == set(range(length)) else None


def _is_read_in_order(
    program: CheckedProgram, declaration: MechanismDecl, statement: For, parameter: Parameter
) -> bool:
    """Whether an array is mentioned as the domain of the loop alone, or as `a[i]` with the loop's own i in its body."""
    local, variable = program.local(parameter.name), program.local(statement.variable)
    inside = {id(node) for part in statement.body for node in descendants(part)}
    mentioned = False
    for node, parent in _with_parents(declaration):
        if not isinstance(node, Name) or program.target(node) is not local:
            continue
        mentioned = True
        if node is statement.domain:
            continue
        index = parent.index if isinstance(parent, Index) and parent.array is node else None
        if id(node) not in inside or not isinstance(index, Name) or program.target(index) is not variable:
            return False
    return mentioned


def _with_parents(top: Node) -> Iterator[tuple[Node, Node | None]]:
    pending: list[tuple[Node, Node | None]] = [(top, None)]
    while pending:
        node, parent = pending.pop()
        yield node, parent
        pending.extend((child, node) for child in children(node))


def _shows_each_turn(program: CheckedProgram, body: tuple[Statement, ...]) -> bool | None:
    """True if the values shown tell which turn a run is in, False if nothing is shown, None if neither is sure."""
    if not any(_may_show(program, statement) for statement in all_statements(body)):
        return False
    counted = _shown(program, body)
    if counted is None:
        return None
    completed, left = counted
    # If a run can be left both before anything is shown in a turn and after everything is, the two look alike.
    each = next(iter(completed)) if len(completed) == 1 else 0
    return True if each >= 1 and not {0, each} <= left else None


def _may_show(program: CheckedProgram, statement: Statement) -> bool:
    called = whole_call(statement)
    if called is None:
        return isinstance(statement, Emit)
    target = called_mechanism(program, called)
    return calls_emitting_value(program, called) or (target is not None and interacts(program, target))


def _shown(program: CheckedProgram, body: Sequence[Statement]) -> tuple[set[int], set[int]] | None:
    """How many values can have been shown when a block is completed, and when it is left; None if that is unknown."""
    completed, left = {0}, set[int]()
    for statement in body:
        counted = _shown_by(program, statement)
        if counted is None:
            return None
        left |= {before + more for before in completed for more in counted[1]}
        completed = {before + more for before in completed for more in counted[0]}
    return completed, left


def _shown_by(program: CheckedProgram, statement: Statement) -> tuple[set[int], set[int]] | None:
    match statement:
        case Emit():
            return {1}, set()
        case Return():
            return set(), {0}
        case If(then=then, otherwise=otherwise):
            return _either(program, (then, otherwise or ()))
        case MatchStatement(arms=arms):
            return _either(program, [arm.body for arm in arms])
        case Block(body=body):
            return _shown(program, body)
        case For(body=body) | While(body=body) | Forever(body=body):
            if any(_may_show(program, inner) for inner in all_statements(body)):
                return None
            leaves = any(isinstance(inner, Return) for inner in all_statements(body))
            return {0}, {0} if leaves else set()
        case _:
            return None if _may_show(program, statement) else ({0}, set())


def _either(program: CheckedProgram, branches: Sequence[Sequence[Statement]]) -> tuple[set[int], set[int]] | None:
    completed, left = set[int](), set[int]()
    for branch in branches:
        counted = _shown(program, branch)
        if counted is None:
            return None
        completed |= counted[0]
        left |= counted[1]
    return completed, left
