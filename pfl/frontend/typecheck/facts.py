"""What other declarations and claims need to know of a system once it is checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from pfl.frontend.ast_globals import Parameter
from pfl.frontend.bindings import Local
from pfl.frontend.resolve.names import System
from pfl.frontend.types import Type


@dataclass(slots=True, kw_only=True, eq=False)
class SystemFacts:
    """A system as claims, priors and relations see it.

    `state` are the state variables, or in table form the states themselves (as predicates). `start` is the type of
    one start: of the state variable, of a tuple of several, of the inputs of a mechanism, of the state's name in a
    table. `has_start` says whether it starts itself, `started` which of its variables it gives a first value.
    `symbols` are those that its types list and that stand for themselves in it. `output` is the type of what an hmm
    emits or an automaton responds, `result` of what a mechanism returns, each None where there is nothing. `given`
    are the parameters that a claim gives a value to, `inputs` those that an adjacency ranges over. `receives` are the
    types of what a mechanism, or one that it calls, receives. Where the make-up of the system is at fault, `complete`
    is false: names of its state may then be unknown without being at fault.
    """

    declaration: System
    start: Type
    given: tuple[Parameter, ...]
    inputs: tuple[Parameter, ...] = ()
    state: dict[str, Local] = field(default_factory=dict)
    is_table: bool = False
    has_start: bool = False
    started: frozenset[str] = frozenset()
    symbols: set[str] = field(default_factory=set)
    output: Type | None = None
    result: Type | None = None
    emits: bool = False
    receives: tuple[Type, ...] = ()
    runs_forever: bool = False
    complete: bool = True
