"""What every claim must satisfy before an engine sees it; a fault found here is the compiler's, not the model's.

What every question about a Markov chain must satisfy before an engine sees it.

Broken invariants of interactive systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.pair_array import PairArray
from pfl.model.claims import Claim, Question, Search
from pfl.model.compare import Compare, Side, Table
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem, Matrix, SparseRow, Vector, sparse
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure, Observed, Reach, Results
from pfl.model.validation.consistency import hidden_faults, runs_faults
from pfl.model.validation.enclosed_faults import enclosed_faults


def chain_faults(chain: MarkovChain) -> Iterator[str]:
    """Broken invariants of a chain: targets that exist, weights above 0, rows that sum to 1."""
    if len(chain.targets) != len(chain.weights) or chain.offsets[-1] != len(chain.targets):
        yield "the arrays of the chain have different lengths"
        return
    if chain.costs is not None and len(chain.costs) != len(chain.targets):
        yield "not every transition has a cost"
    if chain.names and len(chain.names) != chain.size:
        yield "not every state has a name"
    if len(chain.targets) and not 0 <= min(chain.targets) <= max(chain.targets) < chain.size:
        yield "a transition leads to a state that does not exist"
    if any(isinstance(weight, Fraction) and weight <= 0 for weight in chain.weight_table):
        yield "a weight is not positive"
    sums: dict[tuple[int, ...], Number] = {}
    offsets, weights, table = chain.offsets, chain.weights, chain.weight_table
    for state in range(chain.size):
        row = tuple(weights[offsets[state] : offsets[state + 1]])
        if row and row not in sums:
            sums[row] = total = sum((table[weight] for weight in row), Fraction(0))
            if total != 1:
                yield f"the weights of state {state} sum to {_text(total)}"


def _can_be_left(question: Measure, left: int) -> bool:
    system, quantity = question.system, question.quantity
    asks = isinstance(quantity, Results) or (isinstance(quantity, Reach) and quantity.within is None)
    is_state = isinstance(system, MarkovChain) and 0 <= left < system.size and system.is_absorbing(left)
    return asks and is_state and left not in quantity.ends


def measure_faults(question: Measure) -> Iterator[str]:
    """Broken invariants of a question: a start that is a distribution, ends that are absorbing states, letters that
    exist."""
    system, quantity = question.system, question.quantity
    if any(not 0 <= state < system.size for state, _ in question.start):
        yield "the start has a state that does not exist"
    if any(isinstance(weight, Fraction) and weight < 0 for _, weight in question.start):
        yield "the start has a negative entry"
    total = sum((weight for _, weight in question.start), Fraction(0))
    if total != 1:
        yield f"the start has mass {_text(total)}"
    if isinstance(quantity, Observed) is not isinstance(system, LabelledSystem):
        yield "the quantity is not one of such a system"
        return
    if isinstance(system, MarkovChain) and any(
        not 0 <= state < system.size or not system.is_absorbing(state) for state in quantity.ends
    ):
        yield "an end is not an absorbing state"
    if question.left is not None and not _can_be_left(question, question.left):
        yield "what was left is no absorbing state beside the ends, or no probability is asked for"
    match quantity:
        case Reach(within=int(within)):
            if within < 0:
                yield "the number of moves is negative"
            if question.chain.costs is None or any(cost not in (0, 1) for cost in question.chain.cost_table):
                yield "moves cost neither 0 nor 1"
        case Results(outcomes=outcomes, specified=specified):
            if specified is not None and len(specified) != len(outcomes) + 1:
                yield "not every outcome has a specified probability"
            if specified is not None and (mass := sum(specified, Fraction(0))) != 1:
                yield f"the specified probabilities sum to {_text(mass)}"
        case Observed(word=word, hidden=hidden):
            assert isinstance(system, LabelledSystem)
            if system.final is not None:
                yield "a word is observed of a system with final weights"
            if hidden is not None:
                yield from hidden_faults(system, question.start, hidden)
            if any(letter is not None and not 0 <= letter < len(system.letters) for letter in word):
                yield "the word has a letter that the system does not have"


def interactive_faults(system: InteractiveSystem) -> Iterator[str]:
    """A start that is no distribution, rows of data points that do not sum to 1, of queries that sum to more, data
    points that are taken by what takes no input, entries out of order or not positive."""
    start = sparse(system.start)
    yield from _vector_faults("the start", system.start, start, system.size)
    if (mass := sum((weight for _, weight in start), Fraction(0))) != 1:
        yield f"the start has mass {_text(mass)}"
    for data, moves in zip(system.data, system.data_moves):
        yield from _matrix_faults(system, data, moves)
        for state, row in enumerate(moves):
            total = row[0][1] if len(row) == 1 else sum((weight for _, weight in row), Fraction(0))
            if total != 1:
                yield f"the weights of `{system.states[state]}` under `{data}` sum to {_text(total)}"
            if not system.waits(state) and row != ((system.bottom, Fraction(1)),):
                yield f"`{system.states[state]}` takes no input, but `{data}` does not lead to bottom"
    for query, answers in zip(system.queries, system.answers):
        totals: list[Number] = [Fraction(0)] * system.size
        for answer, matrix in answers:
            yield from _matrix_faults(system, f"{query} -> {answer}", matrix)
            for state, row in enumerate(matrix):
                for _, weight in row:
                    totals[state] = totals[state] + weight
            if matrix[system.bottom]:
                yield f"bottom answers `{query}`"
        for state, total in enumerate(totals):
            if isinstance(total, Fraction) and total > 1:
                yield f"the answers of `{system.states[state]}` to `{query}` sum to {_text(total)}"


def _matrix_faults(system: InteractiveSystem, letter: str, matrix: Matrix) -> Iterator[str]:
    if len(matrix) != system.size:
        yield f"`{letter}` has {len(matrix)} rows for {system.size} states"
    for state, row in enumerate(matrix):
        columns = [column for column, _ in row]
        if (len(row) > 1 and columns != sorted(set(columns))) or any(not 0 <= c < system.size for c in columns):
            yield f"the columns of `{system.states[state]}` under `{letter}` are not ascending states"
        if any(isinstance(weight, Fraction) and weight.numerator <= 0 for _, weight in row):
            yield f"a weight of `{system.states[state]}` under `{letter}` is not positive"


System: TypeAlias = LabelledSystem | InteractiveSystem | MarkovChain


class Malformed(Exception):
    """A claim or a system breaks an invariant of the intermediate representation."""


class Validation:
    """Looks at claims one after the other; a system that a claim shares with the one before it is not looked at again.

    Only the systems of one claim are kept alive.
    """

    def __init__(self) -> None:
        self._sound: frozenset[System] = frozenset()

    def require(self, claim: Claim) -> None:
        """Raise `Malformed` for the first broken invariant of a claim."""
        systems = systems_of(claim)
        for system in systems:
            if system not in self._sound:
                require_system(system, f"claim `{claim.name}`")
        self._sound = frozenset(systems)
        _require_none(f"claim `{claim.name}`", claim_faults(claim))


def systems_of(claim: Claim) -> tuple[System, ...]:
    """The systems that the questions of a claim are about, each once."""
    questions = (each for question in claim.questions for each in _with_shorter(question))
    return tuple(dict.fromkeys(system for question in questions for system in question.systems))


def require_system(system: System, where: str) -> None:
    """Raise `Malformed` for the first broken invariant of a system, which `where` says what it belongs to."""
    _require_none(where, _faults_of(system))


def _with_shorter(question: Question) -> tuple[Question, ...]:
    compare = question.claim if isinstance(question, Search) else question
    return (question, *compare.shorter) if isinstance(compare, Compare) else (question,)


def _require_none(where: str, faults: Iterator[str]) -> None:
    for fault in faults:
        raise Malformed(f"{where}: {fault}")


def _faults_of(system: System) -> Iterator[str]:
    match system:
        case MarkovChain():
            return chain_faults(system)
        case InteractiveSystem():
            return interactive_faults(system)
        case LabelledSystem():
            return system_faults(system)


def system_faults(system: LabelledSystem) -> Iterator[str]:
    """Broken invariants of a system: entries in ascending columns, none negative or 0, rows that sum to 1, final
    weights only where one depends on parameters."""
    for letter, matrix in zip(system.letters, system.matrices):
        for state, row in zip(system.states, matrix):
            if not row:
                continue
            columns = [column for column, _ in row]
            if columns != sorted(set(columns)) or any(not 0 <= column < system.size for column in columns):
                yield f"the columns of `{state}` under `{letter}` are not ascending states"
            if any(isinstance(weight, Fraction) and weight <= 0 for _, weight in row):
                yield f"a weight of `{state}` under `{letter}` is not positive"
    if any(isinstance(weight, Fraction) and weight < 0 for weight in system.final or ()):
        yield "a final weight is negative"
    if system.final is not None and all(isinstance(weight, Fraction) for weight in system.final):
        yield "no final weight depends on parameters"
    if system.stochastic:
        for position, state in enumerate(system.states):
            weights: dict[int, Number] = {}
            for matrix in system.matrices:
                for column, weight in matrix[position]:
                    weights[column] = weights[column] + weight if column in weights else weight
            total, own = _total(system, weights.items()), _own(system, position)
            if total != own:
                yield f"the weights of `{state}` over all letters sum to {_text(total)}, not to {_text(own)}"
    else:
        yield from _input_faults(system, system.inputs or (-1,) * len(system.letters))


def _own(system: LabelledSystem, state: int) -> Number:
    return Fraction(1) if system.final is None else system.final[state]


def _total(system: LabelledSystem, entries: Iterable[tuple[int, Number]]) -> Number:
    return sum((weight * _own(system, column) if system.final else weight for column, weight in entries), Fraction(0))


def _input_faults(system: LabelledSystem, inputs: Sequence[int]) -> Iterator[str]:
    """A state at which a run goes on takes inputs, each with its whole mass over what is seen of it, or none, with its
    whole mass."""
    totals: dict[tuple[int, int], Number] = {}
    for number, matrix in zip(inputs, system.matrices):
        for position, row in enumerate(matrix):
            if row:
                totals[position, number] = totals.get((position, number), Fraction(0)) + _total(system, row)
    for (position, number), total in totals.items():
        what = "without an input" if number < 0 else f"for input {number}"
        if total != (own := _own(system, position)):
            yield f"the weights of `{system.states[position]}` {what} sum to {_text(total)}, not to {_text(own)}"
        if number >= 0 and (position, -1) in totals:
            yield f"`{system.states[position]}` moves whether it is given an input or not"


def claim_faults(claim: Claim) -> Iterator[str]:
    """Broken invariants of a claim: start vectors of the right size and weight, letters that exist, lengths given."""
    if not claim.cases and claim.limit is None:
        yield "the claim ranges over nothing"
    for question in claim.questions:
        yield from _question_faults(question)


def _question_faults(question: Question) -> Iterator[str]:
    match question:
        case Measure():
            yield from measure_faults(question)
        case Compare():
            yield from _compare_faults(question)
        case EnclosedCompare():
            yield from enclosed_faults(question)
        case Search():
            yield from _compare_faults(question.claim)
            if not set(question.names) <= {*question.claim.parameters.names, *question.factors.names}:
                yield "a name to find is no parameter of the claim"
        case _:
            assert_never(question)


def _compare_faults(question: Compare) -> Iterator[str]:
    if not question.comparisons and not question.skipped:
        yield "there is nothing to compare"
    if question.lengths != "any" and (not question.lengths or min(question.lengths) < 0):
        yield "the lengths are empty or negative"
    if (question.delta is None) != (question.goal == "delta"):
        yield "delta must be given unless it is what is asked for"
    if isinstance(question.delta, Fraction) and not 0 <= question.delta <= 1:
        yield f"delta is {_text(question.delta)}"
    for balance in () if question.family is None else question.family.balances:
        yield from _epsilon_faults(f"the balance of `{balance.label}`", balance.epsilon)
    for table in question.tables:
        yield from _table_faults(table, question)
    for each in question.shorter:
        yield from _compare_faults(each)


def _are_within(pairs: Sequence[tuple[int, int]], size: int) -> bool:
    if isinstance(pairs, PairArray):
        return pairs.within(size)
    return all(0 <= place < size for pair in pairs for place in pair)


def _table_faults(table: Table, question: Compare) -> Iterator[str]:
    if (table.epsilon is None) != (question.goal == "epsilon"):
        yield "epsilon must be given unless it is what is asked for"
    if table.epsilon is not None:
        yield from _epsilon_faults("epsilon", table.epsilon)
    if not _are_within(table.pairs, len(table.sides)):
        yield "a pair has a side that is not in the table"
        return
    distinct = {(id(side.vector), id(side.weight)): side for side in table.sides}  # many sides share one vector
    for side in distinct.values():
        yield from _side_faults(table, side)
    if table.runs is not None:
        yield from runs_faults(table, table.runs)


def _epsilon_faults(what: str, epsilon: Epsilon) -> Iterator[str]:
    """A constant epsilon that is negative, or the logarithm of a number that is not positive."""
    if any(isinstance(argument, Fraction) and argument <= 0 for _, argument in epsilon.logarithms):
        yield f"{what} is the logarithm of a number that is not positive"
    elif not epsilon.parameters and epsilon.sign() < 0:
        yield f"{what} is negative"


def _side_faults(table: Table, side: Side) -> Iterator[str]:
    entries = sparse(side.vector)
    yield from _vector_faults(f"the start of `{side.label}`", side.vector, entries, table.size)
    final = table.compared.final if isinstance(table.compared, LabelledSystem) else None
    total = sum((entry if final is None else entry * final[state] for state, entry in entries), Fraction(0))
    if total != side.weight:
        yield f"the start of `{side.label}` has mass {_text(total)}, its weight is {_text(side.weight)}"
    if side.weight == 0:
        yield f"`{side.label}` has probability 0"


def _text(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


def _vector_faults(what: str, vector: Vector, entries: SparseRow, size: int) -> Iterator[str]:
    if len(vector) != size:
        yield f"{what} has {len(vector)} entries for {size} states"
    if any(isinstance(entry, Fraction) and entry < 0 for _, entry in entries):
        yield f"{what} has a negative entry"
