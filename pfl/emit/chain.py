"""Markov chains as files for other model checkers: Storm's explicit DRN format, and a PRISM dtmc of one module.

Costs of transitions as costs of states, for formats that know no others.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE, Exponential, multiple_text
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.base.struct import struct
from pfl.emit.product_names import file_stem, identifiers
from pfl.engines.errors import no_chain
from pfl.model.claims import Case, Claim
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Cost, Measure, Observed, Reach, Results
from pfl.model.parameters import ExponentialSpace, ParameterSpace


def with_costs_of_states(chain: MarkovChain) -> MarkovChain:
    """The chain with all costs paid when a state is left, by whatever transition, as bounds on costs need it.

    A transition that costs more than another of its state leads through a state of its own.
    """
    assert chain.costs is not None
    offsets, targets, weights, costs = array("q", [0]), array("i"), array("i"), array("i")
    table, cost_table = [*chain.weight_table, Fraction(1)], [*chain.cost_table, Fraction(0)]
    names, paying = list(chain.names), dict[tuple[int, int], int]()
    for state in range(chain.size):
        is_mixed = len({chain.cost_table[chain.costs[edge]] for edge in chain.row(state)}) > 1
        for edge in chain.row(state):
            target, cost = chain.targets[edge], chain.costs[edge]
            if is_mixed and chain.cost_table[cost]:
                target = paying.setdefault((target, cost), chain.size + len(paying))
                cost = len(cost_table) - 1
            targets.append(target)
            weights.append(chain.weights[edge])
            costs.append(cost)
        offsets.append(len(targets))
    for target, cost in paying:
        targets.append(target)
        weights.append(len(table) - 1)
        costs.append(cost)
        offsets.append(len(targets))
        if chain.names:
            names.append(f"before {chain.names[target]}")
    return MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=table,
        costs=costs,
        cost_table=cost_table,
        names=names,
    )


ChainFormat: TypeAlias = Literal["drn", "prism"]

_PRISM_WORDS = """
A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables endrewards endsystem false filter
formula func F global G I init int invariant label max mdp min module nondeterministic observable observables of P Pmin
Pmax pomdp popta probabilistic prob pta R rate rewards Rmin Rmax S smg stochastic system true U W X
chain state
"""
"""Words that PRISM keeps for itself, and the names that are used here."""


@struct
class _Model:
    """A chain with its initial states and labelled ends, and what is asked of it, in words."""

    chain: MarkovChain
    starts: tuple[int, ...]
    labels: Mapping[str, tuple[int, ...]]
    has_costs: bool
    comments: tuple[str, ...]
    parameters: ParameterSpace
    exponents: ExponentialSpace | None


def emit_chains(claim: Claim, chain_format: ChainFormat) -> list[tuple[str, str]]:
    """(file name, text) of the chains that a claim is about: one for each target.

    Every start is an initial state; one that is a distribution is a further state, from which a free step leads on.
    Raises InputRejected where the claim is about no chain.
    """
    models = [_model(claim, cases) for cases in _by_target(claim)]
    write = _drn if chain_format == "drn" else _prism
    stem = file_stem(claim)
    names = [f"{stem}-{n}" for n in range(1, len(models) + 1)] if len(models) > 1 else [stem]
    return [(f"{name}.{chain_format}", "\n".join(write(model)) + "\n") for name, model in zip(names, models)]


def _by_target(claim: Claim) -> list[list[tuple[Case, Measure]]]:
    """The cases of a claim, those together that differ in their start alone."""
    groups: dict[object, list[tuple[Case, Measure]]] = {}
    for case in claim.cases:
        if not isinstance(case.question, Measure) or not isinstance(case.question.system, MarkovChain):
            raise no_chain(claim)
        target = case.question.system, case.question.quantity.target
        groups.setdefault(target, []).append((case, case.question))
    if not groups:
        raise no_chain(claim)
    return list(groups.values())


def _model(claim: Claim, cases: list[tuple[Case, Measure]]) -> _Model:
    question = cases[0][1]
    labels, asked = _labels(question)
    chain, starts = _with_starts(question.chain, [each.start for _, each in cases])
    if isinstance(question.quantity, Reach) and question.quantity.within is not None:
        chain = with_costs_of_states(chain)
    comments = [f"{claim.verb} {claim.kind} {claim.subject}", f"asked: {asked}"]
    if question.left is not None:
        comments.append(f"explored in part: state {question.left} stands for all other states")
    for (case, _), start in zip(cases, starts):
        if case.arguments:
            comments.append(f"state {start}: {', '.join(f'{name} = {value}' for name, value in case.arguments)}")
    return _Model(
        chain=chain,
        starts=tuple(dict.fromkeys(starts)),
        labels=labels,
        has_costs=chain.costs is not None,
        comments=tuple(_one_line(comment) for comment in comments),
        parameters=question.parameters,
        exponents=question.exponents,
    )


def _labels(question: Measure) -> tuple[dict[str, tuple[int, ...]], str]:
    """The labels of ends, and the property that is asked, as PRISM and Storm write it."""
    match question.quantity:
        case Reach(goal=goal, within=within):
            bound = "" if within is None else f'{{"cost"}}<={within}'
            return {"goal": tuple(sorted(goal))}, f'P=? [ F{bound} "goal" ]'
        case Cost(goal=goal):
            return {"goal": tuple(sorted(goal))}, 'R{"cost"}=? [ F "goal" ]'
        case Results(outcomes=outcomes):
            labels: dict[str, tuple[int, ...]] = {
                f"result{place}": () if end is None else (end,) for place, (_, end) in enumerate(outcomes)
            }
            named = "; ".join(f'P=? [ F "{label}" ] for {name}' for label, (name, _) in zip(labels, outcomes))
            return labels, named
        case Observed():
            raise ValueError("what is observed of a labelled system is asked of no chain")
        case _:
            assert_never(question.quantity)


def _with_starts(chain: MarkovChain, starts: Iterable[SparseRow]) -> tuple[MarkovChain, list[int]]:
    """The chain with a state for every start that is a distribution, and the states where runs start."""
    offsets, targets, weights = chain.offsets[:], chain.targets[:], chain.weights[:]
    costs = None if chain.costs is None else chain.costs[:]
    table, cost_table = list(chain.weight_table), list(chain.cost_table)
    known: dict[SparseRow, int] = {}
    for start in starts:
        if start in known:
            continue
        if len(start) == 1:
            known[start] = start[0][0]
            continue
        known[start] = len(offsets) - 1
        for state, weight in start:
            targets.append(state)
            weights.append(len(table))
            table.append(weight)
            if costs is not None:
                costs.append(len(cost_table))
        cost_table.append(Fraction(0))
        offsets.append(len(targets))
    names = [chain.state_name(state) for state in range(chain.size)]
    names += ["start"] * (len(offsets) - 1 - chain.size)
    grown = replace(
        chain,
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=table,
        costs=costs,
        cost_table=cost_table,
        names=names,
    )
    return grown, [known[start] for start in starts]


# --- DRN ---------------------------------------------------------------------


def _drn(model: _Model) -> Iterator[str]:
    chain = model.chain
    names = identifiers(_parameters(chain))
    # A label is known by its states, so labels without any are those of a state that nothing leads to.
    unreached = [label for label, states in model.labels.items() if not states]
    size = chain.size + bool(unreached)
    for comment in (*model.comments, *(f"{names[name]} is {said}" for name, said in _exponentials(model, names))):
        yield f"// {comment}"
    yield "@type: DTMC"
    yield "@parameters"
    yield " ".join(names.values())
    yield "@reward_models"
    yield "cost" if model.has_costs else ""
    yield "@nr_states"
    yield str(size)
    yield "@nr_choices"
    yield str(size)
    yield "@model"
    labels = _labels_of_states(model)
    for state in range(chain.size):
        cost = f" [{_number(_mean_cost(chain, state), names)}]" if model.has_costs else ""
        yield f"state {state}{cost}{''.join(f' {label}' for label in labels.get(state, ()))}"
        yield f"//{_one_line(chain.state_name(state))}"
        yield "\taction 0"
        for target, weight in _row(chain, state):
            yield f"\t\t{target} : {_number(weight, names)}"
    if unreached:
        yield f"state {chain.size}{' [0]' if model.has_costs else ''} {' '.join(unreached)}"
        yield "\taction 0"
        yield f"\t\t{chain.size} : 1"


def _labels_of_states(model: _Model) -> dict[int, list[str]]:
    labels: dict[int, list[str]] = {state: ["init"] for state in model.starts}
    for label, states in model.labels.items():
        for state in states:
            labels.setdefault(state, []).append(label)
    return labels


# --- PRISM -------------------------------------------------------------------


def _prism(model: _Model) -> Iterator[str]:
    chain = model.chain
    names = identifiers(_parameters(chain), _PRISM_WORDS.split())
    for comment in model.comments:
        yield f"// {comment}"
    yield "dtmc"
    yield ""
    for parameter in model.parameters.parameters:
        if parameter.name in names:
            held = Exponential.of(parameter.name)
            what = "" if held is None else f"{_power(held)}, "
            yield f"const double {names[parameter.name]}; // {what}{parameter}"
    for name, said in _exponentials(model, names):
        yield f"const double {names[name]}; // {said}"
    yield "module chain"
    several = len(model.starts) > 1
    initial = "" if several else f" init {model.starts[0]}"
    yield f"  state : [0..{max(chain.size - 1, 1)}]{initial};"
    for state in range(chain.size):
        moves = " + ".join(f"{_number(weight, names)} : (state'={target})" for target, weight in _row(chain, state))
        yield f"  [] state={state} -> {moves}; // {_one_line(chain.state_name(state))}"
    yield "endmodule"
    yield ""
    if several:
        yield f"init {_one_of(model.starts)} endinit"
    for label, states in model.labels.items():
        yield f'label "{label}" = {_one_of(states)};'
    if model.has_costs:
        yield 'rewards "cost"'
        yield "  true : 0;"  # a block must not be empty
        for state in range(chain.size):
            if cost := _mean_cost(chain, state):
                yield f"  state={state} : {_number(cost, names)};"
        yield "endrewards"


def _one_of(states: Iterable[int]) -> str:
    return " | ".join(f"state={state}" for state in states) or "false"


# --- shared ------------------------------------------------------------------


def _row(chain: MarkovChain, state: int) -> list[tuple[int, Number]]:
    """The transitions of a state, parallel ones as one; an absorbing state leads to itself."""
    row: dict[int, Number] = {}
    for target, weight in chain.transitions(state):
        row[target] = row[target] + weight if target in row else weight
    return sorted(row.items()) or [(state, Fraction(1))]


def _mean_cost(chain: MarkovChain, state: int) -> Number:
    """What a step from the state costs on average; expectations need no more."""
    if chain.costs is None:
        return Fraction(0)
    shares = (chain.weight_table[chain.weights[e]] * chain.cost_table[chain.costs[e]] for e in chain.row(state))
    return sum(shares, Fraction(0))


def _exponentials(model: _Model, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names that stand for a parameter and its exponential, which no format has numbers for, and what each is."""
    if model.exponents is None:
        return
    interval = f", {model.exponents}" if model.exponents.base != ONE else ""
    for name in model.exponents.names:
        if name in names:
            held = Exponential.of(name)
            yield (
                name,
                str(model.exponents) if held is None else f"{_power(held)}{interval}",
            )


