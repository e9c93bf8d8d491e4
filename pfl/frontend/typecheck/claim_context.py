"""What the clauses of one claim see."""

from __future__ import annotations

from dataclasses import dataclass, field

from pfl.frontend.ast_claims import ClaimDecl
from pfl.frontend.ast_systems import HmmDecl, PriorDecl
from pfl.frontend.bindings import Local, Symbol
from pfl.frontend.claim_kinds import ClaimForm
from pfl.frontend.resolve.errors import local_hides_local
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.facts import SystemFacts


@dataclass(slots=True, kw_only=True, eq=False)
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
