"""Probabilities, distributions and expectations of mechanisms: of the results of their runs, and of what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

from pfl.analysis.chains.chain_structure import endless_state, reachable_states
from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.explore.errors import noise_misplaced
from pfl.lower.claim_errors import endless_runs, real_numbers_shown, told_of_part
from pfl.lower.mechanism.adjacency import Inputs, all_inputs, inputs_text
from pfl.lower.mechanism.mechanism import MechanismProgram, subject_of
from pfl.lower.request import Measured, Request, Setting, written
from pfl.model.coincidence import coincidence, coincidences
from pfl.model.distribution import DistributionValue
from pfl.model.measure import Cost, Measure, Reach, Results
from pfl.model.noise import Noise
from pfl.model.program import Costs
from pfl.model.values import NEVER, TRUE, Value, in_order, show
from pfl.passes.run_chain import RunChain, run_chain
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.syntax.tree.ast_module import Filtered
from pfl.typecheck.bindings import given_parameters, input_parameters

HALT = "halt"
"""The result of a run that ends without a value."""


@struct(eq=False)
class _Asked:
    """A mechanism with values of all its parameters, under one binding of `for`; `arguments` are those that a claim
    ranges over besides."""

    setting: Setting
    declaration: MechanismDecl
    given: tuple[Value, ...]
    inputs: Inputs
    arguments: tuple[tuple[str, str], ...] = ()


@struct(eq=False)
class _Run:
    """What was asked, the chain of the mechanism's runs, and the state in which this one starts."""

    asked: _Asked
    runs: RunChain
    state: int

    @property
    def label(self) -> str:
        """The mechanism with its arguments."""
        return subject_of(self.asked.declaration, (*self.asked.given, *self.asked.inputs))

    def measured(self, quantity: Reach | Cost | Results) -> Measured:
        """What is asked of this run."""
        start = ((self.state, Fraction(1)),)
        question = Measure(system=self.runs.chain, start=start, quantity=quantity, left=self.runs.left)
        return Measured(self.asked.setting, self.asked.arguments, question)


def mechanism_probability(request: Request) -> Iterator[Measured]:
    """The questions of `probability`: of a result, of one of several, or of coming to an end.

    Raises InputRejected and LimitReached.
    """
    for run in _runs(request, None):
        yield run.measured(Reach(goal=run.runs.ends if request.has("terminates") else _wanted_ends(request, run)))


def mechanism_expectation(request: Request, unit: Literal["step", "cost"]) -> Iterator[Measured]:
    """The questions of `expected steps` and `expected cost` of whole runs: turns of loops, or what `tick` says.

    Raises InputRejected and LimitReached.
    """
    for run in _runs(request, "turns" if unit == "step" else "ticks"):
        yield run.measured(Cost(goal=run.runs.ends, unit=unit))


def mechanism_distribution(request: Request) -> Iterator[Measured]:
    """The questions of `distribution`: of all results, and of never ending; a check says what it must be.

    Raises InputRejected and LimitReached.
    """
    node = request.value("equals")
    for run in _runs(request, None):
        specified = None if node is None else run.asked.setting.compiler.distribution(node)()
        if node is not None and isinstance(specified, Noise):
            raise InputRejected([noise_misplaced(specified)])
        yield run.measured(_results(request, run, specified, node))


def _results(request: Request, run: _Run, specified: DistributionValue | None, node: Expr | None) -> Results:
    returned = run.runs.results
    named: Sequence[Value] = () if specified is None else [v for v in specified.support if v is not NEVER]
    values = in_order(dict.fromkeys((*returned, *named)))
    request.divisors.note(coincidences(values))
    outcomes = [(show(value), returned.get(value)) for value in values]
    if run.runs.halt is not None:
        outcomes.append((HALT, run.runs.halt))
    weights: tuple[Number, ...] | None = None
    if specified is not None:
        halted = () if run.runs.halt is None else (Fraction(0),)
        weights = (*(specified.weight(value) for value in values), *halted, specified.weight(NEVER))
    return Results(
        outcomes=tuple(outcomes),
        specified=weights,
        label=run.label,
        specification="" if node is None else written(node.span),
    )


