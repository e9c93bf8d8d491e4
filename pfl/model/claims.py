"""What is asked of a system, free of syntax: comparisons, lengths, words.

claim (what the user writes) / obligation (what must be shown) / query (what a
solver is asked) / answer (what it says) / verdict (what we conclude).

The parameters that questions mention, and questions over other values of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Requirement, Results, Scope
from pfl.model.parameters import NO_PARAMETERS, Condition, ExponentialSpace, ParameterSpace, Space, names_in, names_of


@struct
class Origin:
    """Where a claim stands in the source, opaque to everything but reports."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@struct
class Search:
    """`find names such that claim`: values of `names`, for which the claim holds for all others.

    `allowed` are the values of all parameters, where those of the claim leave out some that are judged apart.

    Where the claim has `exponents`, the one name, if there is any, is a factor of their parameter in epsilons, c of
    `c*eps`, and stands nowhere else; `factors` are its values.
    """

    names: tuple[str, ...]
    claim: Compare
    allowed: ParameterSpace | None = None
    factors: ParameterSpace = NO_PARAMETERS
    objective: Number | None = None
    direction: Literal["minimise", "maximise"] | None = None

    @property
    def parameters(self) -> ParameterSpace:
        """The parameters of the claim, those that are looked for among them."""
        return self.claim.parameters

    @property
    def systems(self) -> tuple[LabelledSystem | InteractiveSystem, ...]:
        """What the claim is about."""
        return self.claim.systems

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The parameters that are mentioned beside the numbers of the systems, and all that are looked for."""
        of_objective = () if self.objective is None else names_in(self.objective)
        return self.claim.own_mentioned.union(self.names, of_objective)

    @property
    def scope(self) -> Scope:
        """That of the claim."""
        return self.claim.scope


SingleQuestion: TypeAlias = Compare | Measure | EnclosedCompare
Question: TypeAlias = SingleQuestion | Search


@struct
class Case:
    """One question of a claim; `arguments` are the values of what the claim ranges over, by name.

    `required` is what a check says of the number that is asked for; None for a compute, and where the question itself
    says what must hold.
    """

    question: Question
    arguments: tuple[tuple[str, str], ...] = ()
    required: Requirement | None = None

    @property
    def results(self) -> Results | None:
        """The results that are asked for; None where a question is about something else."""
        quantity = self.question.quantity if isinstance(self.question, Measure) else None
        return quantity if isinstance(quantity, Results) else None


@struct
class Limit:
    """What kept a claim from being lowered; `is_internal` if it was no limit, but a fault of the compiler itself."""

    reason: str
    is_internal: bool = False


@struct
class Claim:
    """One claim, ready to be judged.

    `name` is the label, or `KIND SYSTEM` (then `#2`); `kind` as written (`pufferfish`, `epsilon`); `subject` the
    system with its arguments; `relation` what the claim says after it, with the word (`of B`, `by R`). `expected` is
    None for a compute without `expect`.
    `notes` are facts that a verdict repeats, such as which adjacency; `remarks` explain, and need be read only once.
    `programs` are the texts of those whose state spaces the systems are.

    `cases` are the questions for each value of what the claim ranges over: `for` variables, inputs, starts; one without
    arguments where that is nothing. They are all of one kind, and about the same parameters. A check must hold in every
    case; a compute reports the largest and the smallest result with their arguments. There are none where a `limit` was
    met before the claim was lowered.

    `exceptional` are conditions `factor != 0` on the parameters: where one fails, the numbers of the question say
    nothing, and the claim is judged apart, as `anew` compiles it under an equation between the parameters.
    """

    name: str
    verb: Literal["check", "compute", "find"]
    kind: str
    subject: str
    origin: Origin
    expected: Literal["proved", "refuted", "found", "none"] | None
    cases: tuple[Case, ...] = ()
    limit: Limit | None = None
    relation: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    programs: tuple[str, ...] = field(default=(), repr=False)
    exceptional: tuple[Condition, ...] = ()
    anew: CompileAnew | None = field(default=None, repr=False)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The question of each case, in order."""
        return tuple(case.question for case in self.cases)

    @property
    def question(self) -> Question:
        """What is asked in the first case. Raises IndexError where a limit was met."""
        return self.cases[0].question

    @property
    def asked(self) -> SingleQuestion | None:
        """The same; of a find, the claim that must hold; None where a limit was met."""
        question = self.cases[0].question if self.cases else None
        return question.claim if isinstance(question, Search) else question

    @property
    def parameters(self) -> ParameterSpace:
        """The values of parameters that the claim is about."""
        return self.cases[0].question.parameters if self.cases else NO_PARAMETERS

    @property
    def exponents(self) -> ExponentialSpace | None:
        """The values of the parameter and its exponential of which the numbers are functions, if they are."""
        asked = self.asked
        return None if asked is None else asked.exponents

    @property
    def ranges(self) -> bool:
        """Whether there is anything that the cases differ in."""
        return any(case.arguments for case in self.cases)


