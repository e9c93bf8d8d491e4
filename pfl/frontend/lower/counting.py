"""Which mechanisms cost something when they run, and so are not called as distributions where costs are counted."""

from __future__ import annotations

from collections.abc import Iterator

from pfl.frontend.ast import Call, Name, Node
from pfl.frontend.ast_globals import DistDecl, FnDecl
from pfl.frontend.ast_statements import Forever, Tick, While
from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.bindings import CheckedProgram, Local
from pfl.frontend.tree_walk import descendants
from pfl.frontend.types import MechanismType
from pfl.ir.program import Costs


def spending(program: CheckedProgram, node: Node, costs: Costs) -> Iterator[Node]:
    """What costs something in an account when a body runs or an expression is evaluated: ticks, or loops that turn.

    Also in what it calls; the call of an unknown mechanism counts if any mechanism of the program costs something.
    """
    pending = [node]
    seen = {id(node)}
    while pending:
        for inner in descendants(pending.pop()):
            if isinstance(inner, Tick if costs == "ticks" else While | Forever) and costs != "moves":
                yield inner
            elif isinstance(inner, Call):
                called = _called(program, inner)
                if called is None and calls_unknown(program, inner) and _any_spends(program, costs):
                    yield inner
                if called is not None and id(called) not in seen:
                    seen.add(id(called))
                    pending.append(called)


def calls_unknown(program: CheckedProgram, called: Call) -> bool:
    """Whether what is called is a value of mechanism type."""
    if isinstance(called.callee, Name) and not isinstance(program.target(called.callee), Local):
        return False
    try:
        return isinstance(program.type_of(called.callee), MechanismType)
    except KeyError:  # a function, distribution or record
        return False


def _called(program: CheckedProgram, called: Call) -> Node | None:
    """The declaration that is called, if it has a body."""
    target = program.target(called.callee) if isinstance(called.callee, Name) else None
    return target if isinstance(target, MechanismDecl | FnDecl | DistDecl) else None


def _any_spends(program: CheckedProgram, costs: Costs) -> bool:
    wanted = Tick if costs == "ticks" else While | Forever
    mechanisms = (d for module in program.modules for d in module.declarations if isinstance(d, MechanismDecl))
    return any(isinstance(inner, wanted) for declaration in mechanisms for inner in descendants(declaration))
