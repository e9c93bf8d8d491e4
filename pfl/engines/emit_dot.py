"""Labelled systems and Markov chains as drawings, in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from pfl.engines.errors import too_large_to_draw
from pfl.engines.product_names import file_stem
from pfl.ir.chain_questions import Expectation, Probability, ResultDistribution
from pfl.ir.claims import Cases, Claim, Indistinguishability, Likelihood, Question, Synthesis, Unposed
from pfl.ir.dump_chain import state_name
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.ir.labelled_system import LabelledSystem
from pfl.ir.markov_chain import MarkovChain
from pfl.ir.values import show

System: TypeAlias = LabelledSystem | InteractiveSystem | MarkovChain

LARGEST = 200
"""States of a system that are drawn at most."""


def emit_drawings(claim: Claim) -> list[tuple[str, str]]:
    """(file name, text) of a drawing for each system or chain that a claim is about.

    An edge of a system says what the adversary sees, with which probability; one of a chain its probability and cost.
    Raises InputRejected for a system of more than `LARGEST` states.
    """
    systems = list(dict.fromkeys(_systems(claim.question)))
    files = []
    for number, system in enumerate(systems, 1):
        if system.size > LARGEST:
            raise too_large_to_draw(claim, system.size, LARGEST)
        name = file_stem(claim) + (f"-{number}" if len(systems) > 1 else "")
        lines = _lines(system)
        title = f"{claim.verb} {claim.kind} {claim.subject}"
        files.append((f"{name}.dot", "\n".join(_graph(title, lines)) + "\n"))
    return files


def _lines(system: System) -> Iterator[str]:
    match system:
        case MarkovChain():
            return _chain_lines(system)
        case InteractiveSystem():
            return _interactive_lines(system)
        case LabelledSystem():
            return _system_lines(system)


def _systems(question: Question) -> Iterator[System]:
    match question:
        case Likelihood(system=system):
            yield system
        case Probability(chain=chain) | Expectation(chain=chain) | ResultDistribution(chain=chain):
            yield chain
        case Indistinguishability(comparisons=comparisons):
            yield from (c.system if c.runs is None else c.runs.system for c in comparisons)
        case RelationCheck() | Implementation():
            yield from question.systems
        case Synthesis(claim=claim):
            yield from _systems(claim)
        case Cases(cases=cases):
            for case in cases:
                yield from _systems(case.question)
        case Unposed():
            return


def _graph(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"digraph {_quoted(title)} {{"
    yield "  rankdir=LR;"
    yield "  node [shape=box, style=rounded];"
    yield from (f"  {line}" for line in lines)
    yield "}"


def _system_lines(system: LabelledSystem) -> Iterator[str]:
    for state, name in enumerate(system.states):
        yield f"s{state} [label={_quoted(name)}];"
    edges: dict[tuple[int, int], list[str]] = {}
    for letter, matrix in zip(system.letters, system.matrices):
        for state, row in enumerate(matrix):
            for target, weight in row:
                edges.setdefault((state, target), []).append(f"{letter}: {show(weight)}")
    yield from _edge_lines(edges)


def _interactive_lines(system: InteractiveSystem) -> Iterator[str]:
    """Data points are in brackets, since the examiner does not see them."""
    edges: dict[tuple[int, int], list[str]] = {}
    everywhere = list(range(system.bottom))
    waiting = [state for state in everywhere if system.waits(state)]
    letters = [(f"[{data}]", matrix, waiting) for data, matrix in zip(system.data, system.data_moves)]
    letters += [(letter, matrix, everywhere) for letter, matrix in system.answer_letters]
    for letter, matrix, states in letters:
        for state in states:
            for target, weight in matrix[state]:
                edges.setdefault((state, target), []).append(f"{letter}: {show(weight)}")
    reached = {target for _, target in edges}
    for state, name in enumerate(system.states):
        if state != system.bottom or state in reached or system.start[state]:
            yield f"s{state} [label={_quoted(name)}];"
    yield from _edge_lines(edges)


def _chain_lines(chain: MarkovChain) -> Iterator[str]:
    """Absorbing states have a double border."""
    for state in range(chain.size):
        ended = ", peripheries=2" if chain.is_absorbing(state) else ""
        yield f"s{state} [label={_quoted(state_name(chain, state))}{ended}];"
    edges: dict[tuple[int, int], list[str]] = {}
    for state in range(chain.size):
        for edge in chain.row(state):
            edges.setdefault((state, chain.targets[edge]), []).append(_transition(chain, edge))
    yield from _edge_lines(edges)


def _transition(chain: MarkovChain, edge: int) -> str:
    weight = show(chain.weight_table[chain.weights[edge]])
    if chain.costs is None or not (cost := chain.cost_table[chain.costs[edge]]):
        return weight
    return f"{weight}, cost {show(cost)}"


def _edge_lines(edges: Mapping[tuple[int, int], list[str]]) -> Iterator[str]:
    for (state, target), texts in edges.items():
        yield f"s{state} -> s{target} [label={_quoted(chr(10).join(texts))}];"


def _quoted(text: str) -> str:
    """A string of the DOT language: quotes, backslashes and line breaks escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
