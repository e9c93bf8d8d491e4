"""`find names such that claim`."""

from __future__ import annotations

from pfl.frontend.ast import Identifier
from pfl.frontend.ast_claims import ClaimDecl, Clause, FindDecl
from pfl.frontend.ast_globals import Param
from pfl.frontend.claim_kinds import FIND, FINDABLE, KINDS
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.names import ModuleNames, noun
from pfl.frontend.resolve.scope import Owner, Scope
from pfl.frontend.typecheck import claim_errors
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.claims import check_claim
from pfl.frontend.typecheck.clauses import check_find_clause


def check_find(checker: Checker, node: FindDecl, names: ModuleNames) -> None:
    """`find belief: p0, p1 such that pufferfish Survey { .. }`, and the form that names a claim."""
    _check_names(checker, node, names)
    target = node.target
    if isinstance(target, ClaimDecl):
        check_claim(checker, target, names, in_find=True)
        _report_unfindable(checker, target, target.kind)
        return
    claim = names.claims.get(target.text)
    if not isinstance(claim, ClaimDecl):
        _report_unknown(checker, target, names, claim)
    else:
        checker.bind(target, claim)
        _report_unfindable(checker, claim, target)
    _check_clauses(checker, node, names)


def _check_names(checker: Checker, node: FindDecl, names: ModuleNames) -> None:
    first: dict[str, Identifier] = {}
    for name in node.names:
        declaration = names.declared.get(name.text)
        if name.text in first:
            checker.found.add(name_errors.listed_twice(name, first[name.text].span, "what is to be found"))
        elif isinstance(declaration, Param):
            checker.bind(name, declaration)
        elif names.complete or declaration is not None:
            means = None if declaration is None else noun(declaration)
            checker.found.add(claim_errors.not_a_parameter(name, means, names.of_kind(Param)))
        first.setdefault(name.text, name)


def _report_unfindable(checker: Checker, claim: ClaimDecl, place: Identifier) -> None:
    if claim.kind.text not in KINDS:
        return  # that is reported
    if claim.verb != "check" or claim.kind.text not in FINDABLE:
        kinds = ", ".join(f"`{kind}`" for kind in sorted(FINDABLE))
        message = f"`find` does not solve a `{claim.verb} {claim.kind.text}`"
        checker.found.add(claim_errors.find_target(place, message, f"it solves checks of {kinds}"))


def _report_unknown(checker: Checker, target: Identifier, names: ModuleNames, found: FindDecl | None) -> None:
    if found is not None:
        message = f"`{target.text}` is itself a find"
        checker.found.add(claim_errors.find_target(target, message, "name a `check`"))
    elif names.complete:
        claims = [name for name, claim in names.claims.items() if isinstance(claim, ClaimDecl)]
        means = names.declared.get(target.text)
        checker.found.add(name_errors.unknown_of_kind("claim", target, claims, means))


def _check_clauses(checker: Checker, node: FindDecl, names: ModuleNames) -> None:
    scope = Scope(Owner(kind="claim", name="find", names=names, declares_outputs=True))
    first: dict[str, Clause] = {}
    for clause in node.clauses:
        keyword = clause.keyword.text
        if keyword not in FIND:
            checker.found.add(claim_errors.unknown_clause(clause, "find", "a named claim", FIND))
        elif keyword in first:
            checker.found.add(claim_errors.clause_twice(clause, first[keyword]))
        else:
            check_find_clause(checker, clause, scope)
        first.setdefault(keyword, clause)
    if "minimise" in first and "maximise" in first:
        checker.found.add(claim_errors.clauses_exclude(first["maximise"], first["minimise"]))
