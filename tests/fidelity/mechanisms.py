"""Random mechanisms with loops, and claims about their privacy, their results and what they cost."""

from __future__ import annotations

from fractions import Fraction

from .cases import Asked, Setting, compared, enough, excess, number_claims, privacy_claims, remembered
from .linear import Extended
from .loops import loop, random_helper, shown_rows
from .programs import NEVER, Mechanism, Statement, begin, chosen, cost, results, seen, variable
from .weights import Point, Weight

OTHER = "adjacency other(a: bool, b: bool) = a != b;"


def random_mechanism(setting: Setting, *, emits: bool) -> tuple[str, Mechanism]:
    """A mechanism of one bit that returns 0 or 1; the text has its helpers as well."""
    random = setting.random
    helper = random_helper(setting, "helper") if random.random() < 0.4 else None
    body: list[Statement] = []
    if emits and random.random() < 0.5:
        body.append(Statement("emit", draw=chosen(variable("t"), *shown_rows(setting, 2))))
    body += loop(setting, "w", variable("t"), helper, ticks=True)
    if emits:
        body.append(Statement("emit", draw=chosen(variable("t"), *shown_rows(setting, 2))))
    if random.random() < 0.3:
        body += loop(setting, "v", variable("t"), helper, ticks=True)
    body.append(Statement("return", draw=chosen(variable("t"), *shown_rows(setting, 2))))
    made = Mechanism("m", (("t", "bool", (False, True)),), "0..1", tuple(body), "0..1" if emits else "")
    return "\n".join([*([helper.text] if helper else []), made.text]), made


def mechanism_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """Privacy, the same under a prior, the distribution of results, turns and costs."""
    random = setting.random
    emits = random.random() < 0.3
    text, made = random_mechanism(setting, emits=emits)
    length = random.choice([None, None, 1, 2])
    asked = privacy(setting, made, length)
    texts = [text, OTHER]
    if random.random() < 0.3:
        texts.append("prior world(w: real, v: real) for m { a ~ bernoulli(w); b ~ bernoulli(v); start t = a and b; }")
        asked += _under_prior(setting, made, length)
    asked += random.sample(_numbers(setting, made), 2)
    return "\n".join(texts), asked


def privacy(setting: Setting, made: Mechanism, length: int | None) -> list[Asked]:
    """Claims that the bit `t` does not show, to who sees whole runs or the first outputs."""

    @remembered
    def sides(point: Point) -> tuple[dict[tuple[object, ...], Fraction], ...]:
        return tuple(seen(begin(made.body, {"t": bit}), point, length) for bit in (False, True))

    def ratio(point: Point) -> Extended:
        return compared(*sides(point))  # type: ignore[arg-type]

    def delta(point: Point, factor: Fraction) -> Fraction:
        return excess(*sides(point), factor)  # type: ignore[arg-type]

    def with_slack(point: Point, slack: Fraction) -> Extended:
        return enough(*sides(point), slack)  # type: ignore[arg-type]

    clauses = "adjacent other;" + (f" length {length};" if length else "")
    return privacy_claims(setting, "privacy", "m", clauses, ratio, delta, with_slack=with_slack)


def _under_prior(setting: Setting, made: Mechanism, length: int | None) -> list[Asked]:
    """What is seen says little of `a`, where the input is `a and b`."""
    first, second = setting.weights.unit(), setting.weights.unit()

    @remembered
    def shown(point: Point) -> dict[bool, dict[tuple[object, ...], Fraction]]:
        return {bit: seen(begin(made.body, {"t": bit}), point, length) for bit in (False, True)}

    def given(point: Point, bit: bool) -> dict[object, Fraction]:
        truth = second.at(point) if bit else Fraction(0)
        mixed: dict[object, Fraction] = {}
        for value, weight in ((True, truth), (False, 1 - truth)):
            for word, more in shown(point)[value].items():
                mixed[word] = mixed.get(word, Fraction(0)) + weight * more
        return mixed

    def counts(point: Point) -> bool:
        return 0 < first.at(point) < 1

    def ratio(point: Point) -> Extended | None:
        return compared(given(point, True), given(point, False)) if counts(point) else None

    def delta(point: Point, factor: Fraction) -> Fraction | None:
        return excess(given(point, True), given(point, False), factor) if counts(point) else None

    clauses = f"prior world({first.text}, {second.text}); secrets a vs not a;"
    clauses += f" length {length};" if length else ""
    found = privacy_claims(setting, "pufferfish", "m", clauses, ratio, delta, counts)
    return [Asked(f"p{a.name}", a.form, a.text, a.truth, a.names, a.objective) for a in found[:2]]


def _numbers(setting: Setting, made: Mechanism) -> list[Asked]:
    random = setting.random
    bit = random.random() < 0.6
    call, inputs = f"m({str(bit).lower()})", {"t": bit}

    def returning(point: Point) -> Fraction:
        return results(made, inputs, point).get(1, Fraction(0))

    def ending(point: Point) -> Fraction:
        return sum(results(made, inputs, point).values(), Fraction(0))

    def outcomes(point: Point) -> dict[str, Fraction]:
        found = results(made, inputs, point)
        missing = 1 - sum(found.values(), Fraction(0))
        return {str(value): weight for value, weight in found.items()} | {NEVER: missing}

    weight: Weight = setting.weights.unit()
    last = made.body[-1].draw
    assert last is not None
    claimed = random.choice([f"{{ 0: {weight.complement.text}, 1: {weight.text} }}", "returned"])
    if claimed == "returned":
        claimed = last.text.replace("if t", f"if {str(bit).lower()}")

    def is_specified(point: Point) -> bool:
        wanted = {0: 1 - weight.at(point), 1: weight.at(point)}
        if claimed.startswith("if"):
            wanted = dict(last.of(inputs, point))  # type: ignore[arg-type]
        found = results(made, inputs, point)
        return sum(found.values()) == 1 and all(found.get(v, Fraction(0)) == w for v, w in wanted.items())

    return [
        *number_claims(setting, "r", f"probability {call} {{ returns 1; % }}", returning),
        *number_claims(setting, "t", f"probability {call} {{ terminates; % }}", ending),
        *number_claims(setting, "s", f"expected steps {call} {{ % }}", lambda p: cost(made, inputs, p, "turns")),
        *number_claims(setting, "x", f"expected cost {call} {{ % }}", lambda p: cost(made, inputs, p, "ticks")),
        Asked("di", "named", f"distribution {call};", outcomes),
        Asked("dc", "check", f"distribution {call} equals {claimed};", is_specified),
    ]
