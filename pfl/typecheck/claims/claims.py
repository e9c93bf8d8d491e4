"""Claims: their kind, the system they are about, its arguments, and which clauses they have.

`find names such that claim`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_declarations import AutomatonDecl, HmmDecl, MechanismDecl, Param, RelationDecl
from pfl.syntax.tree.ast_module import ClaimDecl, Clause, FindDecl, ForBinding
from pfl.syntax.tree.vocabulary import CLAUSES, FIND, FINDABLE, FORMS, KINDS, WHOLE_RUNS, ClaimForm, SystemKind, forms
from pfl.typecheck.bindings import Symbol
from pfl.typecheck.checker import Checker
from pfl.typecheck.claims import claim_errors
from pfl.typecheck.claims.claim_context import ClaimContext, check_needs, misspelt
from pfl.typecheck.claims.clauses import check_clause, check_find_clause
from pfl.typecheck.facts import SystemFacts
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Owner, Scope, System, noun
from pfl.typecheck.systems.system_arguments import check_system_arguments, named_priors
from pfl.typecheck.written_types import domain

_SYSTEMS: dict[SystemKind, type] = {"hmm": HmmDecl, "mechanism": MechanismDecl, "automaton": AutomatonDecl}

_INSTEAD: dict[tuple[str, SystemKind], str] = {
    ("privacy", "hmm"): "check pufferfish",
    ("privacy", "automaton"): "check noninterference",
    ("pufferfish", "automaton"): "check noninterference",
    ("noninterference", "hmm"): "check pufferfish",
    ("noninterference", "mechanism"): "check privacy",
    ("likelihood", "mechanism"): "compute probability",
    ("distribution", "hmm"): "compute likelihood",
}
"""What is asked of another kind of system."""


def check_claim(checker: Checker, node: ClaimDecl, names: ModuleNames, *, in_find: bool = False) -> None:
    """`check contagious: pufferfish Survey { .. }`, and the same in a find."""
    form_list = _known_kind(checker, node, names, in_find)
    system = _system(checker, node, names, form_list)
    owner = Owner(kind="claim", name=node.system.name.text, names=names, declares_outputs=True)
    scope = Scope(owner)
    _bind_for(checker, node.clauses, scope)
    if system is None:
        return
    facts = checker.facts[id(system)] if checker.ensure(system, node.system.name) else None
    form = _form(checker, node, system, form_list)
    if facts is None or form is None:
        return
    owner.letters = {name: Symbol(name=name) for name in facts.symbols}
    _check_arguments(checker, node, facts, form, scope)
    _check_relation(checker, node, form, names, scope)
    clauses = _known_clauses(checker, node.clauses, form, in_find)
    priors = named_priors(checker, clauses, system, scope)
    named = sum(clause.keyword.text == "prior" for clause in clauses)
    names_meant = {"for", "prior"} & misspelt(node.clauses, form.clauses)
    lacks_prior = isinstance(system, MechanismDecl) and not named and "secrets" in {c.keyword.text for c in clauses}
    owner.complete = facts.complete and len(priors) == named and not names_meant and not lacks_prior
    owner.hints.update(_why_no_name(facts, form, named > 0 or lacks_prior))
    claim = ClaimContext(node=node, form=form, facts=facts, scope=scope, priors=priors, in_find=in_find)
    claim.open_worlds(checker)
    for clause in clauses:
        check_clause(checker, clause, claim)
    check_needs(checker, claim, clauses)


def _known_kind(checker: Checker, node: ClaimDecl, names: ModuleNames, in_find: bool) -> tuple[ClaimForm, ...]:
    kind = node.kind.text
    if kind not in KINDS:
        checker.found.add(
            claim_errors.unknown_kind(node.kind, "find" if in_find else node.verb, _kinds_offered(node, names, in_find))
        )
        return ()
    found = forms(node.verb, kind)
    if not found:
        other = "compute" if node.verb == "check" else "check"
        checker.found.add(claim_errors.wrong_verb(node.kind, node.verb, other))
    return found


def _kinds_offered(node: ClaimDecl, names: ModuleNames, in_find: bool) -> tuple[str, ...]:
    """The kinds that a claim with this verb can be of, about its system if that is known."""
    system = names.declared.get(node.system.name.text)
    about = kind_of(system) if isinstance(system, System) else None
    offered = (form for form in FORMS if form.verb == node.verb and about in (None, form.system))
    return tuple(dict.fromkeys(form.kind for form in offered if not in_find or form.kind in FINDABLE))


def _system(checker: Checker, node: ClaimDecl, names: ModuleNames, form_list: Iterable[ClaimForm]) -> System | None:
    name = node.system.name
    declaration = names.declared.get(name.text)
    if isinstance(declaration, System):
        checker.bind(name, declaration)
        return declaration
    if names.complete or declaration is not None:
        wanted = tuple(dict.fromkeys(form.system for form in form_list)) or tuple(_SYSTEMS)
        candidates = names.of_kind(*(_SYSTEMS[kind] for kind in wanted))
        checker.found.add(name_errors.unknown_of_kind(" or ".join(wanted), name, candidates, declaration))
    return None


def kind_of(system: System) -> SystemKind:
    """`hmm`, `mechanism` or `automaton`."""
    return next(kind for kind, class_ in _SYSTEMS.items() if isinstance(system, class_))


def _form(checker: Checker, node: ClaimDecl, system: System, form_list: Sequence[ClaimForm]) -> ClaimForm | None:
    """The form of the claim for its kind of system; None, and a report, where there is none."""
    kind = kind_of(system)
    for form in form_list:
        if form.system == kind:
            return form
    if form_list:
        wanted = [form.system for form in form_list]
        instead = _INSTEAD.get((node.kind.text, kind))
        checker.found.add(claim_errors.wrong_system(node.system.name, node.kind.text, system, wanted, instead))
    return None


def _bind_for(checker: Checker, clauses: Sequence[Clause], scope: Scope) -> None:
    """`for x in S;` binds x in the arguments and in every clause, wherever it stands."""
    for clause in clauses:
        if isinstance(clause.value, ForBinding):
            element = domain(checker, clause.value.domain, scope)
            checker.declare(scope, "binder", clause.value.variable, element, clause.value.domain)


def _check_arguments(checker: Checker, node: ClaimDecl, facts: SystemFacts, form: ClaimForm, scope: Scope) -> None:
    """Checks the arguments of the system: those a claim gives; for probabilities and expectations also all of them."""
    reference = node.system
    arguments = reference.arguments or ()
    parameters = facts.given
    ranges_over_all = form.kind in WHOLE_RUNS
    if isinstance(facts.declaration, MechanismDecl) and ranges_over_all and len(arguments) != len(facts.given):
        parameters = facts.declaration.parameters
    inputs = () if ranges_over_all else facts.inputs
    check_system_arguments(
        checker,
        reference,
        arguments,
        parameters,
        reference.name.text,
        scope,
        inputs,
        compares="adjacent" in form.clauses and isinstance(facts.declaration, MechanismDecl),
    )


def _check_relation(checker: Checker, node: ClaimDecl, form: ClaimForm, names: ModuleNames, scope: Scope) -> None:
    """What follows `of` or `by`."""
    reference = node.relation
    if form.relation is None:
        if reference is not None:
            checker.found.add(claim_errors.unwanted_relation(reference, form.kind))
        return
    if reference is None or node.relation_word != form.relation:
        checker.found.add(claim_errors.relation_missing(node.kind, form.kind, form.relation))
        return
    name = reference.name
    wanted, class_ = ("relation", RelationDecl) if form.relation == "by" else ("automaton", AutomatonDecl)
    declaration = names.declared.get(name.text)
    if not isinstance(declaration, RelationDecl | AutomatonDecl) or not isinstance(declaration, class_):
        if names.complete or declaration is not None:
            checker.found.add(name_errors.unknown_of_kind(wanted, name, names.of_kind(class_), declaration))
        return
    checker.bind(name, declaration)
    if not checker.ensure(declaration, name):
        return
    if isinstance(declaration, AutomatonDecl):
        check_system_arguments(checker, reference, reference.arguments or (), declaration.parameters, name.text, scope)
        return
    if reference.arguments is not None:
        why = "its parameters range over all their values"
        checker.found.add(claim_errors.arguments_not_taken(reference, name.text, why))
    if checker.target(declaration.system) is not checker.target(node.system.name):
        system = node.system.name.text
        checker.found.add(claim_errors.foreign_prior(name, "relation", name.text, declaration.system, system))


def _why_no_name(facts: SystemFacts, form: ClaimForm, has_prior: bool) -> Iterator[tuple[str, str]]:
    """For the parameters of a system, why the clauses of a claim do not know them, and what to write."""
    for parameter in (*facts.given, *facts.inputs):
        name = parameter.name.text
        if parameter in facts.given or (form.kind in WHOLE_RUNS and not has_prior):
            advice = f"the claim gives `{name}` its value: write that value, or bind it to a name by `for v in S;`"
        elif has_prior:
            advice = f"secrets are about what a prior draws: draw `v ~ ..;`, `start {name} = v;`, and name `v`"
        else:
            advice = f"`{name}` is compared, and differs between the two runs: `adjacent` says how"
        yield name, advice


def _known_clauses(checker: Checker, clauses: Sequence[Clause], form: ClaimForm, in_find: bool) -> tuple[Clause, ...]:
    """The clauses that the form knows, each once unless it may be repeated; reports the others."""
    allowed = form.clauses | FIND if in_find else form.clauses
    first: dict[str, Clause] = {}
    known: list[Clause] = []
    for clause in clauses:
        keyword = clause.keyword.text
        if keyword not in allowed:
            says_verb = form.kind in CLAUSES or _differs_by_verb(form, keyword)
            name = f"{form.verb} {form.kind}" if says_verb else form.kind
            article = "an" if form.system in ("automaton", "hmm") else "a"
            others = _kinds_with(keyword, form)
            checker.found.add(claim_errors.unknown_clause(clause, name, f"{article} {form.system}", allowed, others))
        elif keyword in first and keyword not in form.repeatable:
            checker.found.add(claim_errors.clause_twice(clause, first[keyword]))
        else:
            known.append(clause)
        first.setdefault(keyword, clause)
    return tuple(known)


def _kinds_with(keyword: str, form: ClaimForm) -> tuple[str, ...]:
    """The claims about the same kind of system that have a clause, only the likelier ones; none where they are many."""
    others = [other for other in FORMS if other.system == form.system and keyword in other.clauses]
    same_kind = [other for other in others if other.kind == form.kind]
    same_verb = [other for other in others if other.verb == form.verb]
    likely = same_kind or same_verb or others
    return tuple(f"{other.verb} {other.kind}" for other in likely) if len(likely) <= 2 else ()


def _differs_by_verb(form: ClaimForm, keyword: str) -> bool:
    """Whether the other verb has the clause, so that the verb is what is wrong."""
    return any(
        keyword in other.clauses
        for other in FORMS
        if other.kind == form.kind and other.system == form.system and other.verb != form.verb
    )


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
