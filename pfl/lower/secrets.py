"""Secrets as predicates on what is remembered of a run: the world, its start, and the state at later moments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property

from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.variables import Moment, Variable
from pfl.lower.hmm.started import Started, State
from pfl.model.values import Value
from pfl.passes.condition import Memory
from pfl.syntax.tree.ast import Expr
from pfl.typecheck.bindings import Local


@struct(eq=False, cached=True)
class Secrets:
    """Some secrets of one claim about one model; `compiler` has the variables of `for` bound."""

    model: Started
    compiler: Compiler
    expressions: Sequence[Expr]

    @cached_property
    def _compiled(self) -> tuple[tuple[tuple[Variable, ...], Callable[..., bool]], ...]:
        """Of each secret the variables that it reads, and whether it holds for their values."""
        return tuple(self.compiler.secret(expression) for expression in self.expressions)

    @cached_property
    def _read(self) -> tuple[Variable, ...]:
        """Every variable that some secret reads, in order of first mention."""
        return tuple(dict.fromkeys(variable for variables, _ in self._compiled for variable in variables))

    @cached_property
    def world(self) -> tuple[str, ...]:
        """The names of the world that secrets read."""
        return tuple(v.name.text for v in self._read if isinstance(v, Local) and not _is_state(v))

    @cached_property
    def _timed(self) -> tuple[tuple[int, Local], ...]:
        """The moments at which secrets read the state, and the variable; a name without `@` is about the start."""
        timed: list[tuple[int, Local]] = []
        for variable in self._read:
            match variable:
                case Moment(local=local, time=time):
                    timed.append((time, local))
                case Local() if _is_state(variable):
                    timed.append((0, variable))
        return tuple(sorted(dict.fromkeys(timed), key=lambda entry: entry[0]))

    @cached_property
    def moments(self) -> tuple[int, ...]:
        """The moments at which secrets read the state; they ascend."""
        return tuple(dict.fromkeys(moment for moment, _ in self._timed))

    def recorded(self, moment: int, state: State) -> Hashable:
        """What secrets need to know of the state at a moment."""
        return tuple(read(state) for time, read in self._readings if time == moment)

    @cached_property
    def _readings(self) -> tuple[tuple[int, Callable[[State], Value]], ...]:
        return tuple((time, self.model.reading(local)) for time, local in self._timed)

    @cached_property
    def predicates(self) -> tuple[Callable[[Memory], bool], ...]:
        """Of each secret whether it holds, given the world and what was recorded at each of the moments."""
        return tuple(self._predicate(variables, holds) for variables, holds in self._compiled)

    def _predicate(self, variables: Sequence[Variable], holds: Callable[..., bool]) -> Callable[[Memory], bool]:
        def predicate(memory: Memory) -> bool:
            world, *recorded = memory
            assert isinstance(world, tuple)
            known: dict[Variable, Value] = {}
            names = dict(zip(self.world, world))
            held = dict(zip(self.moments, recorded))
            for variable in variables:
                if isinstance(variable, Local) and not _is_state(variable):
                    known[variable] = names[variable.name.text]
                    continue
                time, local = (variable.time, variable.local) if isinstance(variable, Moment) else (0, variable)
                places = [other for moment, other in self._timed if moment == time]
                values = held[time]
                assert isinstance(values, tuple)
                known[variable] = values[places.index(local)]
            return holds(*(known[variable] for variable in variables))

        return predicate


def _is_state(local: Local) -> bool:
    return local.kind in ("state", "table-state")
