"""What a run of statements belongs to, and so what may stand in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pfl.frontend.ast_statements import Return
from pfl.frontend.bindings import Local
from pfl.frontend.types import Type

BodyKind: TypeAlias = Literal["mechanism", "init", "step", "prior", "data", "query"]

WHERE: dict[BodyKind, str] = {
    "mechanism": "in a mechanism",
    "init": "in the `init` of an hmm",
    "step": "in the `step` of an hmm",
    "prior": "in a prior",
    "data": "in `on data`",
    "query": "in `on query`",
}


@dataclass(slots=True, kw_only=True, eq=False)
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
