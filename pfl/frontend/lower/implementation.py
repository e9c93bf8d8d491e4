"""`check implements A of B`: both automata with hidden steps closed, to be compared."""

from __future__ import annotations

from pfl.frontend.lower.automata import automaton_of
from pfl.frontend.lower.request import Request, Setting, written
from pfl.ir.claims import Case, Cases, Question
from pfl.ir.coincidence import coincidences
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
    one, other = (automaton.system.noting(request.divisors) for automaton in (concrete, abstract))
    request.divisors.note(coincidences((*one.shown, *other.shown)))
    return Implementation(
        concrete=one,
        abstract=other,
        names=(written(request.claim.system.span), written(relation.span)),
        parameters=request.session.values.space,
    )