def _wanted_ends(request: Request, run: _Run) -> frozenset[int]:
    """The ends of runs with a result that the claim asks about."""
    is_wanted = _wanted(request, run)
    return frozenset(end for value, end in run.runs.results.items() if is_wanted(value))


def _wanted(request: Request, run: _Run) -> Callable[[Value], bool]:
    """Which results `returns` names; without it, `true`."""
    setting = run.asked.setting
    for clause in request.clauses("returns"):
        if isinstance(clause.value, Filtered):
            variable = request.session.program.local(clause.value.variable)
            return setting.compiler.condition(clause.value.condition, [variable])
        assert isinstance(clause.value, Expr)
        wanted = setting.compiler.expression(clause.value)()
        request.divisors.note(coincidence(value, wanted) for value in run.runs.results)
        return lambda value: value == wanted
    return lambda value: value is TRUE


# --- exploring ---------------------------------------------------------------


def _runs(request: Request, costs: Costs | None) -> list[_Run]:
    """The runs that a claim is about; those of one program are explored together."""
    mechanisms = request.session.mechanisms
    asked = [case for setting in request.settings() for case in _asked(request, setting)]
    programs = [mechanisms.program_of(case.declaration, case.given, costs) for case in asked]
    inputs: dict[MechanismProgram, dict[Inputs, int]] = {}
    for case, program in zip(asked, programs):
        known = inputs.setdefault(program, {})
        known.setdefault(case.inputs, len(known))
    request.programs.extend(program.program for program in inputs)
    graphs = {
        program: mechanisms.graph_in_part(program, list(known))
        if costs is None
        else mechanisms.graph(program, list(known), costs)
        for program, known in inputs.items()
    }
    if costs is None and not request.has("terminates"):
        for program, graph in graphs.items():
            if graph.tells_parts:
                asked_about = "the probability of a result"
                raise InputRejected([real_numbers_shown(program.declaration, asked_about, request.claim.span)])
    chains = {program: run_chain(graph) for program, graph in graphs.items()}
    for program, chain in chains.items():
        if chain.left is not None:
            request.remarks.append(told_of_part(program.program.name, chain.left))
    runs = [
        _Run(asked=case, runs=chains[program], state=chains[program].starts[inputs[program][case.inputs]])
        for case, program in zip(asked, programs)
    ]
    if not request.has("terminates"):
        _warn_of_endless_runs(request, runs)
    return runs


def _asked(request: Request, setting: Setting) -> Iterator[_Asked]:
    """The mechanism with the arguments that the claim gives; where it gives none for the inputs, with all values."""
    session, reference = request.session, request.claim.system
    declaration = session.program.target(reference.name)
    assert isinstance(declaration, MechanismDecl)
    fixed = given_parameters(session.program.target, declaration)
    inputs = input_parameters(session.program.target, declaration)
    arguments = reference.arguments or ()
    name = declaration.name.text
    if inputs and len(arguments) == len(fixed):
        given = setting.compiler.arguments(fixed, arguments, name)()
        bound = session.mechanisms.bound(declaration, given)
        subject = subject_of(declaration, given)
        for values in all_inputs(session.program, bound, inputs, subject, session.budget.max_states):
            named = tuple((parameter.name.text, show(value)) for parameter, value in zip(inputs, values))
            yield _Asked(setting=setting, declaration=declaration, given=given, inputs=values, arguments=named)
        return
    values = setting.compiler.arguments(declaration.parameters, arguments, name)()
    given, own = session.mechanisms.given_and_inputs(declaration, values)
    yield _Asked(setting=setting, declaration=declaration, given=given, inputs=own)


def _warn_of_endless_runs(request: Request, runs: Sequence[_Run]) -> None:
    """One warning a chain if some run may have no end."""
    endless = {
        runs: endless_state(runs.chain, runs.ends if runs.left is None else runs.ends | {runs.left})
        for runs in dict.fromkeys(run.runs for run in runs)
    }
    warned: set[RunChain] = set()
    for run in runs:
        trap = endless[run.runs]
        if trap is None or run.runs in warned or trap not in reachable_states(run.runs.chain, [run.state]):
            continue
        warned.add(run.runs)
        declaration = run.asked.declaration
        start = inputs_text(input_parameters(request.session.program.target, declaration), run.asked.inputs)
        request.session.found.add(endless_runs(declaration, start, is_compared=False))
