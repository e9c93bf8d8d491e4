"""Faults of automata, and of claims about them, that show only once their states are known."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.frontend.ast_claims import ClaimDecl
from pfl.frontend.ast_systems import AutomatonDecl, RelationDecl, States
from pfl.ir.interactive import Adjacency
from pfl.ir.plts import Plts
from pfl.transform.close_plts import NotOneResponse


def may_be_silent(declaration: AutomatonDecl, where: str) -> Diagnostic:
    return Diagnostic(
        code=codes.SILENT_FOR_EVER,
        message=f"`{declaration.name.text}` may take hidden steps for ever {where}",
        labels=(Label(declaration.name.span, "some runs say nothing more"),),
        help="an examiner only sees that no answer has come yet; such runs are compared by what was seen before",
    )


def dead_end(declaration: AutomatonDecl, state: str) -> Diagnostic:
    return Diagnostic(
        code=codes.DEAD_END,
        message=f"`{state}` does nothing and takes no input",
        labels=(Label(_declared(declaration, state), "runs that come here end"),),
        help="give it transitions; what an examiner sees of such a run is compared as far as it goes",
    )


def not_one_response(declaration: AutomatonDecl, plts: Plts, fault: NotOneResponse, clause: str) -> Diagnostic:
    """A run of a table on which queries and responses do not take turns, as a clause wants it."""
    state = plts.states[fault.state]
    output = plts.output(fault.state)
    response = "" if output is None else output.name
    message = {
        "unanswered": f"`{state}` waits for the next input although the last query was not answered",
        "again": f"`{state}` responds `{response}` although the last query was already answered",
        "unasked": f"`{state}` responds `{response}` although no query was asked",
    }[fault.problem]
    code = codes.RESPONSE_MISSING if fault.problem == "unanswered" else codes.RESPONSE_UNASKED
    first, *steps = fault.path
    path = plts.states[first[1]] + "".join(f" -- {action} --> {plts.states[target]}" for action, target in steps)
    return Diagnostic(
        code=code,
        message=message,
        labels=(Label(_declared(declaration, state), f"reached by {path}"),),
        help=f"for {clause} there must be exactly one response between a query and the next input",
    )


def no_data_points(declaration: AutomatonDecl, claim: Span, adjacency: Adjacency) -> Diagnostic:
    needed = "two different data points to exchange" if adjacency == "replace" else "a data point to add"
    return Diagnostic(
        code=codes.NO_DATA_POINTS,
        message=f"`{declaration.name.text}` does not have {needed}, so no two runs are compared",
        labels=(Label(claim, "this holds whatever the automaton does"),),
    )


def relation_of_other_arguments(declaration: RelationDecl, claim: ClaimDecl) -> Diagnostic:
    return Diagnostic(
        code=codes.RELATION_OF_OTHER_ARGUMENTS,
        message=f"relation `{declaration.name.text}` is for `{declaration.system.text}` with other arguments",
        labels=(
            Label(claim.system.span, "the claim is about these"),
            Label(declaration.system.span, "the relation is about others"),
        ),
        help="give both the same arguments",
    )


def negative_balance(declaration: RelationDecl, label: str, balance: str) -> Diagnostic:
    where = f" for {label}" if label else ""
    clause = next(clause for clause in declaration.clauses if clause.kind.text == "balance")
    return Diagnostic(
        code=codes.NEGATIVE_BALANCE,
        message=f"the balance of `{declaration.name.text}` is {balance}{where}, which is negative",
        labels=(Label(clause.value.span, "this much is left to give away"),),
        help="a balance goes down to 0, where related states must look the same",
    )


def _declared(declaration: AutomatonDecl, state: str) -> Span:
    names = (name for item in declaration.items if isinstance(item, States) for name in item.names)
    return next(name.span for name in names if name.text == state)
