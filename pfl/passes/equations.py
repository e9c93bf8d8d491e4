"""A claim where equations between its parameters hold, without the model that it was made from.

Either the claim is known under one of them, or they are put into its numbers. That is sound wherever nothing that the
numbers were divided by is 0: docs/theory/side-conditions.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from pfl.analysis.polynomial.box import holds_at
from pfl.analysis.polynomial.elimination import Reduced, reduce_others, reduce_pinned
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.claims import Case, Claim, Search
from pfl.model.compare import Compare, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import Condition, ParameterSpace
from pfl.model.two_systems import TwoSystems
from pfl.passes.substitute import ImpossibleValues, substitute


@struct(eq=False)
class Where:
    """`Claim.anew` of a claim that was read: the claim under an equation, beside the `equations` that hold already.

    `known` are claims under equations, each of which can be asked for further ones.
    """

    claim: Claim
    known: tuple[tuple[Condition, Claim], ...] = ()
    equations: tuple[Condition, ...] = ()

    def __call__(self, name: str, equation: Condition, seconds: float | None) -> Claim:  # noqa: ARG002
        """See `CompileAnew`. Raises LimitReached where neither the claim is known nor the equation can be put in."""
        equations = (*self.equations, equation)
        if (factors := _factors(self.claim)).names:
            return _with_factor(self.claim, factors, equations)
        reduced = _reduced(self.claim, equations)
        for held, there in self.known:
            if not reduced.number(held.polynomial):
                return _further(there, _rewritten(self.claim, held, equations))
        exceptional = _left(self.claim.exceptional, reduced)
        if exceptional is None:
            others = " and ".join(each.text for each in equations)
            raise LimitReached(
                f"the text of the model does not say what the claim is where {others}, and the numbers that it has "
                "elsewhere say nothing there; check the model that it was written from"
            )
        try:
            cases = Numbers(reduced.number, _space(self.claim, equations, reduced))(self.claim.cases)
        except (ZeroDivisionError, ImpossibleValues) as error:
            raise LimitReached(f"where {equation.text}, numbers of the claim have no value: {error}") from error
        return replace(
            self.claim,
            cases=cases,
            exceptional=exceptional,
            anew=Where(claim=self.claim, known=self.known, equations=equations),
        )


def _factors(claim: Claim) -> ParameterSpace:
    """What a find over exponents looks for."""
    question = claim.question if claim.cases else None
    return question.factors if isinstance(question, Search) else ParameterSpace()


def _with_factor(claim: Claim, factors: ParameterSpace, equations: Sequence[Condition]) -> Claim:
    """A find with the value that equations give to what it looks for as a factor of exponents."""
    question = claim.question
    assert isinstance(question, Search)
    found = reduce_pinned(factors.restricted(*equations), ()).definitions
    values = {name: value for name, value in found.items() if isinstance(value, Fraction)}
    if values.keys() != set(factors.names) or not holds_at(factors, values):
        said = " and ".join(each.text for each in equations)
        raise LimitReached(f"{said} is no value of {', '.join(map(str, factors.parameters))}")
    asked = replace(question, names=(), claim=substitute(question.claim, values), factors=ParameterSpace())
    return replace(claim, cases=(Case(question=asked),), anew=None)


def _reduced(claim: Claim, equations: Sequence[Condition]) -> Reduced:
    return reduce_pinned(claim.parameters.restricted(*equations), _sought(claim))


def _sought(claim: Claim) -> tuple[str, ...]:
    """What a find looks for."""
    question = claim.question if claim.cases else None
    return question.names if isinstance(question, Search) else ()


def _space(claim: Claim, equations: Sequence[Condition], reduced: Reduced) -> ParameterSpace:
    """The values that are left; those of what a find looks for are told of, even if there is one alone."""
    names = _sought(claim)
    return reduce_others(claim.parameters.restricted(*equations), names).space if names else reduced.space


def _further(claim: Claim, equations: Sequence[Condition]) -> Claim:
    """A claim that is known, where further equations hold."""
    for equation in equations:
        assert claim.anew is not None, "whatever is read can be asked for further equations"
        claim = claim.anew(claim.name, equation, None)
    return claim


def _rewritten(claim: Claim, held: Condition, equations: Sequence[Condition]) -> list[Condition]:
    """The equations in the parameters that are left where one holds, but for those that it implies."""
    there = _reduced(claim, [held])
    numbers = [(each, there.number(each.polynomial)) for each in equations]
    return [replace(each, polynomial=number) for each, number in numbers if number]


def _left(exceptional: Sequence[Condition], reduced: Reduced) -> tuple[Condition, ...] | None:
    """What may still fail of the conditions under which numbers say something; None where one fails everywhere."""
    numbers = [reduced.number(condition.polynomial) for condition in exceptional]
    if not all(numbers):
        return None
    factors = dict.fromkeys(
        factor
        for number in numbers
        if isinstance(number, RationalFunction)
        for factor, power in number.factors()[1]
        if power > 0
    )
    return tuple(Condition(polynomial=factor, relation="!=", text=f"{factor} != 0") for factor in factors)


class Numbers:
    """Replaces the numbers of whatever it is given by what `number` makes of them, and spaces of parameters by `space`,
    if that is given; what is shared stays so."""

    def __init__(self, number: Callable[[Number], Number], space: ParameterSpace | None) -> None:
        self._number, self._space = number, space
        self._made: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, RationalFunction):
            return self._number(value)
        if value is None or isinstance(value, (Fraction, int, str, frozenset, array)):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = (value, self._replaced(value))
        return self._made[id(value)][1]

    def _replaced(self, value: Any) -> Any:
        match value:
            case ParameterSpace():
                return value if self._space is None else self._space
            case Epsilon():
                return self._epsilon(value)
            case Condition():
                return replace(value, polynomial=self(value.polynomial))
            case MarkovChain():
                return self._chain(value)
            case Compare():
                return self._compare(self._fields(value))
            case Mapping():
                return {key: self(held) for key, held in value.items()}
            case tuple():
                return tuple(self(each) for each in value if not self._vanishes(each))
            case _ if is_dataclass(value):
                return self._fields(value)
            case _:
                return value

    def _fields(self, record: Any) -> Any:
        changed = {}
        for field in fields(record):
            held = getattr(record, field.name)
            if (made := self(held)) is not held:
                changed[field.name] = made
        return replace(record, **changed) if changed else record

    def _vanishes(self, entry: Any) -> bool:
        """Whether something is an entry of a row that is 0 now."""
        match entry:
            case (int(), RationalFunction() as weight):
                return not self(weight)
            case _:
                return False

    def _epsilon(self, epsilon: Epsilon) -> Epsilon:
        total = Epsilon.rational(epsilon.constant)
        for coefficient, argument in epsilon.logarithms:
            number = self(argument)
            if isinstance(number, Fraction) and number <= 0:
                raise ImpossibleValues(f"ln({argument}) is not a real number")
            total = total + Epsilon.ln(number) * coefficient
        return total

    def _chain(self, chain: MarkovChain) -> MarkovChain:
        """The chain without transitions whose probability is 0 now."""
        table = [self(weight) for weight in chain.weight_table]
        kept = [edge for edge, weight in enumerate(chain.weights) if table[weight]]
        offsets, place = array("q", [0]), 0
        for end in chain.offsets[1:]:
            while place < len(kept) and kept[place] < end:
                place += 1
            offsets.append(place)
        numbers = {number: place for place, number in enumerate(dict.fromkeys(weight for weight in table if weight))}
        return replace(
            chain,
            offsets=offsets,
            targets=array(chain.targets.typecode, (chain.targets[edge] for edge in kept)),
            weights=array(chain.weights.typecode, (numbers[table[chain.weights[edge]]] for edge in kept)),
            weight_table=tuple(numbers),
            costs=None if chain.costs is None else array(chain.costs.typecode, (chain.costs[edge] for edge in kept)),
            cost_table=tuple(map(self, chain.cost_table)),
        )

    def _compare(self, question: Compare) -> Compare:
        """Pairs of which a side has probability 0 now are skipped; starts of constant weight are divided by it."""
        tables, skipped = [], dict.fromkeys(question.skipped)
        for table in question.tables:
            lacking = [_is_impossible(side) for side in table.sides]
            skipped |= {f"`{side.label}` has probability 0": None for side, is_0 in zip(table.sides, lacking) if is_0}
            pairs = tuple(pair for pair in table.pairs if not any(lacking[side] for side in pair))
            kept = sorted({side for pair in pairs for side in pair})
            place = {side: number for number, side in enumerate(kept)}
            if pairs:
                sides = tuple(table.sides[side] for side in kept)
                there = tuple((place[left], place[right]) for left, right in pairs)
                tables.append(_settled(question, replace(table, sides=sides, pairs=there)))
        return replace(question, tables=tuple(tables), skipped=tuple(skipped))


def _is_impossible(side: Any) -> bool:
    vanishing = (condition.polynomial for condition in side.nonzero if condition.relation == "!=")
    return not side.weight or not all(vanishing)


def _settled(question: Compare, table: Table) -> Table:
    """A table in which numbers have become constant as it is made where they are."""
    if isinstance(table.compared, TwoSystems):
        return replace(table, sides=Table.of_systems(table.compared).sides)
    if not isinstance(table.compared, LabelledSystem):
        return table
    alone = replace(question, tables=(table,), shorter=(), parameters=ParameterSpace())
    return replace(substitute(alone, {}).tables[0], counts=table.counts)


def is_read(claim: Claim) -> bool:
    """Whether a claim was read from a text, whose numbers no option changes any more."""
    return isinstance(claim.anew, Where)


def askable(claim: Claim) -> Claim:
    """A claim that was read with those that it is at some values of its parameters, ready to be asked for others."""
    held = getattr(claim.anew, "claims", ())
    return replace(claim, anew=Where(claim=claim, known=tuple((each, askable(there)) for each, there in held)))