CompileAnew: TypeAlias = Callable[[str, Condition, float | None], Claim]
"""Compiles the claim of a name again, an equation between the parameters assumed, in so many seconds. Raises
InputRejected with what is wrong with the model under the equation, and LimitReached."""


def mentioned_parameters(*questions: Question) -> frozenset[str]:
    """The parameters on which an answer can depend; a system that questions share is looked at once."""
    systems = dict.fromkeys(system for question in questions for system in question.systems)
    found = names_of(number for system in systems for number in system.numbers)
    return found.union(*(question.own_mentioned for question in questions))


def mentioned_in_cases(cases: Sequence[Case]) -> frozenset[str]:
    """The same, of what checks require as well."""
    required = names_of(case.required.number for case in cases if case.required is not None)
    return required | mentioned_parameters(*(case.question for case in cases))


def mentioned_in_deltas_alone(cases: Sequence[Case]) -> frozenset[str]:
    """What stands in deltas, and in nothing else."""
    questions = [case.question for case in cases]
    without = [
        replace(question, delta=None) if isinstance(question, Compare) and question.delta is not None else question
        for question in questions
    ]
    return mentioned_parameters(*questions) - mentioned_parameters(*without)


def with_relevant_parameters(
    cases: Sequence[Case], space: ParameterSpace, exceptional: Sequence[Condition]
) -> tuple[Case, ...]:
    """The cases over those parameters alone on which an answer can depend, and what assumptions tie to them.

    Answers can depend on where the conditions in `exceptional` fail.
    """
    if not space.parameters:
        return tuple(cases)
    names = mentioned_in_cases(cases) | names_of(condition.polynomial for condition in exceptional)
    return cases_over(cases, space.relevant_to(names))


def with_exponents(cases: Sequence[Case], exponents: ExponentialSpace) -> tuple[Case, ...]:
    """The cases over a parameter and its exponential, on which alone their numbers depend."""
    return tuple(replace(case, question=_question_with(case.question, exponents)) for case in cases)


def _question_with(question: Question, exponents: ExponentialSpace) -> Question:
    if isinstance(question, Search):
        return replace(question, claim=replace(question.claim, exponents=exponents, parameters=NO_PARAMETERS))
    if isinstance(question, EnclosedCompare):
        return question
    return replace(question, exponents=exponents, parameters=NO_PARAMETERS)


def space_of(question: Question) -> Space:
    """The values that a question is about."""
    return question.claim.space if isinstance(question, Search) else question.space


def multiplied(question: Question | None) -> str | None:
    """The parameter whose smallest multiple that is enough is asked for: results are c*x, or an interval of c."""
    if isinstance(question, Compare) and question.goal == "epsilon" and question.exponents is not None:
        return None if question.exponents.is_point else question.exponents.base
    return None


def question_over(question: Question, space: ParameterSpace) -> Question:
    """The question for the values of another space of parameters."""
    if isinstance(question, Search):
        return replace(question, claim=replace(question.claim, parameters=space))
    if isinstance(question, EnclosedCompare):
        return question
    return replace(question, parameters=space)


def cases_over(cases: Iterable[Case], space: ParameterSpace) -> tuple[Case, ...]:
    """The cases for the values of another space of parameters."""
    return tuple(replace(case, question=question_over(case.question, space)) for case in cases)


def claim_over(claim: Claim, space: ParameterSpace) -> Claim:
    """The claim for the values of another space of parameters."""
    return replace(claim, cases=cases_over(claim.cases, space))
