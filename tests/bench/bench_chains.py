"""Markov chains solved by pflc and by Storm, side by side in one run; by hand.

    python tests/bench/bench_chains.py [--limit 150] [--only NAME]

Every measurement is a process of its own, so that memory and time limits are its own as well. Seconds are those of the
processor, so that other work on the machine counts little. Storm is asked in exact and in float arithmetic, in its
default settings, about the models as its own literature writes them; it is left out where stormpy is not installed.
Prints a Markdown table. `whole` is the process from its start, the loading of libraries included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import geometric_mean
from typing import Any

from protocol_models import PFL_EGL, PFL_LEADER, prism_egl, prism_leader

PFL_NAND = """
mechanism nand(const N: 1..100, const K: 0..20) -> 0..100 {{
    var good = 0;
    for gate in 0..N-1 {{
        let x ~ bernoulli(9/10);
        let y ~ bernoulli(9/10);
        let faulty ~ bernoulli(1/50);
        if (x and y) == faulty {{ good = good + 1; }}
    }}
    for stage in 1..2*K {{
        var left = good;
        var right = good;
        good = 0;
        for gate in 0..N-1 {{
            var x = false;
            if left > 0 {{ x = true; left = left - 1; }}
            let y ~ bernoulli(right / (N - gate));
            if y {{ right = right - 1; }}
            let faulty ~ bernoulli(1/50);
            if (x and y) == faulty {{ good = good + 1; }}
        }}
    }}
    return good;
}}
compute probability nand({size}, 1) {{ returns wires where 10 * wires < {size}; }}
"""

PRISM_NAND = """
dtmc
const int N = {size};
const int K = 1;
const int M = 2*K+1;
const double perr = 1/50;
const double prob1 = 9/10;
module multiplex
  u : [1..M]; c : [0..N]; s : [0..4]; z : [0..N]; zx : [0..N]; zy : [0..N]; x : [0..1]; y : [0..1];
  [] s=0 & (c<N) -> (s'=1);
  [] s=0 & (c=N) & (u<M) -> (s'=1) & (zx'=z) & (zy'=z) & (z'=0) & (u'=u+1) & (c'=0);
  [] s=0 & (c=N) & (u=M) -> (s'=4) & (zx'=0) & (zy'=0) & (x'=0) & (y'=0);
  [] s=1 & u=1 -> prob1 : (x'=1) & (s'=2) + (1-prob1) : (x'=0) & (s'=2);
  [] s=1 & u>1 & zx>0 -> (x'=1) & (s'=2) & (zx'=zx-1);
  [] s=1 & u>1 & zx=0 -> (x'=0) & (s'=2);
  [] s=2 & u=1 -> prob1 : (y'=1) & (s'=3) + (1-prob1) : (y'=0) & (s'=3);
  [] s=2 & u>1 & zy<(N-c) & zy>0 -> zy/(N-c) : (y'=1) & (s'=3) & (zy'=zy-1) + 1-(zy/(N-c)) : (y'=0) & (s'=3);
  [] s=2 & u>1 & zy=(N-c) & c<N -> 1 : (y'=1) & (s'=3) & (zy'=zy-1);
  [] s=2 & u>1 & zy=0 -> 1 : (y'=0) & (s'=3);
  [] s=3 & z<N & c<N -> (1-perr) : (z'=z+(1-x*y)) & (s'=0) & (c'=c+1) & (x'=0) & (y'=0)
                     + perr : (z'=z+(x*y)) & (s'=0) & (c'=c+1) & (x'=0) & (y'=0);
  [] s=4 -> true;
endmodule
label "goal" = s=4 & 10*z<N;
"""

PFL_HERMAN = """
hmm Herman(n: int) {{
    state x: [n] of bool;
    step {{
        let old = x;
        for i in 0..n-1 {{
            let neighbour = old[(i + n - 1) mod n];
            if old[i] == neighbour {{ x[i] ~ bernoulli(1/2); }} else {{ x[i] = neighbour; }}
        }}
    }}
}}
fn tokens(n: int, x: [n] of bool): int = count(i for i in 0..n-1 if x[i] == x[(i + n - 1) mod n]);
compute expected steps Herman({size}) {{ from any; until tokens({size}, x) == 1; }}
"""

PFL_RARE = """
hmm Chain {{
    state x: -{size}..{size};
    init  x = 0;
    step  x ~ if x in {{-{size}, {size}}} then point(x)
              else if x == 0 then {{ 1: 7/10, -1: 3/10 }}
              else {{ (if x > 0 then x + 1 else x - 1): 1/2, 0: 1/2 }};
}}
compute probability Chain {{ reach x == {size}; }}
"""

PRISM_RARE = """
dtmc
module chain
  x : [-{size}..{size}] init 0;
  [] x=0 -> 7/10 : (x'=1) + 3/10 : (x'=-1);
  [] x>0 & x<{size} -> 1/2 : (x'=x+1) + 1/2 : (x'=0);
  [] x<0 & x>-{size} -> 1/2 : (x'=x-1) + 1/2 : (x'=0);
  [] x={size} | x=-{size} -> true;
endmodule
label "goal" = x={size};
"""


def prism_herman(size: int) -> str:
    """The model of PRISM's case studies: synchronous processes, renamed copies of the first."""
    renamed = (f"process{i} = process1 [ x1=x{i}, x{size}=x{i - 1} ]" for i in range(2, size + 1))
    copies = "\n".join(f"module {module} endmodule" for module in renamed)
    tokens = " + ".join(f"(x{i}=x{i % size + 1}?1:0)" for i in range(1, size + 1))
    return f"""
dtmc
module process1
  x1 : [0..1];
  [step]  (x1=x{size}) -> 1/2 : (x1'=0) + 1/2 : (x1'=1);
  [step] !(x1=x{size}) -> (x1'=x{size});
endmodule
{copies}
rewards "cost" true : 1; endrewards
formula tokens = {tokens};
label "goal" = tokens=1;
init true endinit
"""


PROBABILITY, STEPS = 'P=? [ F "goal" ]', 'R{"cost"}=? [ F "goal" ]'

MODELS: dict[str, tuple[str, str, str]] = {
    **{f"NAND multiplexing {n}": (PFL_NAND.format(size=n), PRISM_NAND.format(size=n), PROBABILITY) for n in (20, 40)},
    **{f"Herman's ring {n}": (PFL_HERMAN.format(size=n), prism_herman(n), STEPS) for n in (9, 11)},
    **{
        f"leader election {n}_{k}": (PFL_LEADER.format(n=n, k=k), prism_leader(n, k), STEPS)
        for n, k in ((4, 4), (5, 6), (6, 8))
    },
    **{
        f"EGL {n},{bits}": (PFL_EGL.format(n=n, bits=bits), prism_egl(n, bits), PROBABILITY)
        for n, bits in ((4, 2), (6, 2), (8, 2))
    },
    "Haddad and Monmege 100": (PFL_RARE.format(size=100), PRISM_RARE.format(size=100), PROBABILITY),
}
"""By name: the model in PFL and in PRISM's language, and what is asked."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the seconds of the processor that it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def run_pflc(name: str, engine: str) -> dict[str, Any]:
    """Parse and typecheck, then explore, then solve: what `pflc check` does."""
    from pfl.base.reading import open_source
    from pfl.base.source import SourceFile
    from pfl.driver import compile_source
    from pfl.engines.answer import Computed
    from pfl.options import Options
    from pfl.syntax.modules import load_program
    from pfl.typecheck.program import check_program
    from pfl.verify.judge import judge

    options = Options(engine="float" if engine == "float" else "auto", max_states=100_000_000)
    file = SourceFile(name="model.pfl", text=MODELS[name][0])
    _, parse = timed(lambda: check_program(load_program(file, open_source)))
    compiled, build = timed(lambda: compile_source(file, open_source, options))
    (claim,) = compiled.claims
    verdict, solve = timed(lambda: judge(claim, options, lambda _text: None))
    assert isinstance(verdict, Computed)
    asked = claim.asked
    chain = getattr(asked, "chain")  # noqa: B009 - every question here is about a chain
    value = verdict.value
    low, high = (value, value) if isinstance(value, Fraction) else (getattr(value, "low"), getattr(value, "high"))  # noqa: B009
    return {
        "states": chain.size,
        "transitions": len(chain.targets),
        "parse": parse,
        "build": build - parse,
        "solve": solve,
        "answer": f"{float(low):.9f}" + ("" if low == high else f" within {float(high - low) / 2:.0e}"),
        "by": verdict.engine,
    }


def run_storm(name: str, engine: str) -> dict[str, Any]:
    """Parse, build the sparse model, check the property at all initial states."""
    import tempfile

    import stormpy

    _, source, asked = MODELS[name]
    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        file.write(source)
        file.flush()
        program, parse = timed(lambda: stormpy.parse_prism_program(file.name))
    (formula,) = stormpy.parse_properties(asked, program)
    kind = stormpy.Rational if engine == "exact" else float
    model, build = timed(lambda: stormpy.build_model[kind](program, [formula]))
    result, solve = timed(lambda: stormpy.model_checking(model, formula, only_initial_states=True))
    values = [str(result.get_value(state)) for state in model.initial_states]
    largest = max((Fraction(value) for value in values), key=lambda value: value)
    return {
        "states": model.nr_states,
        "transitions": model.nr_transitions,
        "parse": parse,
        "build": build,
        "solve": solve,
        "answer": f"{float(largest):.9f}",
        "by": "storm",
    }


def measured(tool: str, engine: str, name: str, limit: float) -> dict[str, Any] | None:
    """One measurement in a process of its own; None beyond the limit."""
    command = [sys.executable, __file__, "--run", tool, engine, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def rows(limit: float, only: str | None) -> Iterator[str]:
    tools = ["pflc"]
    try:
        import stormpy  # noqa: F401

        tools.append("storm")
    except ImportError:
        print("stormpy is not installed, so Storm is left out", file=sys.stderr)
    yield "| model | who | states | transitions | parse s | build s | solve s | total s | whole s | MB | answer |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    exact: dict[str, dict[str, float]] = {tool: {} for tool in tools}
    for name in MODELS:
        if only is not None and only not in name:
            continue
        for tool in tools:
            for engine in ("exact", "float"):
                result = measured(tool, engine, name, limit)
                if result is None:
                    yield f"| {name} | {tool} {engine} | | | | | | > {limit:g} | | | |"
                    continue
                if engine == "exact":
                    exact[tool][name] = result["whole"]
                total = result["parse"] + result["build"] + result["solve"]
                fallen_back = " (exactly)" if engine == "float" and result["by"] == "chain" else ""
                yield (
                    f"| {name} | {tool} {engine}{fallen_back} | {result['states']:,} | {result['transitions']:,}"
                    f" | {result['parse']:.2f} | {result['build']:.2f} | {result['solve']:.2f} | {total:.2f}"
                    f" | {result['whole']:.2f} | {result['memory']:.0f} | {result['answer']} |"
                )
    if len(tools) == 2:
        quotients = [exact["pflc"][name] / whole for name, whole in exact["storm"].items() if name in exact["pflc"]]
        yield f"\nWhole processes, exact, pflc to Storm: {geometric_mean(quotients):.2f} over {len(quotients)} models"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=150, help="seconds that one measurement may take")
    parser.add_argument("--only", help="models whose name contains this")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        tool, engine, name = given.run
        result = (run_pflc if tool == "pflc" else run_storm)(name, engine)
        result["whole"] = time.process_time()
        result["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(result))
        return
    for row in rows(given.limit, given.only):
        print(row, flush=True)


if __name__ == "__main__":
    main()
