"""Claims become questions. One claim at fault does not keep the others from being lowered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

from pfl.analysis.polynomial.cells import contradictory_assumptions
from pfl.analysis.polynomial.elimination import reduce_others
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.analysis.polynomial.points import find_point
from pfl.base.budget import Budget, ProgressReport, moment_after, silent
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected, LimitReached
from pfl.base.exceptions import description, limit_met
from pfl.base.exponential import FinerUnit
from pfl.base.source import Span
from pfl.evaluation.globals.global_errors import compiler_failed, limit_reached
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.evaluation.globals.unmet import Needed, conditions_on
from pfl.evaluation.linkage import GlobalValues
from pfl.lower.automaton.on_first_use import implementation, noninterference, relation_check
from pfl.lower.claim_errors import nothing_ranged_over
from pfl.lower.exponents import exponents_of, least_unit, plain_divisors, require_no_zero
from pfl.lower.find import synthesis
from pfl.lower.hmm_pufferfish import hmm_pufferfish
from pfl.lower.hmm_runs import hmm_expectation, hmm_probability
from pfl.lower.likelihood import likelihood
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.lower.mechanism.mechanism_system import MechanismSystems
from pfl.lower.mechanism.on_first_use import (
    mechanism_distribution,
    mechanism_expectation,
    mechanism_probability,
    mechanism_pufferfish,
    under_adjacencies,
)
from pfl.lower.request import Measured, Request, Session, requirement_of, written
from pfl.lower.unclaimed import check_unclaimed, check_written
from pfl.model.claims import Case, Claim, Limit, Origin, Question, with_exponents, with_relevant_parameters
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.parameters import Condition, ExponentialSpace
from pfl.model.program import EvaluationFault, describe
from pfl.model.validation.validation import Validation
from pfl.options import Options
from pfl.passes.alike import without_repetitions
from pfl.passes.own_units import in_own_units
from pfl.syntax.tree.ast import Name
from pfl.syntax.tree.ast_module import ClaimDecl, Clause, FindDecl
from pfl.typecheck.bindings import CheckedProgram

Lowering: TypeAlias = Callable[[Request], tuple[Case, ...]]
Done = TypeVar("Done")
Expected: TypeAlias = Literal["proved", "refuted", "found", "none"]


def _once(lowering: Callable[..., Question], *given: str) -> Lowering:
    """One question about all that a claim ranges over."""
    return lambda request: (Case(question=_without_repetitions(request, lowering(request, *given))),)


def _for_each(lowering: Callable[..., Question], *given: str) -> Lowering:
    """A question for each binding of `for`."""

    def cases(request: Request) -> tuple[Case, ...]:
        found = []
        for setting in request.settings():
            question = lowering(replace(request, setting=setting), *given)
            asked, required = _without_repetitions(request, question), requirement_of(request, setting)
            found.append(Case(arguments=setting.bindings, question=asked, required=required))
        return tuple(found)

    return cases


def _measured(lowering: Callable[..., Iterator[Measured]], *given: str) -> Lowering:
    """A question for each binding of `for`, and for whatever else a claim about runs ranges over."""
    return lambda request: tuple(
        Case(
            arguments=(*setting.bindings, *arguments),
            question=question,
            required=requirement_of(request, setting),
        )
        for setting, arguments, question in lowering(request, *given)
    )


def _without_repetitions(request: Request, question: Question) -> Question:
    if isinstance(question, Compare):
        return without_repetitions(question, request.session.budget)
    return question


def _about_mechanism(request: Request, goal: Literal["epsilon", "delta"]) -> Question:
    """Under a prior or between starts, else under adjacencies."""
    about_starts = request.has("secrets") or request.has("between")
    return mechanism_pufferfish(request, goal) if about_starts else under_adjacencies(request, goal)


_LOWERINGS: Mapping[tuple[str, str, str], Lowering] = {
    ("check", "pufferfish", "HmmDecl"): _once(hmm_pufferfish, "check"),
    ("compute", "epsilon", "HmmDecl"): _for_each(hmm_pufferfish, "epsilon"),
    ("compute", "delta", "HmmDecl"): _for_each(hmm_pufferfish, "delta"),
    ("compute", "likelihood", "HmmDecl"): _for_each(likelihood),
    ("check", "likelihood", "HmmDecl"): _for_each(likelihood),
    ("compute", "probability", "HmmDecl"): _measured(hmm_probability),
    ("check", "probability", "HmmDecl"): _measured(hmm_probability),
    ("compute", "expected steps", "HmmDecl"): _measured(hmm_expectation, "step"),
    ("check", "expected steps", "HmmDecl"): _measured(hmm_expectation, "step"),
    ("compute", "expected cost", "HmmDecl"): _measured(hmm_expectation, "cost"),
    ("check", "expected cost", "HmmDecl"): _measured(hmm_expectation, "cost"),
    ("compute", "probability", "MechanismDecl"): _measured(mechanism_probability),
    ("check", "probability", "MechanismDecl"): _measured(mechanism_probability),
    ("compute", "distribution", "MechanismDecl"): _measured(mechanism_distribution),
    ("check", "distribution", "MechanismDecl"): _measured(mechanism_distribution),
    ("compute", "expected steps", "MechanismDecl"): _measured(mechanism_expectation, "step"),
    ("check", "expected steps", "MechanismDecl"): _measured(mechanism_expectation, "step"),
    ("compute", "expected cost", "MechanismDecl"): _measured(mechanism_expectation, "cost"),
    ("check", "expected cost", "MechanismDecl"): _measured(mechanism_expectation, "cost"),
    ("check", "privacy", "MechanismDecl"): _once(under_adjacencies, "check"),
    ("check", "pufferfish", "MechanismDecl"): _once(mechanism_pufferfish, "check"),
    ("compute", "epsilon", "MechanismDecl"): _for_each(_about_mechanism, "epsilon"),
    ("compute", "delta", "MechanismDecl"): _for_each(_about_mechanism, "delta"),
    ("check", "noninterference", "AutomatonDecl"): _once(noninterference, "check"),
    ("compute", "epsilon", "AutomatonDecl"): _for_each(noninterference, "epsilon"),
    ("compute", "delta", "AutomatonDecl"): _for_each(noninterference, "delta"),
    ("check", "unwinding", "AutomatonDecl"): relation_check,
    ("check", "implements", "AutomatonDecl"): implementation,
}
"""By verb, kind and kind of system."""


class ClaimLowering:
    """The claims of the main file, which become questions one after the other, as they are asked for.

    `claims` are those that `options.claims` names, in order, with all that their texts alone say of them. `found`
    collects every fault and warning; those of systems that no claim is about are in it from the start. A stretch of
    work on one claim has the time limit to itself. What is built for one claim is there for those after it.
    """

    def __init__(
        self,
        program: CheckedProgram,
        values: GlobalValues,
        options: Options,
        found: Diagnostics,
        progress: ProgressReport = silent,
    ) -> None:
        self._options = options
        self._program = program
        self._found = found
        self.budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states, progress=progress)
        self._session = self._session_of(values)
        self.needed = [Needed(values=values)]
        self._validation = Validation()
        self.claims: tuple[Claim, ...] = ()
        self._declarations = [entry for entry in _named(program) if not options.claims or entry[0] in options.claims]
        if values.space.assumptions and find_point(values.space, self.budget) is None:
            found.add(contradictory_assumptions(values.space))
            return
        self.claims = tuple(_claim(program, name, declared) for name, declared in self._declarations)
        if not options.claims:
            self._with_fine_units(self._check_unasked)

    def _session_of(self, values: GlobalValues) -> Session:
        mechanisms = Mechanisms(self._program, values, self.budget)
        return Session(
            program=self._program,
            values=values,
            options=self._options,
            compiler=mechanisms.compiler,
            mechanisms=mechanisms,
            systems=MechanismSystems(mechanisms),
            budget=self.budget,
            found=self._found,
        )

    def _check_unasked(self) -> None:
        """Looks at what is written, whether a claim asks for it or not. Conditions on what some `find` looks for may be
        for that to satisfy."""
        finds = (claim for claim in self._program.claims() if isinstance(claim, FindDecl))
        session = self._sought(frozenset(name.text for claim in finds for name in claim.names))
        check_unclaimed(session)
        check_written(session)

    def _sought(self, names: frozenset[str]) -> Session:
        """A session of its own, in which conditions on some parameters are left to who looks for these."""
        if not names:
            return self._session
        equations = self._session.values.equations
        units = self._session.values.units
        values, _ = elaborate_globals(self._program, self._options, self.budget.progress, equations, names, units)
        self.needed.append(Needed(values=values, sought=names))
        return self._session_of(values)

    def place(self, number: int) -> Span:
        """Where the claim of that number stands."""
        return self._declarations[number][1].span

    def lower(self, number: int, progress: ProgressReport = silent) -> Claim | None:
        """The claim of that number as a question; None where it is at fault.

        One that meets a limit, or at which the compiler itself fails, has that in place of questions, and is told of
        with its place besides; with `options.debug` faults of the compiler escape.
        """
        name, declaration = self._declarations[number]
        found, budget = self._found, self.budget
        budget.deadline, budget.progress = moment_after(self._options.timeout), progress
        try:
            claim = self._with_fine_units(lambda: _lower(self._session_for(declaration), name, declaration))
            self._validation.require(claim)
            return claim
        except InputRejected as rejected:
            found.extend(rejected.diagnostics)
        except EvaluationFault as fault:
            found.add(fault.diagnostic)
        except LimitReached as limit:
            found.add(limit.diagnostic or limit_reached(limit.reason, declaration.span))
            return replace(self.claims[number], limit=Limit(reason=limit.reason))
        except Exception as error:
            return replace(self.claims[number], limit=self._ended(name, declaration, error))
        return None

    def _with_fine_units(self, done: Callable[[], Done]) -> Done:
        """What is done, anew wherever an exponent is no multiple of the unit of exponents, which gets finer."""
        while True:
            try:
                return done()
            except FinerUnit as finer:
                values = self._session.values
                units = {**values.units, finer.base: finer.unit}
                values, _ = elaborate_globals(
                    self._program, self._options, self.budget.progress, values.equations, units=units
                )
                self.needed.append(Needed(values=values))
                self._session = self._session_of(values)

    def _session_for(self, declaration: ClaimDecl | FindDecl) -> Session:
        """What claims share; a find has all to itself, since conditions that others need are not for it to satisfy."""
        if isinstance(declaration, ClaimDecl):
            return self._session
        return self._sought(frozenset(name.text for name in declaration.names))

    def _ended(self, name: str, declaration: ClaimDecl | FindDecl, error: Exception) -> Limit:
        """What is said of a claim whose lowering ended in an exception that nobody foresaw."""
        found = self._found
        if (limit := limit_met(error, self._options.memory)) is not None:
            found.add(limit_reached(limit, declaration.span))
            return Limit(reason=limit)
        if self._options.debug:
            raise error
        found.add(compiler_failed(f"claim `{name}`", description(error), declaration.span))
        return Limit(reason=f"the compiler has failed: {description(error)}", is_internal=True)


def lower_claims(
    program: CheckedProgram, values: GlobalValues, options: Options
) -> tuple[tuple[Claim, ...], tuple[Diagnostic, ...]]:
    """All claims of the main file that are not at fault, and every fault and warning found on the way."""
    found = Diagnostics()
    lowering = ClaimLowering(program, values, options, found)
    claims = [lowering.lower(number) for number in range(len(lowering.claims))]
    return tuple(claim for claim in claims if claim is not None), found.sorted()


def claim_names(program: CheckedProgram) -> tuple[str, ...]:
    """The names of all claims of the main file."""
    return tuple(name for name, _ in _named(program))


def _named(program: CheckedProgram) -> Iterator[tuple[str, ClaimDecl | FindDecl]]:
    """Claims with their names: the label, else `KIND SYSTEM`, and `#2` behind it where that is taken."""
    declarations = list(program.claims())
    taken = Counter(declaration.label.text for declaration in declarations if declaration.label is not None)
    for declaration in declarations:
        if declaration.label is not None:
            yield declaration.label.text, declaration
            continue
        name = _unnamed(declaration)
        taken[name] += 1
        yield name if taken[name] == 1 else f"{name} #{taken[name]}", declaration


def _unnamed(declaration: ClaimDecl | FindDecl) -> str:
    if isinstance(declaration, FindDecl):
        return f"find {', '.join(name.text for name in declaration.names)}"
    return f"{declaration.kind.text} {_subject(declaration)}"


def _subject(declaration: ClaimDecl) -> str:
    return written(declaration.system.span)


def _lower(session: Session, name: str, declaration: ClaimDecl | FindDecl) -> Claim:
    claim = _claim_in(session.program, declaration)
    sought = [name.text for name in declaration.names] if isinstance(declaration, FindDecl) else []
    request = Request(session=session, claim=claim, sought=frozenset(sought))
    system = type(session.program.target(claim.system.name)).__name__
    if next(request.settings(), None) is None:
        raise InputRejected([nothing_ranged_over(next(request.clauses("for")).span)])
    cases = _LOWERINGS[claim.verb, claim.kind.text, system](request)
    space = session.values.space
    exceptional: tuple[Condition, ...] = ()
    exponents = exponents_of(cases, session.values, declaration)
    divisors = (*request.divisors, *session.mechanisms.divisors)
    if exponents is not None:
        own = in_own_units(cases, divisors, exponents, least_unit(exponents, cases))
        cases, divisors, exponents = own.cases, own.divisors, own.space
    if exponents is None:
        divisors = plain_divisors(divisors, session.values, declaration.span, session.budget)
    else:
        require_no_zero(divisors, exponents, declaration.span, session.budget)
    if not isinstance(exponents, ExponentialSpace):
        space = exponents or space
        exceptional = vanishing(divisors, space, session.budget)
    if isinstance(declaration, FindDecl):
        (case,) = cases
        if isinstance(case.question, EnclosedCompare):
            from pfl.lower.enclosed_privacy import refuse_enclosed_find

            raise refuse_enclosed_find(declaration.span)
        assert isinstance(case.question, Compare), "the checker lets a find ask for nothing else"
        clauses = _own_clauses(declaration, claim)
        question = synthesis(session, declaration, case.question, clauses, exceptional, exponents)
        cases = (Case(question=question),)
        # Numbers do not mention what equations determine, and every value of a name leaves some of the others.
        space = reduce_others(space.restricted(*conditions_on(session.values, question.names)), question.names).space
    if isinstance(exponents, ExponentialSpace):
        cases = with_exponents(cases, exponents)
    else:
        cases = with_relevant_parameters(cases, space, exceptional)
    return replace(
        _claim(session.program, name, declaration),
        cases=cases,
        limit=None,
        exceptional=exceptional,
        notes=tuple(dict.fromkeys(request.notes)),
        remarks=tuple(dict.fromkeys(request.remarks)),
        programs=tuple(dict.fromkeys(map(describe, request.programs))),
    )


def _claim(program: CheckedProgram, name: str, declaration: ClaimDecl | FindDecl) -> Claim:
    """The claim with all that its text alone says of it, not lowered yet."""
    claim = _claim_in(program, declaration)
    return Claim(
        name=name,
        verb="find" if isinstance(declaration, FindDecl) else claim.verb,
        kind=claim.kind.text,
        subject=_subject(claim),
        origin=_origin(declaration.span),
        expected=_expected(declaration, _own_clauses(declaration, claim)),
        limit=Limit(reason="the claim has not been judged"),
        relation=_relation(claim),
    )


def _relation(claim: ClaimDecl) -> str:
    """`of B`, `by R`: what follows the system."""
    if claim.relation is None or claim.relation_word is None:
        return ""
    named = claim.relation.span if claim.relation_word == "of" else claim.relation.name.span
    return f"{claim.relation_word} {written(named)}"


def _own_clauses(declaration: ClaimDecl | FindDecl, claim: ClaimDecl) -> tuple[Clause, ...]:
    """The clauses of a claim; of a find those of the claim written out in it, else those that it has itself."""
    if isinstance(declaration, ClaimDecl) or claim is declaration.target:
        return claim.clauses
    return declaration.clauses


def _claim_in(program: CheckedProgram, declaration: ClaimDecl | FindDecl) -> ClaimDecl:
    """What is declared itself, or the claim that a find is about."""
    if isinstance(declaration, ClaimDecl):
        return declaration
    if isinstance(declaration.target, ClaimDecl):
        return declaration.target
    target = program.target(declaration.target)
    assert isinstance(target, ClaimDecl)
    return target


def _expected(declaration: ClaimDecl | FindDecl, clauses: tuple[Clause, ...]) -> Expected | None:
    """What `expect` says; a check is expected to be proved, a find to find something, a compute nothing."""
    for clause in clauses:
        if clause.keyword.text == "expect" and isinstance(clause.value, Name):
            match clause.value.text:
                case "proved" | "refuted" | "found" | "none" as word:
                    return word
    if isinstance(declaration, FindDecl):
        return "found"
    return "proved" if declaration.verb == "check" else None


def _origin(span: Span) -> Origin:
    end_line, end_column = span.end_position
    return Origin(file=span.file.name, line=span.line, column=span.column, end_line=end_line, end_column=end_column)
