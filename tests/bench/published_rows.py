"""The rows of published tables: which mechanism, which claim, and what the paper says, for `bench_published.py`."""

from __future__ import annotations

from published_mechanisms import (
    ADAPTIVE,
    ALL_EPS,
    BARE,
    BETWEEN,
    GAP,
    IN_TWO,
    LOGISTIC,
    NEIGHBOURS,
    NUMBERS,
    NUMBERS_AS_THEY_ARE,
    SMART,
    SUM,
    VALUE,
    Row,
    check,
    compute,
    histogram,
    noisy_max,
    responses,
    sparse_vector,
)


def dipc() -> list[Row]:
    rows: list[Row] = []

    def add(
        mechanism: str,
        text: str,
        sizes: dict[int, str | None],
        *,
        claim: str = "eps",
        by: str = "each",
        took: dict[int, str] | None = None,
    ) -> None:
        for n, said in sizes.items():
            rows.append(
                Row(
                    mechanism=f"{mechanism}, n = {n}",
                    claim=claim,
                    text=check(text, n, by=by, epsilon=claim),
                    said=said,
                    took=(took or {}).get(n),
                )
            )

    holds, fails = "holds", "fails"
    above = sparse_vector("2/eps", "4/eps")
    add("sparse vector 2/eps, 4/eps, one top", above, dict.fromkeys((1, 2, 3, 4), holds), took={4: "4,648"})
    add("sparse vector 2/eps, 8/eps, two tops", sparse_vector("2/eps", "8/eps", tops=2), {2: None, 3: None, 4: None})
    add(
        "the same, fresh thresholds 2/eps, 4/eps, one top",
        sparse_vector("2/eps", "4/eps", again="2/eps"),
        {2: None, 3: None},
    )
    fresh = sparse_vector("4/eps", "8/eps", tops=2, again="4/eps")
    add("the same, fresh thresholds 4/eps, 8/eps, two tops", fresh, {2: None, 3: None, 4: None})
    last = sparse_vector("2/eps", "4/eps", told=IN_TWO)
    add("sparse vector, the last noisy answer as <= 0 or > 0", last, {2: None, 3: None, 4: holds, 5: fails})
    add("sparse vector 4/eps, 4/(3 eps) (Lee)", sparse_vector("4/eps", "4/(3*eps)"), {1: None, 2: fails, 3: fails})
    add(
        "sparse vector without noise of answers (Stoddard)",
        sparse_vector("2/eps", "", tops=None),
        {1: None, 2: fails, 3: fails},
    )
    add(
        "sparse vector 2/eps, 2/eps, no end (Chen)",
        sparse_vector("2/eps", "2/eps", tops=None),
        {1: None, 2: None, 3: fails},
    )
    add("noisy max, laplace", noisy_max("laplace(0, 2/eps)"), {2: None, 3: holds, 4: None})
    add("noisy max, exponential", noisy_max("exponential(2/eps)"), {2: None, 3: holds, 4: None})
    add("value of noisy max, laplace, three bins", noisy_max("laplace(0, 2/eps)", VALUE), {2: None, 3: fails})
    add("value of noisy max, exponential, three bins", noisy_max("exponential(2/eps)", VALUE), {2: None, 3: None})
    add("histogram, one count moves, three bins", histogram("1/eps"), {1: None, 2: None, 3: holds}, by="one")
    add("histogram, each moves, three bins", histogram("1/eps"), {3: fails})
    for eps, said in (("1/2", fails), ("1", holds)):
        upside_down = check(histogram(eps), 3, by="one", epsilon=eps).replace(ALL_EPS, "")
        rows.append(
            Row(mechanism=f"histogram, scale eps at eps = {eps}, n = 3", claim="eps", text=upside_down, said=said)
        )
    add("randomised response, keeps with (1 + eps)/2, eps < 1", responses("(1 + eps)/2"), {1: fails}, by="each01")
    rows[-1] = Row(
        mechanism=rows[-1].mechanism, claim="eps", text=rows[-1].text.replace("(0, inf)", "(0, 1)"), said=fails
    )
    kept = responses(LOGISTIC)
    add("randomised response, keeps with e^eps/(1 + e^eps)", kept, {1: None}, by="each01")
    add("n bits of which one differs", kept, {3: None}, by="one01")
    add("n bits that all differ", kept, {3: None}, by="each01", claim="3*eps")
    add("n bits that all differ", kept, {3: None}, by="each01")
    single = sparse_vector("2/eps", "4/eps", domain="0..1")
    again = sparse_vector("4/eps", "4/eps", tops=2, again="2/eps", domain="0..1")
    between = "55 to 44,882"
    for delta, said in (("0", fails), ("exp(-1/32)", holds), ("exp(-4)", fails)):
        rows.append(delta_row("sparse vector 2/eps, 4/eps, one top", single, delta, said, between))
    for delta, said in (("0", fails), ("exp(-1/64)", holds), ("exp(-2)", holds), ("exp(-4)", fails)):
        rows.append(delta_row("first threshold 4/eps, then 2/eps, two tops", again, delta, said, between))
    for n in (2, 3, 4):
        rows.append(
            Row(
                mechanism=f"sparse vector 2/eps, 4/eps, one top, eps = 1, n = {n}",
                claim="eps",
                text=check(above, n),
                said=holds,
                took={4: "1,520"}.get(n),
                options=("--set", "eps=1"),
            )
        )
    for bound in ("3/10*eps", "7/20*eps"):
        text = f"{ALL_EPS}{BETWEEN}check c: privacy m {{ adjacent down; one way; epsilon {bound}; }}\n"
        rows.append(Row(mechanism="threshold 1/eps, answer 1/(2 eps), in an interval", claim=bound, text=text))
    return rows


