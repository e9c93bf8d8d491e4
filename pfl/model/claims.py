"""What is asked of a system, free of syntax: comparisons, lengths, words.

claim (what the user writes) / obligation (what must be shown) / query (what a
solver is asked) / answer (what it says) / verdict (what we conclude).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.model.chain_questions import ChainQuestion, Requirement
from pfl.model.compare import Compare
from pfl.model.interactive_questions import InteractiveQuestion
from pfl.model.labelled_system import Hmm, LabelledSystem, Vector
from pfl.model.parameters import NO_PARAMETERS, Condition, ParameterSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a claim stands in the source, opaque to everything but reports."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenMoves:
    """The hmm behind the letters of a system, where states can be silent, so that moments and letters are not the same.

    `start` is its start, |S| entries. `before[s]` is the state of the system in which state s of the hmm has not shown
    anything yet, None where the start does not lead to s; `shown_by[v]` is the state of the hmm that showed the last
    letter where the system is in v, None where there was none.
    """

    hmm: Hmm
    start: Vector
    before: tuple[int | None, ...]
    shown_by: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """`compute likelihood`: the probability of a word from a start, None for a missing observation.

    With `posterior`, also the distribution of the hidden state at each moment given the whole word, and, where states
    can be silent (`hidden` says how they move then), of the state that showed each letter. `variables` are the state
    variables of each state of the system, or of `hidden`, with their values, as they are written; none where its name
    is a predicate.
    """

    system: LabelledSystem
    start: Vector
    word: tuple[int | None, ...]
    posterior: bool
    variables: tuple[tuple[tuple[str, str], ...], ...] = ()
    hidden: HiddenMoves | None = None
    parameters: ParameterSpace = NO_PARAMETERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """`find names such that claim`: values of `names`, for which the claim holds for all others.

    `allowed` are the values of all parameters, where those of the claim leave out some that are judged apart.
    """

    names: tuple[str, ...]
    claim: Compare
    allowed: ParameterSpace | None = None
    objective: Number | None = None
    direction: Literal["minimise", "maximise"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unposed:
    """What stands for a question that met a limit while the system it is about was built; `reason` says which.

    `is_internal` if it was no limit, but a fault of the compiler itself.
    """

    reason: str
    is_internal: bool = False
    parameters: ParameterSpace = NO_PARAMETERS


SingleQuestion: TypeAlias = Compare | Likelihood | ChainQuestion | InteractiveQuestion | Unposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question of a claim that ranges over something; `arguments` are the values of what it ranges over, by name.

    `required` is what a check says of the number that is asked for; None for a compute, and where the question itself
    says what must hold.
    """

    arguments: tuple[tuple[str, str], ...]
    question: SingleQuestion
    required: Requirement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """A question for each value of what a claim ranges over: `for` variables, inputs, starts.

    A check must hold in every case; a compute reports the largest and the smallest result with their arguments. A check
    of a number that ranges over nothing is one case without arguments.
    """

    cases: tuple[Case, ...]

    @property
    def parameters(self) -> ParameterSpace:
        return self.cases[0].question.parameters

    @property
    def ranges(self) -> bool:
        """Whether there is anything that the cases differ in."""
        return any(case.arguments for case in self.cases)


Question: TypeAlias = SingleQuestion | Synthesis | Cases


def underlying(question: Question) -> SingleQuestion:
    """What is asked in the end: of a find the claim, of several cases the first."""
    match question:
        case Synthesis(claim=claim):
            return claim
        case Cases(cases=cases):
            return cases[0].question
        case _:
            return question


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim, ready to be judged.

    `name` is the label, or `KIND SYSTEM` (then `#2`); `kind` as written (`pufferfish`, `epsilon`); `subject` the
    system with its arguments; `relation` what the claim says after it, with the word (`of B`, `by R`). `expected` is
    None for a compute without `expect`.
    `notes` are facts that a verdict repeats, such as which adjacency; `remarks` explain, and need be read only once.
    `programs` are the texts of those whose state spaces the systems are.

    `exceptional` are conditions `factor != 0` on the parameters: where one fails, the numbers of the question say
    nothing, and the claim is judged apart, as `anew` compiles it under an equation between the parameters.
    """

    name: str
    verb: Literal["check", "compute", "find"]
    kind: str
    subject: str
    question: Question
    origin: Origin
    expected: Literal["proved", "refuted", "found", "none"] | None
    relation: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    programs: tuple[str, ...] = field(default=(), repr=False)
    exceptional: tuple[Condition, ...] = ()
    anew: CompileAnew | None = field(default=None, repr=False)


CompileAnew: TypeAlias = Callable[[str, Condition, float | None], Claim]
"""Compiles the claim of a name again, an equation between the parameters assumed, in so many seconds. Raises
InputRejected with what is wrong with the model under the equation, and LimitReached."""
