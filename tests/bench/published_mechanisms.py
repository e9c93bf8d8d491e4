"""Published mechanisms with noise without bounds, as texts of models, for `bench_published.py`."""

from __future__ import annotations

from dataclasses import dataclass

ALL_EPS = "param eps in (0, inf);\n"
NEIGHBOURS = """
adjacency each(n: int, a: [n] of -1..1, b: [n] of -1..1) = forall i in 0..n-1: abs(a[i] - b[i]) <= 1;
adjacency one(n: int, a: [n] of -1..1, b: [n] of -1..1) = sum(abs(a[i] - b[i]) for i in 0..n-1) <= 1;
adjacency up(n: int, a: [n] of -1..1, b: [n] of -1..1) = forall i in 0..n-1: b[i] - a[i] in 0..1;
adjacency each01(n: int, a: [n] of 0..1, b: [n] of 0..1) = forall i in 0..n-1: abs(a[i] - b[i]) <= 1;
adjacency one01(n: int, a: [n] of 0..1, b: [n] of 0..1) = sum(abs(a[i] - b[i]) for i in 0..n-1) <= 1;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`said` is the verdict of the paper, and `took` its seconds, as text; None for what is not known."""

    mechanism: str
    claim: str
    text: str
    said: str | None = None
    took: str | None = None
    options: tuple[str, ...] = ()


def sparse_vector(
    threshold: str,
    answer: str,
    *,
    tops: int | None = 1,
    again: str = "",
    told: str = "top",
    domain: str = "-1..1",
) -> str:
    """A stream of `bot` and `top`, or of what is `told` in place of that; scales, or nothing for answers as they are.

    `again` is the scale of a threshold that is drawn anew after each `top`.
    """
    noisy = f"~ laplace(x, {answer})" if answer else "= x"
    anew = f" threshold ~ laplace(0, {again});" if again else ""
    counting = f" tops = tops + 1; if tops == {tops} {{ return; }}" if tops else ""
    return (
        f"mechanism m(n: int, q: [n] of {domain}) emits {{bot, top, low, middle, high}} {{\n"
        f"    {'var' if again else 'let'} threshold ~ laplace(0, {threshold});\n    var tops = 0;\n"
        f"    for x in q {{\n        let noisy {noisy};\n"
        f"        if noisy >= threshold {{ emit {told};{counting}{anew} }} else {{ emit bot; }}\n    }}\n}}\n"
    )


IN_TWO = "if noisy <= 0 then low else high"
GAP = "if noisy - threshold <= 1 then low else high"


def noisy_max(noise: str, told: str = "best") -> str:
    """The index of the largest noisy count, or what is `told` of the largest."""
    result = "0..n-1" if told == "best" else "0..2"
    return (
        f"mechanism m(n: int, q: [n] of -1..1) -> {result} {{\n"
        "    var best = 0;\n    var noisy: [n] of real = [0 for x in q];\n"
        f"    for i in 0..n-1 {{ let noise ~ {noise}; noisy[i] = q[i] + noise; }}\n"
        "    for i in 1..n-1 { if noisy[i] > noisy[best] { best = i; } }\n    let top = noisy[best];\n"
        f"    return {told};\n}}\n"
    )


VALUE = "if top <= -1 then 0 else if top <= 0 then 1 else 2"


def histogram(scale: str) -> str:
    """Each count, told in three bins."""
    return (
        "mechanism m(n: int, q: [n] of -1..1) emits 0..2 {\n    for x in q {\n"
        f"        let noisy ~ laplace(x, {scale});\n        emit {VALUE.replace('top', 'noisy')};\n    }}\n}}\n"
    )


def responses(keep: str) -> str:
    """Bits, each kept with a probability."""
    told = f"{{ x: {keep}, 1 - x: 1 - ({keep}) }}"
    return f"mechanism m(n: int, q: [n] of 0..1) emits 0..1 {{ for x in q {{ emit {told}; }} }}\n"


LOGISTIC = "exp(eps)/(1 + exp(eps))"
NUMBERS = sparse_vector(
    "3/eps", "6/eps", told=f"told; let answer ~ laplace(x, 3/eps); emit {IN_TWO.replace('noisy', 'answer')}"
).replace("emit told; ", "")
SUM = "mechanism m(n: int, q: [n] of 0..1) -> real { return laplace(sum(q), SCALE); }\n"
NUMBERS_AS_THEY_ARE = "mechanism m(n: int, q: [n] of -1..1) emits real { for x in q { emit laplace(x, SCALE); } }\n"
BLOCKS = (
    "mechanism m(n: int, q: [n] of 0..1) emits real {\n    var block = 0;\n    for i in 0..n-1 {\n"
    "        block = block + q[i];\n        if i mod 2 == 1 { emit SUMMED; block = 0; }\n"
    "        else { emit SINGLE; }\n    }\n}\n"
)
SMART = BLOCKS.replace("SUMMED", "laplace(block, 1/eps)").replace("SINGLE", "laplace(q[i], 1/eps)")
BARE = BLOCKS.replace("SUMMED", "block").replace("SINGLE", f"noisy; let top ~ laplace(q[i], 1/eps); emit {VALUE}")
BARE = BARE.replace("emit noisy; ", "")
ADAPTIVE = """mechanism m(n: int, q: [n] of -1..1) emits {bot, far, farther, low, high} {
    let threshold ~ laplace(0, 2/eps);
    var cost = 0;
    for x in q {
        let coarse ~ laplace(x, 8/eps);
        if coarse - threshold >= 16 {
            emit if coarse - threshold <= 17 then far else farther;
            cost = cost + 1;
        } else {
            let noisy ~ laplace(x, 4/eps);
            if noisy >= threshold {
                emit if noisy - threshold <= 1 then low else high;
                cost = cost + 2;
            } else { emit bot; }
        }
        if cost >= 2 { return; }
    }
}
"""
BETWEEN = """mechanism m(x: 0..1) -> bool {
    let threshold ~ laplace(0, 1/eps);
    let noisy ~ laplace(x, 1/(2*eps));
    return noisy >= -1/2 and noisy <= 3/2 and noisy >= threshold;
}
adjacency down(a: 0..1, b: 0..1) = a == 1 and b == 0;
"""


# --- claims --------------------------------------------------------------------------------------------------------


def check(mechanism: str, n: int, *, by: str = "each", epsilon: str = "eps", delta: str = "") -> str:
    bound = f" delta {delta};" if delta else ""
    return (
        f"{ALL_EPS}{NEIGHBOURS}{mechanism}check c: privacy m({n}) {{ adjacent {by}({n}); epsilon {epsilon};{bound} }}\n"
    )


def compute(mechanism: str, n: int, *, by: str = "each") -> str:
    return f"{ALL_EPS}{NEIGHBOURS}{mechanism}compute c: epsilon m({n}) {{ adjacent {by}({n}); }}\n"