def delta_row(mechanism: str, text: str, delta: str, said: str, took: str) -> Row:
    return Row(
        mechanism=f"{mechanism}, answers in 0..1, n = 3",
        claim=f"eps/2, delta {delta}",
        text=check(text, 3, by="each01", epsilon="eps/2", delta="" if delta == "0" else delta),
        said=said,
        took=took,
    )


def checkdp() -> list[Row]:
    """The programs of CheckDP, which says of all of them that they took less than 70 s."""
    holds, fails, took = "holds", "fails", "< 70"
    of = [
        ("ReportNoisyMax", "", noisy_max("laplace(0, 2/eps)"), 3, "each", "eps", holds),
        ("BadNoisyMax, its value", "three bins", noisy_max("laplace(0, 2/eps)", VALUE), 3, "each", "eps", fails),
        ("SparseVector, N = 1", "", sparse_vector("2/eps", "4/eps"), 4, "each", "eps", holds),
        ("SparseVector, N = 2", "", sparse_vector("2/eps", "8/eps", tops=2), 3, "each", "eps", holds),
        ("BadSparseVector1", "", sparse_vector("2/eps", "", tops=None), 2, "each", "eps", fails),
        ("BadSparseVector2", "", sparse_vector("2/eps", "2/eps", tops=None), 3, "each", "eps", fails),
        ("BadSparseVector3, N = 1", "", sparse_vector("4/eps", "4/(3*eps)"), 2, "each", "eps", fails),
        ("monotone SparseVector, up", "", sparse_vector("2/eps", "2/eps"), 4, "up", "eps", holds),
        (
            "GapSparseVector, N = 1",
            "gap in two bins",
            sparse_vector("2/eps", "4/eps", told=GAP),
            3,
            "each",
            "eps",
            holds,
        ),
        (
            "BadGapSparseVector, N = 1",
            "answer in two bins",
            sparse_vector("2/eps", "4/eps", told=IN_TWO),
            5,
            "each",
            "eps",
            fails,
        ),
        ("NumSparseVector, N = 1", "answer in two bins", NUMBERS, 3, "each", "eps", holds),
        ("AdaptiveSparseVector, N = 1", "gaps in two bins", ADAPTIVE, 2, "each", "eps", holds),
        ("PartialSum", "", SUM.replace("SCALE", "1/eps"), 3, "one01", "eps", holds),
        ("BadPartialSum", "", SUM.replace("SCALE", "1/(2*eps)"), 3, "one01", "eps", fails),
        ("SmartSum", "the noisy numbers", SMART, 4, "one01", "2*eps", holds),
        ("BadSmartSum", "the noisy numbers, in bins", BARE, 4, "one01", "2*eps", fails),
    ]
    return [named(*each, took=took) for each in of]


