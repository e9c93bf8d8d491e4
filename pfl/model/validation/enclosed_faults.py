"""Broken invariants of questions whose probabilities are enclosed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pfl.base.struct import struct
from pfl.model.coincidence import parameters_in
from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedTable
from pfl.model.enclosed.formulas import Combination, Cut, Density, Node, Product, UpTo, functions_in


def enclosed_faults(question: EnclosedCompare) -> Iterator[str]:
    """Pairs of sides, letters or formulas that do not exist, nodes that name later ones, deviations that are not above
    0, integrals of what does not decay, a delta where it is asked for, or that is no number."""
    if not any(table.pairs for table in question.tables):
        yield "there is nothing to compare"
    if (question.delta is None) != (question.goal == "delta"):
        yield "delta must be given unless it is what is asked for"
    if question.delta is not None and parameters_in(question.delta):
        yield "delta depends on parameters"
    elif isinstance(question.delta, Fraction) and not 0 <= question.delta <= 1:
        yield f"delta is {question.delta}"
    if question.outputs is not None and question.outputs < 0:
        yield "the lengths are empty or negative"
    for table in question.tables:
        yield from _table_faults(question, table)


def _table_faults(question: EnclosedCompare, table: EnclosedTable) -> Iterator[str]:
    if (table.epsilon is None) != (question.goal == "epsilon"):
        yield "epsilon must be given unless it is what is asked for"
    if table.epsilon is not None and (table.epsilon.parameters or table.epsilon.sign() < 0):
        yield "epsilon is negative, or depends on parameters"
    if any(not 0 <= place < len(table.sides) for pair in table.pairs for place in pair):
        yield "a pair has a side that is not in the table"
    if table.draws < 0:
        yield "a negative number of samples is drawn"
    yield from _formula_faults(table)
    for side in table.sides:
        if any(not 0 <= letter < len(table.letters) for word in side.words for letter in word):
            yield "a word has a letter that does not exist"


def _formula_faults(table: EnclosedTable) -> Iterator[str]:
    """Of formulas, and of probabilities made of their integrals."""
    known: list[_Shape] = []
    for node in table.nodes:
        place = len(known)
        if any(not 0 <= part < place for part in _named(node)):
            yield "a formula names one that does not come before it"
        if isinstance(node, Density) and (node.deviation <= 0 or (node.is_discrete and node.mean.denominator > 1)):
            yield "a density has a mean or a deviation that it cannot have"
        parts = [known[part] for part in functions_in(node) if 0 <= part < place]
        if isinstance(node, UpTo) and not (parts and parts[0].decays_left and parts[0].has_density):
            yield "what is integrated up to a number does not decay"
        known.append(_shape(node, parts))
    numbers = [number for side in table.sides for number in side.words.values()]
    numbers += [number for node in table.nodes if isinstance(node, Combination) for _, number in node.summands]
    for integral in sorted({place for number in numbers for place in number.integrals}):
        if not 0 <= integral < len(known):
            yield "a probability has an integral that does not exist"
        elif not (known[integral].can_be_integrated and known[integral].has_density):
            yield "a probability has an integral of what does not decay, or is not of one kind of noise"


@struct
class _Shape:
    """Whether a function is 0 far to the left, and to the right, and which kinds of densities are in it."""

    decays_left: bool
    decays_right: bool
    kinds: frozenset[bool] = frozenset()

    @property
    def has_density(self) -> bool:
        return len(self.kinds) == 1

    @property
    def can_be_integrated(self) -> bool:
        return self.decays_left and self.decays_right


def _shape(node: Node, parts: Sequence[_Shape]) -> _Shape:
    """Of a node, made of functions of those shapes."""
    kinds = frozenset(kind for part in parts for kind in part.kinds)
    match node:
        case Density(is_discrete=is_discrete):
            return _Shape(decays_left=True, decays_right=True, kinds=frozenset([is_discrete]))
        case Cut(low=low, high=high):
            return _Shape(
                decays_left=low is not None or all(part.decays_left for part in parts),
                decays_right=high is not None or all(part.decays_right for part in parts),
                kinds=kinds,
            )
        case Product():
            left, right = any(part.decays_left for part in parts), any(part.decays_right for part in parts)
            return _Shape(decays_left=left, decays_right=right, kinds=kinds)
        case Combination():
            left, right = all(part.decays_left for part in parts), all(part.decays_right for part in parts)
            return _Shape(decays_left=left, decays_right=right, kinds=kinds)
        case UpTo():
            return _Shape(decays_left=True, decays_right=False, kinds=kinds)
        case _:
            return _Shape(decays_left=False, decays_right=False)


def _named(node: Node) -> tuple[int, ...]:
    coefficients = [coefficient for _, coefficient in node.summands] if isinstance(node, Combination) else []
    return (*functions_in(node), *(place for each in coefficients for place in each.integrals))
