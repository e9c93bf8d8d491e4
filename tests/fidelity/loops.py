"""Pieces of programs with loops that may never end at some value of a parameter."""

from __future__ import annotations

from fractions import Fraction

from .cases import Setting
from .programs import Draw, Mechanism, Statement, Term, bernoulli, binomial, chosen, literal, negated, over, variable
from .weights import Weight, constant


def shown_rows(setting: Setting, values: int) -> tuple[Draw, Draw]:
    """Two distributions over 0 .. values - 1, at times with a weight that vanishes."""
    found = []
    for _ in range(2):
        if setting.random.random() < 0.5:
            parts = [setting.random.randint(1, 3) for _ in range(values)]
            row: dict[object, Weight] = {n: constant(Fraction(part, sum(parts))) for n, part in enumerate(parts)}
            found.append(over(row))
        elif setting.random.random() < 0.2:
            weight = setting.weights.unit()
            found.append(binomial(weight))
        else:
            row = setting.weights.row(list(range(values)))
            found.append(over(row))
    return found[0], found[1]


def loop(
    setting: Setting, name: str, condition: Term, helper: Mechanism | None, ticks: bool = False
) -> tuple[Statement, ...]:
    """A loop, perhaps under the condition, that goes on with a probability that may be 1."""
    random, weights = setting.random, setting.weights
    again, again_too = weights.varying(), weights.unit()
    tick = (Statement("tick", term=literal(random.choice([1, 2]))),) if ticks and random.random() < 0.7 else ()
    on = variable(name)
    begins = Statement("var", name, literal(True))
    match random.randrange(6 if helper else 5):
        case 0:
            return (Statement("if", term=condition, then=(begins, _while(on, _drawn(name, again), *tick))),)
        case 1:
            return (begins, _while(on, _drawn(name, again), *tick))
        case 2:
            goes_on = Statement("draw", name, draw=chosen(condition, bernoulli(again), bernoulli(again_too)))
            return (begins, _while(on, goes_on, *tick))
        case 3:
            begins = Statement("var", name, condition)
            return (begins, _while(on, *tick, _drawn(name, again)))
        case 4:
            one, two = f"{name}1", f"{name}2"
            same = Term(f"{one} == {two}", lambda values: values[one] == values[two])
            first = (Statement("var", one, literal(False)), Statement("var", two, literal(False)))
            body = _while(same, _drawn(one, again), _drawn(two, again_too), *tick)
            return (*first, body)
        case _:
            assert helper is not None
            return (begins, _while(on, Statement("call", name, body=helper), *tick))


def _while(condition: Term, *body: Statement) -> Statement:
    return Statement("while", term=condition, then=body)


def _drawn(name: str, again: Weight) -> Statement:
    return Statement("draw", name, draw=bernoulli(again))


def random_helper(setting: Setting, name: str) -> Mechanism:
    """A mechanism that others draw from; it may never end."""
    again, result = setting.weights.varying(), setting.weights.unit()
    body = (
        Statement("var", "h", literal(True)),
        _while(variable("h"), _drawn("h", again)),
        Statement("return", draw=bernoulli(result)),
    )
    if setting.random.random() < 0.3:
        body = (
            Statement("var", "h", literal(False)),
            _while(negated(variable("h")), _drawn("h", again)),
            Statement("return", term=variable("h")),
        )
    return Mechanism(name, (), "bool", body)
