"""Which engine answers what, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from pfl.base.budget import Budget
from pfl.engines.answer import Answer
from pfl.model.chain_questions import Expectation, Probability, ResultDistribution
from pfl.model.claims import Cases, Likelihood, Question, SingleQuestion, Synthesis, Unposed
from pfl.model.compare import Compare
from pfl.model.interactive_questions import Implementation, RelationCheck
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
    """The engine to ask (`none` where there is nothing to ask), the reason for the choice, and an engine of another
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
        case Cases(cases=cases):
            return plan(cases[0].question, options)
        case RelationCheck():
            return Plan(engine="relation", reason="a relation is checked against its definition")
        case Implementation():
            return Plan(engine="refinement", reason="two systems are compared word by word")
        case Unposed(reason=reason):
            return Plan(engine="none", reason=reason)
        case Synthesis():
            return Plan(engine="synthesis", reason="values are searched that satisfy the claim")
        case Compare():
            own: EngineName = "parametric" if question.mentioned else "exact"
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
    if isinstance(question, Compare) and question.shorter:
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
        case "exact", Compare():
            from pfl.engines.ratio import exact

            return exact.answer(question, options, budget)
        case "parametric", Compare():
            from pfl.engines.parametric import parametric

            return parametric.answer(question, options, budget)
        case "synthesis", Synthesis():
            from pfl.engines.synthesis import synthesis

            return synthesis.answer(question, options, budget)
        case "unwinding", Compare():
            from pfl.engines.pairs import unwinding

            return unwinding.answer(question, options, budget)
        case "smt", Compare():
            from pfl.engines.smt import smt

            return smt.answer(question, options, budget)
        case _:
            raise ValueError(f"the {engine} engine does not answer a {type(question).__name__}")


def ask_each(engine: EngineName, questions: Sequence[SingleQuestion], options: Options, budget: Budget) -> list[Answer]:
    """The engine's answers to several questions; an engine that can, shares work between them."""
    if engine in ("chain", "float"):
        from pfl.engines.chain import chain, float_chain

        about_chains = [q for q in questions if isinstance(q, Probability | Expectation | ResultDistribution)]
        assert len(about_chains) == len(questions)
        answers = chain.answers if engine == "chain" else float_chain.answers
        return list(answers(about_chains, options, budget))
    return [ask(engine, question, options, budget) for question in questions]


def _can_be_unwound(question: Compare) -> bool:
    """Whether the question is how much more likely one of two runs of an automaton makes what is seen."""
    compares_runs = all(table.unwindable is not None for table in question.tables)
    return compares_runs and question.goal != "delta" and not question.delta
