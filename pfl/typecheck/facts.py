"""What other declarations and claims need to know of a system once it is checked.

What a run of statements belongs to, and so what may stand in it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast_declarations import Parameter
from pfl.syntax.tree.ast_statements import Return
from pfl.typecheck.bindings import Local
from pfl.typecheck.names.scope import System
from pfl.typecheck.types import Type


@struct(eq=False, frozen=False)
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


BodyKind: TypeAlias = Literal["mechanism", "init", "step", "prior", "data", "query"]

WHERE: dict[BodyKind, str] = {
    "mechanism": "in a mechanism",
    "init": "in the `init` of an hmm",
    "step": "in the `step` of an hmm",
    "prior": "in a prior",
    "data": "in `on data`",
    "query": "in `on query`",
}


@struct(eq=False, frozen=False)
class Body:
    """One body of statements.

    `output` is the declared type of what is emitted or responded, `result` that of what is returned; None where it is
    not declared. `produced` and `returned` collect the types of what the body shows. In a prior, `places` are what
    `start x = ..` may set: the state variables of its system, or the inputs of its mechanism, None
    where the system is unknown; `whole` is the type of `start = ..`, and `states` are those of a system in table form.
    """

    kind: BodyKind
    output: Type | None = None
    result: Type | None = None
    produced: list[Type] = field(default_factory=list)
    returned: list[tuple[Return, Type | None]] = field(default_factory=list)
    received: list[Type] = field(default_factory=list)
    runs_forever: bool = False
    places: dict[str, Local] | None = None
    whole: Type | None = None
    states: dict[str, Local] | None = None
    started: set[str] = field(default_factory=set)

    @property
    def is_handler(self) -> bool:
        return self.kind in ("data", "query")
