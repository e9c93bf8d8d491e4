"""Labelled systems and Markov chains as drawings, in the DOT language of Graphviz."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pfl.emit.product_names import file_stem
from pfl.engines.chain.starts import Start, System, starts_of
from pfl.engines.errors import no_system, too_large_to_draw
from pfl.model.claims import Claim
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem, SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.model.values import show

LARGEST = 200
"""States of a system that are drawn at most."""
SHOWN_STARTS = 4
"""Names of one start that are written out."""


def emit_drawings(claim: Claim) -> list[tuple[str, str]]:
    """(file name, text) of a drawing for each system or chain that a claim is about.

    An edge of a system says what the adversary sees, with which probability; one of a chain its probability and cost.
    Arrows from points go to the states of each start, with their probabilities.
    Raises InputRejected for a system of more than `LARGEST` states, and where probabilities are enclosed.
    """
    drawn: dict[System, list[Start]] = {}
    if isinstance(claim.asked, EnclosedCompare):
        raise no_system()
    for start in starts_of(claim):
        drawn.setdefault(start.system, []).append(start)
    titles = _titles(claim, list(drawn.values()))
    files = []
    for number, (system, title, starts) in enumerate(zip(drawn, titles, drawn.values()), 1):
        if system.size > LARGEST:
            raise too_large_to_draw(claim, system.size, LARGEST)
        name = file_stem(claim) + (f"-{number}" if len(drawn) > 1 else "")
        lines = [*_start_lines(starts), *_lines(system)]
        files.append((f"{name}.dot", "\n".join(_graph(title, lines, merged=starts[0].merged)) + "\n"))
    return files


def _titles(claim: Claim, drawn: Sequence[Sequence[Start]]) -> list[str]:
    """What each drawing is of, by the starts of its system: the claim where there is one system, else the claim and
    which of its systems."""
    # A label is one word; the name of a claim without one repeats what is said here.
    label = "" if " " in claim.name else f"{claim.name}: "
    asked = f"{label}{claim.verb} {claim.kind} {claim.subject}"
    if isinstance(claim.asked, Compare) and claim.asked.implements is not None:
        return [first.system_name for first, *_ in drawn]
    titles = [asked]
    if len(drawn) > 1:
        names = [first.system_name or ("" if others else first.label) for first, *others in drawn]
        titles = [f"{asked}, {name}" if name else asked for name in names]
    taken = Counter[str]()
    for place, title in enumerate(titles):
        taken[title] += 1
        titles[place] = title if taken[title] == 1 else f"{title} #{taken[title]}"
    return titles


def _start_lines(starts: Sequence[Start]) -> Iterator[str]:
    """A point for each distribution that runs start from, by the names of those starts."""
    labels: dict[SparseRow, list[str]] = {}
    for start in starts:
        labels.setdefault(start.distribution(), []).append(start.label)
    for number, (distribution, names) in enumerate(labels.items()):
        shown = [name for name in names[:SHOWN_STARTS] if name]
        shown += [f"and {len(names) - SHOWN_STARTS} more"] if len(names) > SHOWN_STARTS else []
        yield f"start{number} [shape=point" + (f", xlabel={_quoted(chr(10).join(shown))}];" if shown else "];")
        for state, weight in distribution:
            probability = "" if weight == 1 else f" [label={_quoted(show(weight))}]"
            yield f"start{number} -> s{state}{probability};"


def _lines(system: System) -> Iterator[str]:
    match system:
        case MarkovChain():
            return _chain_lines(system)
        case InteractiveSystem():
            return _interactive_lines(system)
        case LabelledSystem():
            return _system_lines(system)


def _graph(title: str, lines: Iterable[str], *, merged: bool) -> Iterator[str]:
    if merged:
        yield "// States that no run tells apart are drawn as one, called after the first of them."
    yield f"digraph {_quoted(title)} {{"
    yield f"  label={_quoted(title)}; labelloc=t; rankdir=LR;"
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
        yield f"s{state} [label={_quoted(chain.state_name(state))}{ended}];"
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
