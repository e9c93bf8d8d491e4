"""The engines: what each answers, and where it is imported from once it is asked, since some load large libraries.

An engine is a module with `answer(question, options, budget)`, or, where it shares work between questions, with
`answers(questions, options, budget)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.engines.answer import Answer
from pfl.model.claims import Question, Search, mentioned_parameters
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure
from pfl.options import Options

EngineName: TypeAlias = Literal[
    "exact",
    "parametric",
    "exponential",
    "enclosed",
    "synthesis",
    "chain",
    "float",
    "smt",
    "unwinding",
    "none",
]


@struct
class Engine:
    """An engine that answers the questions that `can` accepts; `reason` says why it is chosen for one.

    `name` is what reports say of it, and `--engine` where it is asked for; those of one method share it.

    `by_request` engines are asked only where `--engine` names them; `confirmed`: the engine that is asked without that
    is to confirm its proofs; `together`: it answers several questions at once.
    """

    name: EngineName
    module: str
    can: Callable[[Question], bool]
    reason: str = "asked for with --engine"
    by_request: bool = False
    confirmed: bool = False
    together: bool = False


def _compares(question: Question) -> bool:
    """Whether the question is how likely words are from several starts, not about automata as a whole."""
    return isinstance(question, Compare) and not question.is_about_systems


def _compares_with_exponentials(question: Question) -> bool:
    return _compares(question) and isinstance(question, Compare) and question.exponents is not None


def _compares_with_parameters(question: Question) -> bool:
    return _compares(question) and bool(mentioned_parameters(question))


def _compares_runs(question: Question) -> bool:
    """Whether the question is how much more likely one of two runs of an automaton makes what is seen."""
    if not _compares(question):
        return False
    assert isinstance(question, Compare)
    if question.goal == "delta" or question.delta:
        return False
    compares_runs = all(comparison.table.unwindable is not None for comparison in question.comparisons)
    return compares_runs and not mentioned_parameters(question)


def _is_about_chain(question: Question) -> bool:
    return isinstance(question, Measure) and isinstance(question.system, MarkovChain)


ENGINES = (
    Engine(
        name="enclosed",
        module="pfl.engines.enclosed.enclosed",
        can=lambda question: isinstance(question, EnclosedCompare),
        reason="the probabilities are known by enclosures alone",
    ),
    Engine(
        name="exponential",
        module="pfl.engines.exponential.exponential",
        can=_compares_with_exponentials,
        reason="the numbers hold exponentials of one parameter",
    ),
    Engine(
        name="parametric",
        module="pfl.engines.parametric.parametric",
        can=_compares_with_parameters,
        reason="the claim must hold for all values of its parameters",
    ),
    Engine(name="exact", module="pfl.engines.ratio.exact", can=_compares, reason="all numbers are constants"),
    Engine(name="smt", module="pfl.engines.smt.smt", can=_compares, by_request=True, confirmed=True),
    Engine(name="unwinding", module="pfl.engines.pairs.unwinding", can=_compares_runs, by_request=True),
    Engine(
        name="chain",
        module="pfl.engines.chain.chain",
        can=_is_about_chain,
        reason="a Markov chain is solved",
        together=True,
    ),
    Engine(name="float", module="pfl.engines.chain.float_chain", can=_is_about_chain, by_request=True, together=True),
    Engine(
        name="exact",
        module="pfl.engines.chain.likelihood",
        can=lambda question: isinstance(question, Measure) and not _is_about_chain(question),
        reason="a likelihood is a product of matrices",
    ),
    Engine(
        name="unwinding",
        module="pfl.engines.pairs.relation",
        can=lambda question: isinstance(question, Compare) and question.family is not None,
        reason="a relation is checked against its definition",
    ),
    Engine(
        name="exact",
        module="pfl.engines.pairs.refinement",
        can=lambda question: isinstance(question, Compare) and question.implements is not None,
        reason="two systems are compared word by word",
    ),
    Engine(
        name="synthesis",
        module="pfl.engines.synthesis.synthesis",
        can=lambda question: isinstance(question, Search),
        reason="values are searched that satisfy the claim",
    ),
)
"""Of those that are not asked for by name, the first that can answer a question is to be asked."""


def ask(engine: Engine, question: Question, options: Options, budget: Budget) -> Answer:
    """The engine's answer. Raises LimitReached, and InputRejected where the engine finds the claim itself at fault."""
    if isinstance(question, Compare) and question.shorter:
        from pfl.engines.ratio import each_length

        parts = each_length.questions(question)
        return each_length.combined(question, [ask(engine, part, options, budget) for part in parts])
    return ask_each(engine, [question], options, budget)[0]


def ask_each(engine: Engine, questions: Sequence[Question], options: Options, budget: Budget) -> list[Answer]:
    """The engine's answers to several questions; an engine that can, shares work between them. Raises as `ask`."""
    module = import_module(engine.module)
    if engine.together:
        return list(module.answers(questions, options, budget))
    return [module.answer(question, options, budget) for question in questions]
