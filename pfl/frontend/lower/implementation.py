"""`check implements A of B`: both automata with hidden steps closed, to be compared."""

from __future__ import annotations

from collections.abc import Iterator

from pfl.frontend.ast import Name
from pfl.frontend.ast_claims import ClaimDecl
from pfl.frontend.lower.automata import automaton_of
from pfl.frontend.lower.request import Request, Setting, written
from pfl.ir.claims import Case, Cases, Question
from pfl.ir.interactive_questions import Implementation


def implementation(request: Request) -> Question:
    """One comparison for every binding of `for`. Raises InputRejected and LimitReached."""
    found = [(setting, _compared(request, setting)) for setting in request.settings()]
    if len(found) == 1:
        return found[0][1]
    return Cases(cases=tuple(Case(arguments=setting.bindings, question=question) for setting, question in found))


def _compared(request: Request, setting: Setting) -> Implementation:
    concrete, abstract = automaton_of(request, setting), automaton_of(request, setting, request.claim.relation)
    request.programs.extend(a.program for a in (concrete, abstract) if a.program is not None)
    relation = request.claim.relation
    assert relation is not None, "the checker asks for an automaton"
    return Implementation(
        concrete=concrete.system,
        abstract=abstract.system,
        names=(written(request.claim.system.span), written(relation.span)),
        carries=tuple(_claims_about(request, written(relation.span))),
        parameters=request.session.values.space,
    )


def _claims_about(request: Request, system: str) -> Iterator[str]:
    """The claims of noninterference about a system with the same arguments, which an equal system satisfies, too.

    Those that are expected to fail are left out.
    """
    for claim in request.session.program.claims():
        if (
            isinstance(claim, ClaimDecl)
            and claim.kind.text == "noninterference"
            and written(claim.system.span) == system
            and not any(clause.keyword.text == "expect" and _is_refuted(clause.value) for clause in claim.clauses)
        ):
            yield claim.label.text if claim.label is not None else f"noninterference {system}"


def _is_refuted(expected: object) -> bool:
    return isinstance(expected, Name) and expected.text == "refuted"
