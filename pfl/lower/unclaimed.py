"""Systems that no claim is about: built all the same where they are small, so that their faults are found.

Distributions as they are written: each is checked where its weights alone say that it is none, used or not.

What depends on a local, or stands where a condition may keep it from being used for the constants that it mentions, is
left to whoever draws from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.divided import Divisors
from pfl.base.exceptions import description, limit_met
from pfl.base.exponential import FinerUnit
from pfl.base.number import Number
from pfl.evaluation.faults import EvaluationFault, negative_weight, not_a_probability, weights_not_one
from pfl.evaluation.globals.global_errors import compiler_failed
from pfl.lower.hmm.hmm_systems import MOST_STATES, hmm_model
from pfl.lower.hmm.hmm_table import HmmTable, row_distribution
from pfl.lower.request import Session
from pfl.model.cardinality import size
from pfl.model.distribution import DistributionValue, NegativeWeight, TotalNotOne
from pfl.model.values import SymbolValue
from pfl.syntax.tree.ast import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    DistributionComprehension,
    DistributionLiteral,
    Expr,
    Logical,
    Match,
    Name,
    Node,
    Quantified,
    SetFilter,
)
from pfl.syntax.tree.ast_declarations import AutomatonDecl, HmmDecl, Row
from pfl.syntax.tree.ast_module import ClaimDecl
from pfl.syntax.tree.ast_statements import For, If, MatchStatement, While
from pfl.syntax.tree.tree_walk import children, descendants
from pfl.syntax.tree.vocabulary import GIVING_WAY
from pfl.typecheck.bindings import Builtin, CheckedProgram


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
        except FinerUnit:
            raise
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
        from pfl.lower.automaton.automata import automaton_with  # needed for automata only

        _ = automaton_with(session, session.compiler, declaration, ()).system  # for its faults alone
        return
    model = hmm_model(session.program, session.compiler, declaration)
    starts = model.initial(session.budget).noting(Divisors())
    if starts is not None or isinstance(model, HmmTable):
        _ = model.reach(starts or (), session.budget)


MOST_VALUES = 2_000
"""Comprehensions that go through more values than these are left to who draws from them."""

_GUARDS = (
    Conditional | Match | If | MatchStatement | While | For | Comprehension | DistributionComprehension | Quantified
) | (SetFilter | Logical | Binary)  # fmt: skip
"""What may keep a part of it from being evaluated."""


def check_written(session: Session) -> None:
    """Reports the distributions in the main file whose weights are negative, or do not sum to 1."""
    for declaration in session.program.main.declarations:
        for node, guarded in _distributions(declaration):
            before = len(session.values.side_conditions)
            try:
                session.found.extend(_faults(session, node, guarded))
            except InputRejected as rejected:
                session.found.extend(rejected.diagnostics)
            except (EvaluationFault, LimitReached):
                pass  # a weight without a value is told where it is needed
            if not isinstance(node, Row):
                session.values.side_conditions.rollback(before)


def _distributions(declaration: Node) -> Iterator[tuple[Node, bool]]:
    """Every distribution in a declaration, and whether a condition may keep it from being used."""
    pending = [(declaration, False)]
    while pending:
        node, guarded = pending.pop()
        if isinstance(node, DistributionLiteral | DistributionComprehension | Row | Call):
            yield node, guarded
        guards = guarded or isinstance(node, _GUARDS)
        pending += [(child, guards) for child in children(node)]


def _faults(session: Session, node: Node, guarded: bool) -> Iterator[Diagnostic]:
    match node:
        case Row(entries=entries) if all(e.weight is None or _is_closed(session, e.weight, guarded) for e in entries):
            if not any(session.compiler.reads(entry.key) for entry in entries if node.kind == "emits"):
                row_distribution(session.compiler, node)
        case DistributionLiteral(entries=entries):
            if all(_is_closed(session, entry.weight, guarded) for entry in entries):
                yield from _literal(session, node)
        case DistributionComprehension():
            if _is_closed(session, node, guarded) and _is_small(session, node):
                session.compiler.distribution(node)()
        case Call(callee=Name(text="bernoulli" | "binomial" as name) as callee, arguments=(*_, argument)):
            if isinstance(session.program.target(callee), Builtin) and _is_closed(session, argument.value, guarded):
                probability = session.compiler.number(argument.value)()
                yield from _probability(node, name, probability)
        case Call(callee=Name() as callee, arguments=arguments) if _is_noise_or_exponential(session, callee):
            closed = [_is_closed(session, argument.value, guarded) for argument in arguments]
            yield from _noise(session, node, callee.text, closed)


def _is_noise_or_exponential(session: Session, callee: Name) -> bool:
    target = session.program.target(callee)
    return isinstance(target, Builtin) and target.name in GIVING_WAY


def _is_closed(session: Session, node: Expr, guarded: bool) -> bool:
    """Whether an expression has one value; under a guard, for all values of constants and parameters."""
    if guarded and any(isinstance(part, Name) for part in descendants(node)):
        return False
    return not session.compiler.reads(node)


def _is_small(session: Session, node: DistributionComprehension) -> bool:
    """Whether a closed comprehension goes through few values; nobody may have asked for it."""
    total = 1
    for binder in node.binders:
        if session.compiler.reads(binder.domain):
            return False
        counted = size(session.compiler.domain(binder.domain)())
        total *= MOST_VALUES + 1 if counted is None else counted
    return total <= MOST_VALUES


def _literal(session: Session, node: DistributionLiteral) -> Iterator[Diagnostic]:
    weights = [session.compiler.number(entry.weight)() for entry in node.entries]
    keys = [SymbolValue(entry.key.span.text) for entry in node.entries]
    try:
        DistributionValue(enumerate(weights))
    except TotalNotOne as fault:
        yield weights_not_one(node.span, fault.total, list(zip(keys, weights))).diagnostic
    except NegativeWeight as fault:
        position = weights.index(fault.weight)
        yield negative_weight(node.span, keys[position], fault.weight).diagnostic


def _probability(node: Call, name: str, probability: Number) -> Iterator[Diagnostic]:
    try:
        DistributionValue([(True, probability), (False, 1 - probability)])
    except NegativeWeight:
        yield not_a_probability(node.span, probability, name).diagnostic


def _noise(session: Session, node: Call, name: str, closed: Sequence[bool]) -> Iterator[Diagnostic]:
    """What is wrong with an exponent, or with a mean, a scale or a parameter of noise, whatever the others are."""
    spans = [argument.value.span for argument in node.arguments]
    operation = session.compiler.namespace[f"_{name}"]
    try:
        values = [
            session.compiler.expression(argument.value)() if is_closed else _SOUND
            for argument, is_closed in zip(node.arguments, closed)
        ]
        if any(closed):
            operation(*values, spans[-1] if name == "exp" else (node.span, *spans))
    except EvaluationFault as fault:
        if fault.diagnostic.code in (codes.NOISE_PARAMETER, codes.NOT_AN_EXPONENT):
            yield fault.diagnostic


_SOUND = Fraction(1, 2)
"""A mean, a scale and a parameter that noise can have."""
