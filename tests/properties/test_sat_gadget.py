"""Deciding a bounded Pufferfish claim is as hard as satisfiability: formulas become models, and answers must agree.

A clause is drawn in secret; the observations spell an assignment bit by bit; the last one says `yes` with probability
4/5 on the left and 1/5 on the right if the clause is satisfied, with 1/2 on both sides if it is not. With m clauses,
u of them unsatisfied, the ratio of a word that ends in `yes` is (8 (m - u) + 5 u) / (2 (m - u) + 5 u): it is 4 if all
are satisfied and at most 4 - 15 / (2 m + 3) otherwise. So with c = 4 - d, 0 < d <= 15 / (2 m + 3), the claim is refuted
if and only if the formula is satisfiable.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from pfl import check_text
from pfl.engines.answer import Proved
from pfl.options import Engine, Options
from pfl.verify.verdict import Refuted

Clause = dict[int, bool]


def random_formula(rng: random.Random, variables: int, clauses: int) -> list[Clause]:
    return [
        {variable: rng.random() < 0.5 for variable in rng.sample(range(variables), min(2, variables))}
        for _ in range(clauses)
    ]


def is_satisfiable(formula: list[Clause], variables: int) -> bool:
    return any(
        all(any(assignment[variable] == sign for variable, sign in clause.items()) for clause in formula)
        for assignment in product([False, True], repeat=variables)
    )


def model(formula: list[Clause], variables: int, slack: Fraction) -> str:
    rows = ", ".join(
        "[" + ", ".join({None: "0", True: "1", False: "-1"}[clause.get(v)] for v in range(variables)) + "]"
        for clause in formula
    )
    return f"""
const M = {len(formula)};
const N = {variables};
const LITERALS = [{rows}];

hmm Formula {{
    state left: bool;
    state clause: 0..M-1;
    state t: 0..N;
    state bit: bool;
    state satisfied: bool;
    emits {{ zero, one, yes, no }};
    emit  if t < N then {{ zero: if bit then 0 else 1, one: if bit then 1 else 0 }}
          else if not satisfied then {{ yes: 1/2, no: 1/2 }}
          else if left then {{ yes: 4/5, no: 1/5 }}
          else {{ yes: 1/5, no: 4/5 }};
    step {{
        if t < N {{
            if LITERALS[clause][t] == (if bit then 1 else -1) {{ satisfied = true; }}
            t = t + 1;
        }}
        bit = false;
        if t < N {{ bit ~ bernoulli(1/2); }}
    }}
}}
prior uniform_clause for Formula {{
    let side ~ bernoulli(1/2);
    start left = side;
    start clause ~ uniform(0..M-1);
    start t = 0;
    start bit ~ bernoulli(1/2);
    start satisfied = false;
}}
check gadget: pufferfish Formula {{
    prior uniform_clause;  secrets side vs not side;
    epsilon ln(4 - ({slack}));  length N + 1;
}}
"""


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("engine", ["exact", "smt"])
def test_refuted_if_and_only_if_satisfiable(seed: int, engine: Engine) -> None:
    rng = random.Random(seed)
    variables, clauses = rng.randint(1, 3), rng.randint(1, 7)
    formula = random_formula(rng, variables, clauses)
    slack = Fraction(15, 2 * clauses + 3) * rng.choice([Fraction(1), Fraction(1, 3)])
    findings = check_text(model(formula, variables, slack), Options(engine=engine))
    assert findings.diagnostics == ()
    (result,) = findings.results
    if is_satisfiable(formula, variables):
        assert isinstance(result.verdict, Refuted)
        assert result.verdict.witness.ratio == 4
    else:
        assert isinstance(result.verdict, Proved)


def test_both_kinds_of_formula_occur() -> None:
    found = set()
    for seed in range(24):
        rng = random.Random(seed)
        variables, clauses = rng.randint(1, 3), rng.randint(1, 7)
        found.add(is_satisfiable(random_formula(rng, variables, clauses), variables))
    assert found == {True, False}