def shadowdp() -> list[Row]:
    """The programs of ShadowDP that CheckDP has not, all proved."""
    of = [
        ("NumSparseVector, N = 1", "answer in two bins", NUMBERS, 2, "each", "eps", "holds"),
        ("PrefixSum", "the noisy numbers", NUMBERS_AS_THEY_ARE.replace("SCALE", "1/eps"), 3, "one", "eps", "holds"),
    ]
    return [named(*each, took=None) for each in of]


def statdp() -> list[Row]:
    """The programs of StatDP that CheckDP has not."""
    of = [
        ("noisy max with exponential noise", "", noisy_max("exponential(2/eps)"), 3, "each", "eps", "holds"),
        ("its value", "three bins", noisy_max("exponential(2/eps)", VALUE), 3, "each", "eps", "fails"),
        ("histogram", "", NUMBERS_AS_THEY_ARE.replace("SCALE", "1/eps"), 3, "one", "eps", "holds"),
        (
            "iSVT4, N = 1, the noisy answer",
            "two bins",
            sparse_vector("2/eps", "2/eps", told=IN_TWO),
            3,
            "each",
            "eps",
            "fails",
        ),
    ]
    return [named(*each, took=None) for each in of]


def named(name: str, how: str, text: str, n: int, by: str, epsilon: str, said: str, *, took: str | None) -> Row:
    mechanism = f"{name}, n = {n}" + (f" ({how})" if how else "")
    return Row(mechanism=mechanism, claim=epsilon, text=check(text, n, by=by, epsilon=epsilon), said=said, took=took)


