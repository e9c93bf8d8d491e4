"""What the clauses of one claim see.

What a claim must say: required clauses, and that there is something to judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import field

from pfl.base.struct import struct
from pfl.syntax.spelling import closest
from pfl.syntax.tree.ast_declarations import HmmDecl, MechanismDecl, PriorDecl
from pfl.syntax.tree.ast_module import ClaimDecl, Clause
from pfl.syntax.tree.vocabulary import ALWAYS, CLAUSES, FIND, WHOLE_RUNS, ClaimForm
from pfl.typecheck.bindings import Local, Symbol
from pfl.typecheck.checker import Checker
from pfl.typecheck.claims import claim_errors
from pfl.typecheck.facts import SystemFacts
from pfl.typecheck.names.name_errors import local_hides_local
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.types import BoolType, ErrorType


@struct(eq=False, frozen=False)
class ClaimContext:
    """One claim whose kind and system are known. `scope` has the variables of `for`.

    In `state_scope` the state of the system is known too. In `secret_scope` what the priors draw is known before the
    state, and `x@3` has a meaning.
    """

    node: ClaimDecl
    form: ClaimForm
    facts: SystemFacts
    scope: Scope
    priors: tuple[PriorDecl, ...]
    in_find: bool
    state_scope: Scope = field(init=False)
    secret_scope: Scope = field(init=False)

    @property
    def is_hmm(self) -> bool:
        return isinstance(self.facts.declaration, HmmDecl)

    @property
    def system(self) -> str:
        """The name of the system, as written."""
        return self.node.system.name.text

    def open_worlds(self, checker: Checker) -> None:
        """Builds the scopes, from the system and from what the priors have in common."""
        self.state_scope = self.scope.inner()
        for local in self.facts.state.values():
            self.state_scope.put(local)
        self.secret_scope = self.state_scope.inner(layer="world", moments=self.is_hmm)
        world = self._world(checker)
        for local in world:
            self.secret_scope.put(local)
        known = {local.name.text: local for local in (*world, *self.facts.state.values())}
        for binder in self.scope.own():
            if (earlier := known.get(binder.name.text)) is not None:
                checker.found.add(local_hides_local(binder.name, earlier))
        for prior in self.priors:
            for name in checker.symbols[id(prior)]:
                self.scope.owner.letters.setdefault(name, Symbol(name=name))

    def _world(self, checker: Checker) -> list[Local]:
        """The names that every prior draws, as the first one declares them."""
        worlds = [checker.worlds[id(prior)] for prior in self.priors]
        common: list[Local] = []
        for name in dict.fromkeys(name for world in worlds for name in world):
            lacking = [prior for prior, world in zip(self.priors, worlds) if name not in world]
            if lacking:
                self.scope.owner.hints[name] = f"prior `{lacking[0].name.text}` does not draw `{name}`"
            elif any(world[name].type != worlds[0][name].type for world in worlds):
                self.scope.owner.hints[name] = f"the priors give `{name}` different types"
            else:
                common.append(worlds[0][name])
        return common


def misspelt(clauses: Iterable[Clause], known: Set[str]) -> set[str]:
    """The clauses that were probably meant by unknown ones, which are reported as that."""
    unknown = (clause.keyword.text for clause in clauses if clause.keyword.text not in known)
    return {guess for keyword in unknown if (guess := closest(keyword, known)) is not None}


def check_needs(checker: Checker, claim: ClaimContext, clauses: Sequence[Clause]) -> None:
    """Reports clauses that are missing or exclude each other, and claims that have nothing to judge."""
    given = {clause.keyword.text: clause for clause in reversed(clauses)}
    form = claim.form
    for keyword in sorted(form.required - given.keys()):
        _missing(checker, claim, {keyword})
    for group in form.some_of:
        if not group & given.keys():
            _missing(checker, claim, group)
    for group in form.one_of:
        if not group & given.keys():
            _missing(checker, claim, group)
        _exclusive(checker, group, clauses)
    _exclusive(checker, form.alternatives, clauses)
    _exclusive(checker, frozenset({"minimise", "maximise"}), clauses)
    if isinstance(claim.facts.declaration, MechanismDecl):
        _mechanism_needs(checker, claim, given)
    elif claim.is_hmm:
        _hmm_needs(checker, claim, given)


def _missing(checker: Checker, claim: ClaimContext, keywords: Set[str], why: str | None = None) -> None:
    """Reports that one of some clauses is missing, unless it seems to be there."""
    if not _seems_given(claim, keywords):
        kind = f"{claim.form.verb} {claim.form.kind}"
        checker.found.add(claim_errors.clause_missing(claim.node.kind, kind, keywords, why))


def _seems_given(claim: ClaimContext, keywords: Set[str]) -> bool:
    """Whether an unknown clause was probably meant as one of some, or one of another kind shows that the kind is wrong:
    those are reported as that."""
    known = claim.form.clauses
    foreign = {clause.keyword.text for clause in claim.node.clauses} & (CLAUSES - known - ALWAYS - FIND)
    return bool(foreign or keywords & misspelt(claim.node.clauses, known))


def _exclusive(checker: Checker, group: frozenset[str], clauses: Sequence[Clause]) -> None:
    present = [clause for clause in clauses if clause.keyword.text in group]
    for extra in present[1:]:
        if extra.keyword.text != present[0].keyword.text:
            checker.found.add(claim_errors.clauses_exclude(extra, present[0]))


def _hmm_needs(checker: Checker, claim: ClaimContext, given: dict[str, Clause]) -> None:
    """Something says where an hmm starts: its `init`, a prior, or the claim; and what is asked about is seen."""
    if claim.form.some_of and claim.facts.output is None and claim.facts.complete:
        checker.found.add(claim_errors.nothing_observed(claim.node.system, claim.system, claim.facts.is_table))
    starts = tuple(word for word in ("prior", "between", "from") if word in claim.form.clauses)
    needs_start = "secrets" in given or not {"between"} & given.keys()
    given_or_meant = given.keys() | misspelt(claim.node.clauses, claim.form.clauses)
    if claim.facts.has_start or {"prior", "from"} & given_or_meant or not needs_start:
        return
    if claim.form.some_of and not {"secrets", "between"} & given.keys():
        return  # reported as a missing clause
    checker.found.add(claim_errors.no_start(claim.node.system, claim.system, starts))


def _mechanism_needs(checker: Checker, claim: ClaimContext, given: dict[str, Clause]) -> None:
    facts, form = claim.facts, claim.form
    compares = "adjacent" in form.clauses
    is_pufferfish = bool({"prior", "secrets", "between"} & given.keys()) or form.kind == "pufferfish"
    if form.kind in WHOLE_RUNS and facts.receives:
        checker.found.add(claim_errors.adversary_chooses(claim.node.system, form.kind, claim.system))
    if "length" in form.clauses and facts.runs_forever and "length" not in given:
        _missing(checker, claim, {"length"}, f"`{claim.system}` runs for ever")
    if is_pufferfish and "secrets" in given and "prior" not in given and not _seems_given(claim, {"prior"}):
        checker.found.add(claim_errors.secrets_without_prior(claim.node.kind, claim.node.verb, claim.system))
    by_secrets = next((given[word] for word in ("prior", "secrets", "between") if word in given), None)
    by_inputs = next((given[word] for word in ("adjacent", "received", "one way") if word in given), None)
    if by_secrets is not None and by_inputs is not None:
        checker.found.add(claim_errors.clauses_exclude(by_inputs, by_secrets))
    if compares and not is_pufferfish and "adjacent" not in given:
        if facts.inputs:
            _missing(checker, claim, {"adjacent"}, f"it relates the inputs of `{claim.system}`")
        elif not facts.receives:
            checker.found.add(claim_errors.nothing_to_compare(claim.node.system, claim.system))
    asks_result = form.kind == "probability" and not {"returns", "terminates"} & given.keys()
    if asks_result and not isinstance(facts.result, BoolType | ErrorType):
        _missing(checker, claim, {"returns", "terminates"})
