"""Which engine answers what, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Answer
from pfl.model.chain_questions import Expectation, Probability, ResultDistribution
from pfl.model.claims import (
    Comparison,
    Indistinguishability,
    Likelihood,
    Question,
    Synthesis,
)
from pfl.model.interactive_questions import Implementation, RelationCheck
from pfl.model.labelled_system import Matrix
from pfl.options import Options

EngineName: TypeAlias = Literal[
    "exact",
    "parametric",
    "synthesis",
    "likelihood",
    "chain",
    "float",
    "smt",
    "unwinding",
    "relation",
    "refinement",
    "none",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The engine to ask, the reason for the choice, and an engine of another
    kind that is to confirm a proof."""

    engine: EngineName
    reason: str
    confirm: EngineName | None = None


def plan(question: Question, options: Options) -> Plan:
    """The plan for a question; `options.engine` decides where several engines can answer."""
    match question:
        case Likelihood():
            return Plan(engine="likelihood", reason="a likelihood is a product of matrices")
        case Probability() | Expectation() | ResultDistribution():
            if options.engine == "float":
                return Plan(engine="float", reason="asked for with --engine")
            return Plan(engine="chain", reason="a Markov chain is solved")
        case RelationCheck():
            return Plan(engine="relation", reason="a relation is checked against its definition")
        case Implementation():
            return Plan(engine="refinement", reason="two systems are compared word by word")
        case Synthesis():
            return Plan(engine="synthesis", reason="values are searched that satisfy the claim")
        case Indistinguishability():
            own: EngineName = "parametric" if has_parameters(question) else "exact"
            if options.engine == "smt":
                return Plan(engine="smt", reason="asked for with --engine", confirm=own)
            if options.engine == "unwinding" and own == "exact" and _can_be_unwound(question):
                return Plan(engine="unwinding", reason="asked for with --engine")
            if own == "parametric":
                return Plan(engine=own, reason="the claim must hold for all values of its parameters")
            return Plan(engine=own, reason="all numbers are constants")
        case _:
            assert_never(question)


def ask(engine: EngineName, question: Question, options: Options, budget: Budget) -> Answer:
    """The engine's answer. Engines are imported when first asked, since some load large libraries."""
    if isinstance(question, Indistinguishability) and question.shorter:
        from pfl.engines.ratio import each_length

        parts = each_length.questions(question)
        return each_length.combined(question, [ask(engine, part, options, budget) for part in parts])
    match engine, question:
        case "likelihood", Likelihood():
            from pfl.engines.chain import likelihood

            return likelihood.answer(question, options, budget)
        case "chain", Probability() | Expectation() | ResultDistribution():
            from pfl.engines.chain import chain

            return chain.answer(question, options, budget)
        case "float", Probability() | Expectation() | ResultDistribution():
            from pfl.engines.chain import float_chain

            return float_chain.answers([question], options, budget)[0]
        case "relation", RelationCheck():
            from pfl.engines.pairs import relation

            return relation.answer(question, budget)
        case "refinement", Implementation():
            from pfl.engines.pairs import refinement

            return refinement.answer(question, budget)
        case "exact", Indistinguishability():
            from pfl.engines.ratio import exact

            return exact.answer(question, options, budget)
        case "parametric", Indistinguishability():
            from pfl.engines.parametric import parametric

            return parametric.answer(question, options, budget)
        case "synthesis", Synthesis():
            from pfl.engines.synthesis import synthesis

            return synthesis.answer(question, options, budget)
        case "unwinding", Indistinguishability():
            from pfl.engines.pairs import unwinding

            return unwinding.answer(question, options, budget)
        case "smt", Indistinguishability():
            from pfl.engines.smt import smt

            return smt.answer(question, options, budget)
        case _:
            raise ValueError(f"the {engine} engine does not answer a {type(question).__name__}")


def ask_each(engine: EngineName, questions: Sequence[Question], options: Options, budget: Budget) -> list[Answer]:
    """The engine's answers to several questions; an engine that can, shares work between them."""
    if engine in ("chain", "float"):
        from pfl.engines.chain import chain, float_chain

        about_chains = [q for q in questions if isinstance(q, Probability | Expectation | ResultDistribution)]
        assert len(about_chains) == len(questions)
        answers = chain.answers if engine == "chain" else float_chain.answers
        return list(answers(about_chains, options, budget))
    return [ask(engine, question, options, budget) for question in questions]


def _can_be_unwound(question: Indistinguishability) -> bool:
    """Whether the question is how much more likely one of two runs of an automaton makes what is seen."""
    compares_runs = all(comparison.unwindable is not None for comparison in question.comparisons)
    return compares_runs and question.goal != "delta" and not question.delta


def has_parameters(question: Indistinguishability) -> bool:
    """Whether any number of the question depends on a parameter."""
    return any(isinstance(number, RationalFunction) for number in _numbers(question)) or any(
        comparison.epsilon.parameters for comparison in question.comparisons if comparison.epsilon is not None
    )


def _numbers(question: Indistinguishability) -> Iterator[Number]:
    if question.delta is not None:
        yield question.delta
    for comparison in question.comparisons:
        yield from _starts(comparison)
    for matrices in {comparison.system: _matrices(comparison) for comparison in question.comparisons}.values():
        for matrix in matrices:
            for row in matrix:
                yield from (weight for _, weight in row)


def _matrices(comparison: Comparison) -> Sequence[Matrix]:
    """Matrices with all the numbers of a comparison; two runs are three times the system that they are runs of."""
    if comparison.runs is None:
        return comparison.system.matrices
    system = comparison.runs.system
    return [*system.data_moves, *(matrix for answers in system.answers for _, matrix in answers)]


def _starts(comparison: Comparison) -> Iterator[Number]:
    for side in (comparison.left, comparison.right):
        yield side.weight
        yield from side.start