def sniper() -> list[Row]:
    """The mechanisms of DP-Sniper with finite outputs, at eps = 1/10. `said` is the epsilon that it found."""
    ones, zeros = "[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]", "[1, 1, 1, 1, 1, 0, 0, 0, 0, 0]"
    split, middle = "[2, 2, 2, 2, 2, 0, 0, 0, 0, 0]", "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"

    def stream(threshold: str, answer: str, left: str, right: str, level: str, *, tops: int | None = 1) -> str:
        told = sparse_vector(threshold, answer, tops=tops)
        told = told.replace("m(n: int, q: [n] of -1..1)", "m(side: bool)").replace(
            "    var tops", f"    let q = if side then {left} else {right};\n    var tops"
        )
        told = told.replace("laplace(0,", f"laplace({level},")
        return f"{ALL_EPS}{told}adjacency any(a: bool, b: bool) = true;\ncompute c: epsilon m {{ adjacent any; }}\n"

    def shown(scale: str, left: str, right: str) -> str:
        told = NUMBERS_AS_THEY_ARE.replace("m(n: int, q: [n] of -1..1)", "m(side: bool)").replace("SCALE", scale)
        told = told.replace("for x in q", f"let q = if side then {left} else {right}; for x in q")
        return f"{ALL_EPS}{told}adjacency any(a: bool, b: bool) = true;\ncompute c: epsilon m {{ adjacent any; }}\n"

    def times(n: int, value: int) -> str:
        return f"[{', '.join([str(value)] * n)}]"

    numbers = NUMBERS_AS_THEY_ARE.replace("SCALE", "1/eps")
    counts = ("[0, 1, 1, 1, 1]", times(5, 1))
    at = ("--set", "eps=1/10")
    of = [
        ("LaplaceMechanism", compute(numbers, 1), "0.0991", "19.6"),
        ("LaplaceParallel, 20 times eps/20, its pair", shown("20/eps", times(20, 0), times(20, 1)), "0.0372", "96.5"),
        ("NoisyHist1, n = 5, its pair", shown("1/eps", *counts), "0.1000", "34.8"),
        ("NoisyHist2, n = 5, its pair", shown("1/10", *counts), "4.6032", "37.8"),
        ("PrefixSum, n = 10, its pair", shown("1/eps", times(10, 0), times(10, 1)), "0.5061", "92.1"),
        ("ReportNoisyMax3, n = 5, three bins", compute(noisy_max("laplace(0, 2/eps)", VALUE), 5), "0.2500", "59.4"),
        ("ReportNoisyMax4, n = 5, three bins", compute(noisy_max("exponential(2/eps)", VALUE), 5), "0.3485", "59.8"),
        ("ReportNoisyMax1, n = 5, all pairs", compute(noisy_max("laplace(0, 2/eps)"), 5), "0.0945", "58.8"),
        ("ReportNoisyMax2, n = 5, all pairs", compute(noisy_max("exponential(2/eps)"), 5), "0.0998", "55.7"),
        ("SVT1, n = 10, its pair", stream("2/eps", "4/eps", ones, zeros, "1/2"), "0.0881", "118.0"),
        ("SVT2, n = 10, its pair", stream("2/eps", "4/eps", ones, zeros, "1"), "0.0882", "148.1"),
        ("SVT4, n = 10, its pair", stream("4/eps", "4/(3*eps)", middle, split, "1"), "0.1709", "122.7"),
        ("SVT5, n = 10, its pair", stream("2/eps", "", split, middle, "1", tops=None), "1.7628", "56.3"),
        ("SVT6, n = 10, its pair", stream("2/eps", "2/eps", ones, zeros, "1", tops=None), "0.2742", "90.7"),
    ]
    return [
        Row(mechanism=mechanism, claim="computed", text=text, said=said, took=took, options=at)
        for mechanism, text, said, took in of
    ]


def larger() -> list[Row]:
    """More answers than in the tables."""
    of = [
        ("sparse vector, one top, n = 5", sparse_vector("2/eps", "4/eps"), 5),
        ("sparse vector, one top, n = 6", sparse_vector("2/eps", "4/eps"), 6),
        ("noisy max, laplace, n = 5", noisy_max("laplace(0, 2/eps)"), 5),
        ("noisy max, laplace, n = 6", noisy_max("laplace(0, 2/eps)"), 6),
        ("noisy max, exponential, n = 5", noisy_max("exponential(2/eps)"), 5),
    ]
    rows = [Row(mechanism=mechanism, claim="eps", text=check(text, n)) for mechanism, text, n in of]
    for n in (4, 6, 8):
        name = f"sparse vector, integer noise of every alpha, one top, n = {n}"
        rows.append(Row(mechanism=name, claim=f"{n} ln(1/alpha)", text=whole_sparse_vector(n)))
    return rows


def whole_sparse_vector(n: int) -> str:
    """The threshold with the square of the answers' alpha; n ln(1/alpha) holds."""
    return (
        f"param alpha in (0, 1);\n{NEIGHBOURS}"
        "mechanism m(n: int, q: [n] of -1..1) emits {bot, top} {\n"
        "    let threshold ~ two_sided_geometric(alpha^2, 0);\n    for x in q {\n"
        "        let noisy ~ two_sided_geometric(alpha, x);\n"
        "        if noisy >= threshold { emit top; return; }\n        emit bot;\n    }\n}\n"
        f"check c: privacy m({n}) {{ adjacent each({n}); epsilon {n}*ln(1/alpha); }}\n"
    )


GROUPS = {
    "DiPC": dipc,
    "CheckDP": checkdp,
    "ShadowDP": shadowdp,
    "StatDP": statdp,
    "DP-Sniper": sniper,
    "larger": larger,
}
