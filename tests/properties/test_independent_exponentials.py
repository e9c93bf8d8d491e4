"""Random mechanisms whose numbers hold a parameter in exponents alone and another one besides: verdicts for all values
of both against floats at many values. `python test_independent_exponentials.py SEED COUNT` searches wider.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pfl import Options, Proved, Refuted, check_text
from pfl.base.exponential import Exponential
from pfl.base.struct import struct

Point = tuple[float, float, float]
"""Values of eps, of another budget d, and of p."""

CHANCES = (
    "p",
    "1 - p/2",
    "exp(-eps)",
    "p*exp(-eps/2)",
    "1/(1 + exp(-eps))",
    "p/(p + exp(-eps))",
    "exp(-d/3)",
    "1/(1 + exp(-d)*exp(-eps))",
    "1/4",
)
NOISY = "noisy"
BOUNDS = ("eps", "eps/2", "3*eps/2", "eps + d", "d/2 + 1/100", "eps + ln(2)")
GRID = [(e, d, p) for e in (0.01, 0.3, 1.0, 2.5, 7.0) for d in (0.02, 0.5, 2.0, 8.0) for p in (0.01, 0.3, 0.6, 0.99)]


@struct
class Tree:
    """A draw with a chance, or with noise around x, and what follows where it is true and where not; a leaf shows
    `told`."""

    chance: str = ""
    then: Any = None
    otherwise: Any = None
    told: str = "true"

    def statements(self, depth: int = 0) -> str:
        if self.then is None:
            return f"return {self.told};"
        name = f"drawn{depth}"
        if self.chance == NOISY:
            draw, test = f"let {name} ~ laplace(if x then 1 else 0, 1/eps);", f"{name} > 1/2"
        else:
            draw, test = f"let {name} ~ bernoulli({self.chance});", name
        then, otherwise = self.then.statements(depth + 1), self.otherwise.statements(depth + 1)
        return f"{draw} if {test} {{ {then} }} {otherwise}"

    def probability(self, x: bool, point: Point) -> float:
        """Of the result true."""
        if self.then is None:
            return float({"true": True, "false": False, "x": x, "not x": not x}[self.told])
        if self.chance == NOISY:
            tail = math.exp(-point[0] / 2) / 2
            chance = 1 - tail if x else tail
        else:
            chance = value_at(self.chance, point)
        then, otherwise = self.then.probability(x, point), self.otherwise.probability(x, point)
        return chance * then + (1 - chance) * otherwise


def tree(random: Random, depth: int) -> Tree:
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.4:
            chance = random.choice(["1/(1 + exp(-eps))", "1/(1 + exp(-eps/2))", "1/(1 + exp(-d)*exp(-eps))", NOISY])
            plain = ("true", "false") if chance == NOISY else ("x", "not x")
            return Tree(chance=chance, then=Tree(told=plain[0]), otherwise=Tree(told=plain[1]))
        return Tree(told=random.choice(["true", "false"]))
    chance = random.choice([*CHANCES, NOISY])
    return Tree(chance=chance, then=tree(random, depth - 1), otherwise=tree(random, depth - 1))


def value_at(text: str, point: Point) -> float:
    """An expression in the parameters."""
    eps, d, p = point
    return float(eval(text, {"eps": eps, "d": d, "p": p, "ln": math.log, "exp": math.exp}))


def disagreements(seed: int) -> Iterator[str]:
    random = Random(seed)
    mechanism = tree(random, 3)
    bound, delta = random.choice(BOUNDS), random.choice(["0", "0", "p/2", "(1 - exp(-eps))/2"])
    text = (
        "param eps in (0, inf); param d in (0, inf); param p in (0, 1);\n"
        f"mechanism m(x: bool) -> bool {{ {mechanism.statements()} }}\n"
        "adjacency other(a: bool, b: bool) = a != b;\n"
        f"check bound: privacy m {{ adjacent other; epsilon {bound}; delta {delta}; }}\n"
    )
    findings = check_text(text, Options(debug=True, timeout=20))
    codes = {str(each.code) for each in findings.diagnostics}
    if codes:
        if codes != {"PFL0485"} and not all(code.startswith("PFL04") or code == "PFL0556" for code in codes):
            yield f"codes {codes}"
        return
    verdict = findings.results[0].verdict

    def excess(point: Point) -> float:
        least = value_at(delta, point)
        pairs = [(mechanism.probability(x, point), mechanism.probability(not x, point)) for x in (True, False)]
        pairs += [(1 - one, 1 - other) for one, other in pairs]
        factor = math.exp(value_at(bound, point))
        gains = [one - factor * other - least for one, other in pairs]
        return max(gains)

    if isinstance(verdict, Proved):
        for point in GRID:
            if excess(point) > 1e-9:
                yield f"proved, but at {point} there is an excess of {excess(point)}\n{text}"
    elif isinstance(verdict, Refuted):
        values = {"eps": 1.0, "d": 1.0, "p": 0.5}
        for name, value in verdict.witness.parameters:
            held = Exponential.of(name)
            if held is None:
                values[name] = float(value)  # type: ignore[arg-type]
            else:
                values[held.base] = -held.unit * math.log(float(value))  # type: ignore[arg-type]
        point = (values["eps"], values["d"], values["p"])
        if not excess(point) > -1e-12:
            yield f"refuted, but at {point} nothing exceeds: {excess(point)}\n{text}"
    elif not re.search("neither a proof nor|is not compared exactly|is not decided where|limit|open", str(verdict)):
        yield f"{verdict}\n{text}"


@pytest.mark.parametrize("seed", range(10))
def test_verdicts_for_all_values_of_several(seed: int) -> None:
    assert not list(disagreements(seed))


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:3])
    for number in range(start, start + count):
        for problem in disagreements(number):
            print(f"seed {number}: {problem}", flush=True)
