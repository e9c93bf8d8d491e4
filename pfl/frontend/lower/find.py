"""`find`: the claim it is about, and which parameters are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.base.number import Number
from pfl.frontend.ast import Expr
from pfl.frontend.ast_claims import Clause, FindDecl
from pfl.frontend.lower.request import Session
from pfl.ir.claims import Indistinguishability, Synthesis


def synthesis(
    session: Session, declaration: FindDecl, question: Indistinguishability, clauses: Sequence[Clause]
) -> Synthesis:
    """The question of a find: values of its names for which the claim holds for all values of the other parameters.

    Names that `--set` fixes are not looked for.
    """
    free = question.parameters.names
    objective: Number | None = None
    direction: Literal["minimise", "maximise"] | None = None
    for clause in clauses:
        match clause.keyword.text:
            case "minimise" | "maximise" as word:
                assert isinstance(clause.value, Expr)
                objective, direction = session.compiler.number(clause.value)(), word
            case _:
                continue
    return Synthesis(
        names=tuple(name.text for name in declaration.names if name.text in free),
        claim=question,
        objective=objective,
        direction=direction,
    )