def _power(held: Exponential) -> str:
    return f"e^({multiple_text(held.base, Fraction(-1, held.unit))})"


def _parameters(chain: MarkovChain) -> list[str]:
    numbers = (*chain.weight_table, *chain.cost_table)
    return sorted({name for n in numbers if isinstance(n, RationalFunction) for name in n.parameters})


def _number(number: Number, names: Mapping[str, str]) -> str:
    """A number in the arithmetic of both formats, which know no powers."""
    if isinstance(number, Fraction):
        return fraction_text(number)
    above, below = (_polynomial(part, names.__getitem__) for part in (number.numerator, number.denominator))
    return f"({above})" if below == "1" else f"({above})/({below})"


def _polynomial(polynomial: Polynomial, name: Callable[[str], str]) -> str:
    terms = []
    for monomial, coefficient in polynomial.terms:
        factors = [name(parameter) for parameter, power in monomial for _ in range(power)]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, fraction_text(abs(coefficient)))
        terms.append(("-" if coefficient < 0 else "+", "*".join(factors)))
    text = "".join(f" {sign} {term}" for sign, term in terms)
    return text.removeprefix(" + ").strip() if text.startswith(" + ") else text.strip().replace("- ", "-", 1)


def _one_line(text: str) -> str:
    """Text for a comment: on one line, in ASCII."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode()
