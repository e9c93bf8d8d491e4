"""Secrets: predicates on the world, the start and the state at later moments, and the chain conditioned on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.frontend.ast import Expr
from pfl.frontend.bindings import Local
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.compile.variables import Moment, Variable
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_reached import ReachedHmm, State
from pfl.frontend.lower.prior import World
from pfl.ir.hmm import Hmm
from pfl.ir.values import Value, truth
from pfl.transform.condition import ConditionedStart, Memory, condition


@dataclass(frozen=True, kw_only=True, eq=False)
class Secrets:
    """Some secrets of one claim about one model; `compiler` has the variables of `for` bound, per secret."""

    model: HmmModel
    expressions: tuple[tuple[Expr, Compiler], ...]

    @cached_property
    def _compiled(self) -> tuple[tuple[tuple[Variable, ...], Callable[..., bool]], ...]:
        """Of each secret the variables that it reads, and whether it holds for their values."""
        return tuple(compiler.secret(expression) for expression, compiler in self.expressions)

    @cached_property
    def _read(self) -> tuple[Variable, ...]:
        """Every variable that some secret reads, in order of first mention."""
        return tuple(dict.fromkeys(variable for variables, _ in self._compiled for variable in variables))

    @cached_property
    def world(self) -> tuple[str, ...]:
        """The names of the world that secrets read."""
        return tuple(v.name.text for v in self._read if isinstance(v, Local) and not self._is_state(v))

    @cached_property
    def _timed(self) -> tuple[tuple[int, Local], ...]:
        """The moments at which secrets read the state, and the variable; a name without `@` is about the start."""
        timed: list[tuple[int, Local]] = []
        for variable in self._read:
            match variable:
                case Moment(local=local, time=time):
                    timed.append((time, local))
                case Local() if self._is_state(variable):
                    timed.append((0, variable))
        return tuple(sorted(dict.fromkeys(timed), key=lambda entry: entry[0]))

    def _is_state(self, local: Local) -> bool:
        return local.kind in ("state", "table-state")

    def conditioned(
        self, reached: ReachedHmm, joint: Mapping[tuple[World, State], Number], budget: Budget
    ) -> Divided[tuple[Hmm, tuple[ConditionedStart, ...]]]:
        """An hmm that holds the chain conditioned on each secret, and where it starts for each of them."""
        moments = tuple(dict.fromkeys(moment for moment, _ in self._timed))
        start: dict[tuple[Hashable, int], Number] = {
            (world, reached.index[state]): weight for (world, state), weight in joint.items()
        }

        def record(moment: int, state: int) -> Hashable:
            values = reached.states[state]
            return tuple(self._value(local, values) for time, local in self._timed if time == moment)

        predicates = [self._predicate(variables, holds, moments) for variables, holds in self._compiled]
        return condition(reached.hmm, start, moments, record, predicates, budget)

    def _value(self, local: Local, state: State) -> Value:
        """The value of a state variable; of a state of a table, whether it is that one."""
        if local.kind == "table-state":
            return truth(state == (self.model.state_names[local],))
        return state[self.model.variables.index(local)]

    def _predicate(
        self, variables: Sequence[Variable], holds: Callable[..., bool], moments: Sequence[int]
    ) -> Callable[[Memory], bool]:
        def predicate(memory: Memory) -> bool:
            world, *recorded = memory
            assert isinstance(world, tuple)
            known: dict[Variable, Value] = {}
            names = dict(zip(self.world, world))
            held = dict(zip(moments, recorded))
            for variable in variables:
                if isinstance(variable, Local) and not self._is_state(variable):
                    known[variable] = names[variable.name.text]
                    continue
                time, local = (variable.time, variable.local) if isinstance(variable, Moment) else (0, variable)
                places = [other for moment, other in self._timed if moment == time]
                values = held[time]
                assert isinstance(values, tuple)
                known[variable] = values[places.index(local)]
            return holds(*(known[variable] for variable in variables))

        return predicate
