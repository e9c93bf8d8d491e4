"""Whether what pflc says of all values of the parameters agrees with what is right at each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from .cases import Asked, Case, Extended, Unsure
from .reading import Report, Said, ask, evaluated, limit_point, name_at
from .weights import Point

DOCUMENTED_LIMITS = (
    "a delta under parameters is decided only where",
    "a delta is not decided where e^epsilon is an irrational function",
    "the largest excess was not found exactly enough",
    "the smallest epsilon with a delta is found for constant numbers alone",
    "no proof for every length was found",
    "no upper bound was found in several parameters",
    "only irrational values meet the conditions",
)
"""Reasons for `unknown` that the documentation names, wherever the roots are."""
FIXES_NONE = "the claim cannot be judged apart there"


@dataclass(frozen=True)
class Disagreement:
    """One claim of a model, and what is wrong with the answer."""

    sort: str
    asked: Asked | None
    problem: str
    text: str


@dataclass
class Judge:
    """Compares one case; `set_points` is at how many points `--set` is asked as well, 0 for all."""

    timeout: float = 10.0
    set_points: int = 0
    unknown: int = 0
    judged: int = 0
    refused: int = 0
    """Models in which what must come to an end may not at some value: the compiler says so."""
    answers: dict[str, int] | None = None

    def disagreements(self, case: Case) -> Iterator[Disagreement]:
        points = case.points
        if not points or not case.claims:
            return
        report = ask(case.text, timeout=self.timeout)
        if report.errors and all(error.startswith(("PFL0443", "PFL0471")) for error in report.errors):
            self.refused += 1
            return
        if _is_unseen(case, report, points):
            return
        if report.errors or not report.said:
            yield Disagreement("rejected", None, "; ".join(report.errors), case.text)
            return
        right = {asked.name: _Right(asked, points) for asked in case.claims}
        yield from self._with_set(case, right)
        for asked in case.claims:
            said = report.said[asked.name]
            self.judged += 1
            if self.answers is not None:
                key = f"{asked.form} {said.word}"
                self.answers[key] = self.answers.get(key, 0) + 1
            text = case.text_of([asked])
            for sort, problem in self._judged(case, asked, said, right[asked.name]):
                yield Disagreement(sort, asked, problem, text)

    def _with_set(self, case: Case, right: Mapping[str, _Right]) -> Iterator[Disagreement]:
        """`--set` at the points: it settles what the oracle does not know, and must agree with it elsewhere."""
        random = Random(case.seed)
        count = min(self.set_points or len(case.points), len(case.points))
        points = random.sample(case.points, count)
        claims = [asked for asked in case.claims if asked.form != "find"]
        if not claims:
            return
        for point in points:
            report = ask(case.text_of(claims), timeout=self.timeout, settings=point)
            if _is_unseen(case, report, [point]):
                continue
            if report.errors and all(error.startswith("PFL0443") for error in report.errors):
                continue  # nobody looked there, since something else refutes the claims
            if report.errors:
                yield Disagreement("set rejected", None, f"at {_show(point)}: {'; '.join(report.errors)}", case.text)
                continue
            for asked in claims:
                said = report.said[asked.name]
                value = _at_constants(asked, said)
                if value is _OPEN:
                    continue
                try:
                    known = asked.truth(point)
                except Unsure:
                    right[asked.name].put(point, value)
                    continue
                if known is not None and not _same(asked, known, value):
                    problem = f"--set {_show(point)} gives {value}, the oracle {known}"
                    yield Disagreement("oracles", asked, problem, case.text_of([asked]))

    def _judged(self, case: Case, asked: Asked, said: Said, right: _Right) -> Iterator[tuple[str, str]]:
        if said.word == "unknown":
            self.unknown += 1
            documented = any(limit in said.reason for limit in DOCUMENTED_LIMITS)
            if len(case.space.names) > 1:  # a product of weights of both fixes neither
                documented = documented or FIXES_NONE in said.reason
            if "time limit" in said.reason:
                yield "time", said.reason
            elif not said.reason or not (case.space.is_hard or documented):
                yield "unknown", f"unknown: {said.reason}"
            return
        match asked.form:
            case "check":
                yield from _check(said, right, case)
            case "number":
                yield from _formula(said, right)
            case "named":
                yield from _named(said, right)
            case "ratio" | "delta":
                yield from _supremum(said, right, case)
            case "find":
                yield from _find(asked, said, right, case)


_OPEN = object()
_TINY = Fraction(1, 10**30)


class _Right:
    """What is right at the points, asked once."""

    def __init__(self, asked: Asked, points: list[dict[str, Fraction]]) -> None:
        self.asked = asked
        self.known: dict[tuple[tuple[str, Fraction], ...], object] = {}
        for point in points:
            try:
                self.put(point, asked.truth(point))
            except Unsure:
                continue

    def put(self, point: Point, value: object) -> None:
        self.known[tuple(point.items())] = value

    def at(self, point: Mapping[str, Fraction]) -> object:
        """What is right there; `_OPEN` where that is not known."""
        try:
            return self.asked.truth(point)
        except Unsure:
            return self.known.get(tuple(point.items()), _OPEN)

    def __iter__(self) -> Iterator[tuple[dict[str, Fraction], object]]:
        return iter([(dict(key), value) for key, value in self.known.items()])


def _is_unseen(case: Case, report: Report, points: list[dict[str, Fraction]]) -> bool:
    """Whether the model is rejected since nothing shows a letter that is asked about, and rightly so."""
    if not report.errors or not all(error.startswith("PFL0550") for error in report.errors):
        return False
    return not any(asked.truth(point) for asked in case.claims if asked.name in ("l", "lp") for point in points)


def _at_constants(asked: Asked, said: Said) -> object:
    """What `--set` says, in the form of `truth`; `_OPEN` if it leaves the claim open."""
    if said.word == "unknown":
        return _OPEN
    match asked.form:
        case "check":
            return said.word == "proved"
        case "named":
            return said.named
        case "number":
            return evaluated(said.formula, {}) if said.formula is not None else _OPEN
        case _:
            if said.supremum is None or said.supremum[0] != said.supremum[1]:
                return _OPEN
            return said.supremum[0]


def _same(asked: Asked, known: object, value: object) -> bool:
    if asked.form == "named":
        return isinstance(known, dict) and isinstance(value, dict) and not _missing(known, value, {})
    return known == value


def _missing(known: Mapping[str, Fraction], said: Mapping[str, str], point: Point) -> str:
    """What is wrong with named values: each that is said is right, and those of a moment that begins are complete."""
    placed: dict[str, Extended] = {}
    for name, text in said.items():
        if " at letter " in name:
            continue  # of the state that showed a letter: tests/properties has an oracle for it
        place, value = name_at(name, point), evaluated(text, point)
        if value and placed.get(place):
            return f"{place} is said twice"
        placed[place] = value or placed.get(place, value)
    for name, value in placed.items():
        if value != known.get(name, Fraction(0)):
            return f"{name} is said to be {value}, and is {known.get(name, 0)}"
    moments = {_moment(name) for name in placed}
    for name, value in known.items():
        if value and name not in placed and _moment(name) in moments:
            return f"{name} is left out, and is {value}"
    return ""


def _moment(name: str) -> str:
    return name.partition("@")[2].partition(" ")[0]


def _show(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def _check(said: Said, right: _Right, case: Case) -> Iterator[tuple[str, str]]:
    refuting = [point for point, value in right if value is False]
    if said.word == "proved":
        if refuting:
            yield "proved", f"proved, but refuted at {_show(refuting[0])} (provided {said.provided})"
        return
    if said.is_point_irrational:
        return
    if said.point is None:
        if not refuting and len(case.space.names) == 1 and all(value is not _OPEN for _, value in right):
            yield "refuted", "refuted at no point that is named, and no point refutes it"
        return
    point = _completed(case, said.point)
    if point not in case.space:
        yield "witness", f"the witness point {_show(point)} is outside of the space"
        return
    found = right.at(point)
    if found is _OPEN:
        report = ask(case.text_of([right.asked]), timeout=10, settings=point)
        found = report.said[right.asked.name].word == "proved" if report.said else _OPEN
    if found is True or found is None:
        yield "refuted", f"refuted at {_show(point)}, where it {'holds' if found else 'says nothing'}"


def _completed(case: Case, named: Point) -> dict[str, Fraction]:
    """A point with values of the parameters that are not named, such that it lies in the space if any do."""
    known = case.space.completed(named)
    found = [{**point, **known} for point in case.points]
    return next((point for point in found if point in case.space), found[0])


def _value_at(said: Said, point: Point) -> Extended | str | None:
    formula = said.numbers_at(point).formula
    if formula is None:
        return None
    try:
        return evaluated(formula, point)
    except ZeroDivisionError:
        return "undefined"


def _formula(said: Said, right: _Right) -> Iterator[tuple[str, str]]:
    for point, value in right:
        if value is None or value is _OPEN:
            continue
        given = _value_at(said, point)
        if given is None:
            yield "number", f"no number is given at {_show(point)}"
            return
        if given != value:
            yield "number", f"{said.numbers_at(point).formula} is {given} at {_show(point)}, where {value} is right"
            return


def _named(said: Said, right: _Right) -> Iterator[tuple[str, str]]:
    for point, value in right:
        if value is None or value is _OPEN:
            continue
        assert isinstance(value, dict)
        try:
            problem = _missing(value, said.numbers_at(point).named, point)
        except ZeroDivisionError:
            problem = "a value is divided by 0"
        if problem:
            yield "named", f"at {_show(point)}: {problem}"
            return


def _supremum(said: Said, right: _Right, case: Case) -> Iterator[tuple[str, str]]:
    if said.supremum is None:
        yield "supremum", "no number is given"
        return
    low, high = said.supremum
    known = [(point, value) for point, value in right if value not in (None, _OPEN)]
    for point, value in known:
        if high != "inf" and (value == "inf" or value > high):  # type: ignore[operator]
            yield "supremum", f"said to be at most {high}, and is {value} at {_show(point)}"
            return
    reached = [point for point, value in known if value == high]
    if low == high and not said.attained:
        if reached:
            yield "attained", f"{high} is said not to be attained, and is at {_show(reached[0])}"
        yield from _limit(said, right, case, low)
    elif low == high and said.attained and said.point is not None:
        point = _completed(case, said.point)
        value = right.at(point)
        open_end = high == "inf" and case.space.is_hard  # it is at an irrational value, and the point is close to it
        if value is not _OPEN and value != high and not open_end:
            yield "attained", f"{high} is said to be attained at {_show(point)}, where it is {value}"
    elif low == high and not reached and len(case.space.names) == 1:
        yield from _too_large(right, case, high)


def _too_large(right: _Right, case: Case, bound: Extended) -> Iterator[tuple[str, str]]:
    """A supremum without a point: some value on a fine grid, or close to a root, must come near to it."""
    (name,) = case.space.names
    low, high = case.space.low[name], case.space.high[name]
    places = [low + (high - low) * Fraction(step, 24) for step in range(25)]
    for root in [*case.space.roots.get(name, ()), low, high]:
        for step in range(1, 31):
            places += [root + (high - low) / 2**step, root - (high - low) / 2**step]
    found = [right.at({name: place}) for place in places if {name: place} in case.space]
    values = [value for value in found if value not in (None, _OPEN)]
    if values and not _is_near("inf" if "inf" in values else max(values), bound, Fraction(7, 10)):  # type: ignore[type-var, arg-type]
        yield "too large", f"{bound} is said to be the largest, and nothing comes near to it"


def _is_near(value: Extended, bound: Extended, share: Fraction) -> bool:
    if bound == "inf":
        return value == "inf" or value > 50
    return value == "inf" or value >= bound * share


def _limit(said: Said, right: _Right, case: Case, bound: Extended) -> Iterator[tuple[str, str]]:
    """A supremum that is only approached must be approached where it is said to be."""
    place = limit_point(said.limit, case.space.names)
    if place is None:
        return
    near = []
    for sign in (1, -1):
        point = {name: value + sign * _TINY for name, value in place.items()}
        if point in case.space:
            near.append(right.at(point))
    values = [value for value in near if value not in (None, _OPEN)]
    if not values:
        return
    largest = "inf" if "inf" in values else max(values)  # type: ignore[type-var]
    if not _is_near(largest, bound, Fraction(98, 100)):  # type: ignore[arg-type]
        yield "limit", f"said to tend to {bound} as {said.limit}, and is {largest} close to it"


def _find(asked: Asked, said: Said, right: _Right, case: Case) -> Iterator[tuple[str, str]]:
    values = {value for _, value in right if value not in (None, _OPEN)}
    if said.in_vain and len(values) > 1 and len(case.space.names) == 1:
        yield "in vain", "a warning says that the claim does not depend on what is looked for; it does"
    good = [point for point, value in right if value is True]
    if said.word == "none":
        if good:
            yield "none", f"no values are found, and {_show(good[0])} is one"
        return
    assert said.point is not None
    point = case.space.completed(said.point)
    if set(said.point) != set(asked.names) or point not in case.space:
        yield "found", f"{_show(said.point)} is outside of the space"
        return
    value = right.at(point)
    if value is False or value is None:
        yield "found", f"{_show(point)} is found, where the claim {'says nothing' if value is None else 'fails'}"
    if asked.objective and said.best_possible is not None:
        goal, name = asked.objective
        for point in good:
            better = point[name] < said.best_possible if goal == "minimise" else point[name] > said.best_possible
            if better:
                yield "best", f"{said.best_possible} is said to be the best possible, and {_show(point)} is better"
                return


__all__ = ["Disagreement", "Judge", "Report"]
