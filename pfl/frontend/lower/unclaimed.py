"""Systems that no claim is about: built all the same where they are small, so that their faults are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.divided import Divisors
from pfl.base.exceptions import description, limit_met
from pfl.frontend.ast_claims import ClaimDecl
from pfl.frontend.ast_systems import AutomatonDecl, HmmDecl
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.compile.faults import EvaluationFault
from pfl.frontend.elaborate.errors import compiler_failed
from pfl.frontend.lower.automata import automaton_with
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_systems import MOST_STATES
from pfl.frontend.lower.request import Session


def check_unclaimed(session: Session) -> None:
    """Reports faults, such as rows that do not sum to 1, of hmms and automata without parameters in the main file."""
    limited = Budget(deadline=session.budget.deadline, max_states=MOST_STATES, progress=session.budget.progress)
    for declaration in _unclaimed(session.program):
        try:
            _build(replace(session, budget=limited), declaration)
        except InputRejected as rejected:
            session.found.extend(rejected.diagnostics)
        except EvaluationFault as fault:
            session.found.add(fault.diagnostic)
        except LimitReached:
            continue  # it is not small
        except Exception as error:
            if session.options.debug:
                raise
            if limit_met(error, session.options.memory) is None:
                what = f"`{declaration.name.text}`"
                session.found.add(compiler_failed(what, description(error), declaration.name.span))


def _unclaimed(program: CheckedProgram) -> Iterator[HmmDecl | AutomatonDecl]:
    declared = [d for d in program.main.declarations if isinstance(d, HmmDecl | AutomatonDecl)]
    claimed = {
        id(program.target(reference.name))
        for claim in program.main.declarations
        if isinstance(claim, ClaimDecl)
        for reference in (claim.system, claim.relation)
        if reference is not None
    }
    return (each for each in declared if not each.parameters and id(each) not in claimed)


def _build(session: Session, declaration: HmmDecl | AutomatonDecl) -> None:
    if isinstance(declaration, AutomatonDecl):
        _ = automaton_with(session, session.compiler, declaration, ()).system  # for its faults alone
        return
    model = HmmModel(program=session.program, compiler=session.compiler, declaration=declaration)
    starts = model.initial(session.budget).noting(Divisors())
    if starts is not None or model.table_states:
        _ = model.reach(starts or (), session.budget)
