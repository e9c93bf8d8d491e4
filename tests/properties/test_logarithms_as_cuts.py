"""Random mechanisms with cuts and means at multiples of ln(r)/eps, or of 1/eps: probabilities against quadrature.
`python test_logarithms_as_cuts.py SEED COUNT` searches wider.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from scipy.integrate import quad

from pfl import Options, check_text
from pfl.base.closed_form import enclosure

NEAR = 1e-7


def density(x: float, mean: float, rate: int) -> float:
    return rate / 2 * math.exp(-rate * abs(x - mean))


def up_to(x: float, mean: float, rate: int) -> float:
    tail = math.exp(-rate * abs(x - mean)) / 2
    return tail if x < mean else 1 - tail


def difference(seed: int) -> str:
    """What is wrong with the probability that s > t + c and low < s < high, in units of 1/eps; empty if nothing."""
    random = Random(seed)
    argument = random.choice([Fraction(2), Fraction(3), Fraction(5, 2), Fraction(3, 2), None])
    unit = 1.0 if argument is None else math.log(argument)
    word = "1" if argument is None else f"ln({argument})"
    first, second = random.sample([1, 2, 3], 2)
    means = [random.randint(-2, 2) for _ in range(2)]
    c, low = random.randint(-2, 2), random.randint(-3, 1)
    high = low + random.randint(1, 4)
    text = f"""
param eps in (0, inf);
mechanism m(x: bool) -> bool {{
    let s ~ laplace({means[0]}*{word}/eps, 1/({first}*eps));
    let t ~ laplace({means[1]}*{word}/eps, 1/({second}*eps));
    return s > t + {c}*{word}/eps and s < {high}*{word}/eps and {low}*{word}/eps < s;
}}
compute likely: probability m(true) {{ returns true; }}
"""
    findings = check_text(text, Options(debug=True))
    if findings.diagnostics:
        return f"{[each.message for each in findings.diagnostics]}\n{text}"
    value = findings.results[0].verdict.value  # type: ignore[union-attr]
    found = float(enclosure(value, 64).low)

    def height(x: float) -> float:
        return density(x, means[0] * unit, first) * up_to(x - c * unit, means[1] * unit, second)

    breaks = sorted({low, high, *(b for b in (means[0], means[1] + c) if low < b < high)})
    wanted = sum(quad(height, a * unit, b * unit, epsabs=1e-12)[0] for a, b in pairwise(breaks))
    return "" if abs(found - wanted) < NEAR else f"{found}, and by quadrature {wanted}\n{text}"


def program(seed: int, unit: str) -> str:
    """A mechanism with two or three samples and some comparisons, all numbers of which are multiples of a unit."""
    random = Random(seed)

    def number() -> str:
        return f"{random.randint(-2, 3)}*{unit}"

    rates = random.sample([1, 2, 4], random.choice([2, 2, 3]))  # of which none is a sum or difference of others
    names = [f"s{place}" for place in range(len(rates))]
    lines = []
    for name, rate in zip(names, rates):
        drawn = random.choice([f"laplace({number()}, 1/({rate}*eps))"] * 3 + [f"exponential(1/({rate}*eps))"])
        lines.append(f"    let {name} ~ {drawn};")

    def atom() -> str:
        one, other = random.sample(names, 2)
        return random.choice(
            [
                f"{one} < {other} + {number()}",
                f"{number()} >= {one}",
                f"abs({one} - {number()}) <= {number()}",
                f"min({one}, {other}) > {number()}",
                f"-{one} < {number()}",
                f"{one} - {other} >= {number()}",
                f"max({one} + {number()}, {other}) <= {number()}",
            ]
        )

    lines.append(f"    if {atom()} {{ return {atom()} or {atom()}; }}")
    lines.append(f"    let cut = {number()};")
    lines.append(f"    return {names[0]} > cut and ({atom()} or not {atom()});")
    body = "\n".join(lines)
    return (
        f"param eps in (0, inf);\nmechanism m(x: bool) -> bool {{\n{body}\n}}\n"
        "compute likely: probability m(true) { returns true; }\n"
    )


def value_in(text: str, settings: dict[str, Fraction]) -> object:
    findings = check_text(text, Options(debug=True, settings=settings))
    assert not findings.diagnostics, [each.message for each in findings.diagnostics] + [text]
    return findings.results[0].verdict.value  # type: ignore[union-attr]


def unlike(seed: int) -> str:
    """How the units tell a probability apart; empty if they do not. What multiples of ln(g)/eps give is what plain
    numbers give at eps = ln(g), and what multiples of 1/eps give what they give at eps = 1."""
    plain = program(seed, "1")
    if value_in(program(seed, "1/eps"), {}) != value_in(plain, {"eps": Fraction(1)}):
        return f"1/eps is unlike 1 at eps = 1\n{plain}"
    formula = str(value_in(plain, {})).replace("^", "**")
    for argument in (Fraction(3), Fraction(5, 2)):
        found = value_in(program(seed, f"ln({argument})/eps"), {})
        wanted = eval(formula, {"exp": math.exp, "eps": math.log(argument)})
        if not isinstance(found, Fraction) or abs(float(found) - wanted) > NEAR:
            return f"{found} beside ln({argument}), and {wanted} by {formula}\n{plain}"
        if value_in(program(seed, f"ln({argument})/eps"), {"eps": Fraction(1, 2)}) != found:
            return f"ln({argument})/eps is unlike itself at eps = 1/2\n{plain}"
    return ""


@pytest.mark.parametrize("seed", range(10))
def test_units_do_not_matter(seed: int) -> None:
    assert not unlike(seed)


@pytest.mark.parametrize("seed", range(10))
def test_probabilities_by_quadrature(seed: int) -> None:
    assert not difference(seed)


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:3])
    for number in range(start, start + count):
        if problem := difference(number) or unlike(number):
            print(f"seed {number}: {problem}", flush=True)
