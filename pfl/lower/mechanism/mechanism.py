"""Mechanisms as programs, and the distribution of what one returns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.divided import Divisors
from pfl.base.exponential import ONE
from pfl.base.number import summed
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import run
from pfl.evaluation.linkage import GlobalValues
from pfl.lower.exponents import require_positive
from pfl.model.distribution import DistributionValue
from pfl.model.noise import NoiseMet
from pfl.model.program import Costs, Program, Stop
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import NEVER, Value, show
from pfl.passes.close_silent import close_silent
from pfl.passes.exploration import explored, explored_in_part
from pfl.programs.inlining import mechanism_scope
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.sequential import SequentialLoop, sequential_loop
from pfl.programs.statements import mechanism_body
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.typecheck.bindings import CheckedProgram, given_parameters, input_parameters


@struct(eq=False)
class MechanismProgram:
    """The program of a mechanism whose `given` parameters have values: its `inputs` are the others, in order, but for
    the arrays that it is given element by element in a loop."""

    declaration: MechanismDecl
    program: Program
    inputs: tuple[Parameter, ...]
    loop: SequentialLoop | None = None

    def start(self, values: Sequence[Value]) -> dict[str, Value]:
        """The start of the program for values of the inputs."""
        return dict(zip(self.program.inputs, values))


class Mechanisms:
    """The mechanisms of a checked program.

    `compiler` compiles the expressions of the program; a mechanism that is called in one is run here. Each mechanism is
    made into a program once for each values of the parameters that claims give, and explored once for each inputs.
    `divisors` are what the distributions of such calls were divided by: what depends on one can be anything that is
    evaluated later.
    """

    def __init__(self, program: CheckedProgram, globals: GlobalValues, budget: Budget) -> None:
        self.program = program
        self.budget = budget
        self._globals = globals
        self.compiler = Compiler.of(program, globals, mechanism_distribution=self.distribution, budget=budget)
        self.divisors = Divisors()
        self._programs: dict[tuple[int, tuple[Value, ...], Costs | None], MechanismProgram] = {}
        self._sequential: dict[tuple[int, tuple[Value, ...]], MechanismProgram | None] = {}

    def program_of(
        self, declaration: MechanismDecl, given: Sequence[Value], costs: Costs | None = None
    ) -> MechanismProgram:
        """The program of a mechanism, with the account of `costs` kept.

        `given` are the values of its given parameters, in order, already checked.
        """
        key = (id(declaration), tuple(given), costs)
        known = self._programs.get(key)
        if known is None:
            known = self._programs[key] = self._lowered(declaration, given, costs=costs)
        return known

    def sequential_program_of(self, declaration: MechanismDecl, given: Sequence[Value]) -> MechanismProgram | None:
        """The same, given some of its arrays element by element; None where that would ask another question."""
        key = (id(declaration), tuple(given))
        if key not in self._sequential:
            compiler = self.bound(declaration, given)
            inputs = input_parameters(self.program.target, declaration)
            loop = sequential_loop(self.program, compiler, declaration, inputs)
            self._sequential[key] = None if loop is None else self._lowered(declaration, given, loop)
        return self._sequential[key]

    def bound(self, declaration: MechanismDecl, given: Sequence[Value]) -> Compiler:
        """The compiler with the given parameters of a mechanism bound to their values."""
        fixed = given_parameters(self.program.target, declaration)
        return self.compiler.bind({self.program.local(parameter.name): v for parameter, v in zip(fixed, given)})

    def _lowered(
        self,
        declaration: MechanismDecl,
        given: Sequence[Value],
        loop: SequentialLoop | None = None,
        costs: Costs | None = None,
    ) -> MechanismProgram:
        builder = ProgramBuilder(subject_of(declaration, given), self.compiler.namespace)
        scope = mechanism_scope(self.program, self.bound(declaration, given), builder, declaration)
        scope.sequential, scope.costs, scope.holds_samples = loop, costs, True
        received = () if loop is None else loop.arrays
        inputs = tuple(p for p in input_parameters(self.program.target, declaration) if p not in received)
        slots = [scope.declare(self.program.local(parameter.name)) for parameter in inputs]
        for parameter in received:
            scope.declare(self.program.local(parameter.name))
        end = builder.add(Stop(origin=declaration.span))
        entry = run(mechanism_body(scope, declaration, end))
        program = builder.finish(entry, slots)
        return MechanismProgram(declaration=declaration, program=program, inputs=inputs, loop=loop)

    def given_and_inputs(
        self, declaration: MechanismDecl, arguments: Sequence[Value]
    ) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """Values of all parameters, in order, as those of the given ones and those of the inputs."""
        fixed = given_parameters(self.program.target, declaration)
        named = list(zip(declaration.parameters, arguments))
        given = tuple(value for parameter, value in named if parameter in fixed)
        return given, tuple(value for parameter, value in named if parameter not in fixed)

    def distribution(self, declaration: MechanismDecl, arguments: Sequence[Value]) -> DistributionValue:
        """The distribution of what a mechanism returns; `NEVER` has the probability that it does not end.

        `arguments` are the values of all parameters, in order. Raises what `explore` raises.
        """
        given, inputs = self.given_and_inputs(declaration, arguments)
        lowered = self.program_of(declaration, given)
        graph = self.graph(lowered, [inputs])
        if graph.tells_parts:
            raise InputRejected([noise_misplaced(declaration)])
        return self._returned(graph)

    def _returned(self, graph: TransitionGraph) -> DistributionValue:
        closure = close_silent(graph, graph.starts, self.budget).noting(self.divisors)
        shown = ((graph.label_table[exit.label], mass) for exit, mass in closure.rows[0].items())
        weights = summed((label.value, mass) for label, mass in shown if label is not None)
        rest = 1 - sum(weights.values(), Fraction(0))
        # No weight is negative: sums and products of weights that are not, over pivots 1 - q with q a probability.
        return DistributionValue([*weights.items(), (NEVER, rest)], conditions=())

    def graph(
        self,
        lowered: MechanismProgram,
        inputs: Sequence[Sequence[Value]],
        costs: Costs | None = None,
        outputs: int | None = None,
    ) -> TransitionGraph:
        """All inputs explored together: what they have in common is explored once.

        Runs are left after so many `outputs` where they hold a sample for ever, which is refused with None, and where
        the program is large, which is explored as a whole with None.
        """
        starts = [lowered.start(values) for values in inputs]
        try:
            return explored(lowered.program, starts, self.budget, costs, outputs)
        except NoiseMet:
            from pfl.explore.noise_graph import explore_noise  # needed with noise without bounds only
            from pfl.passes.noise.eliminate_noise import eliminate_noise

            noisy = explore_noise(lowered.program, starts, self.budget, costs)
            if noisy.unit is not None and noisy.unit.base != ONE:
                require_positive(noisy.unit.base, self._globals, lowered.declaration.name.span)
            plain = eliminate_noise(
                noisy,
                self._globals.units,
                self.budget,
                counts_costs=costs is not None,
                may_divide=lowered.loop is None,
                outputs=outputs,
            )
            return plain.noting(self.divisors)

    def graph_in_part(self, lowered: MechanismProgram, inputs: Sequence[Sequence[Value]]) -> TransitionGraph:
        """As `graph`; of a large program, or one without end of states, the part that hardly any run leaves."""
        try:
            return explored_in_part(lowered.program, [lowered.start(values) for values in inputs], self.budget)
        except NoiseMet:
            return self.graph(lowered, inputs)


def noise_misplaced(declaration: MechanismDecl) -> Diagnostic:
    name = declaration.name.text
    return Diagnostic(
        code=codes.NOISE_MISPLACED,
        message=f"`{name}` returns a sample of noise, where a distribution that lists its values is needed",
        labels=(Label(declaration.name.span),),
        help="draw it by `let x ~ ..` in a mechanism and compare it there, or return what comparisons of it give",
    )


def subject_of(declaration: MechanismDecl, given: Sequence[Value]) -> str:
    """How a mechanism with its given parameters is called: `noisy_count(4)`."""
    return f"{declaration.name.text}({', '.join(map(show, given))})" if given else declaration.name.text
