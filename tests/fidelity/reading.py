"""What pflc says of a claim, brought into one form. All that these tests know of its verdicts is here."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from pfl.driver import check_text
from pfl.options import Options
from pfl.verify.verdict import ClaimResult

Extended = Fraction | Literal["inf"]
Place = dict[str, Fraction]


class Irrational(Exception):
    """A value of a parameter, or a number at it, that no fraction is."""


@dataclass(frozen=True)
class Numbers:
    """A number, or several by name, as expressions in the parameters."""

    formula: str | None
    named: dict[str, str]


@dataclass
class Said:
    """A verdict. `formula` is a number, as an expression in the parameters, that a compute gives for every value;
    `named` are several of them. `exceptional` gives other numbers at single points. `supremum` is what a compute of an
    epsilon or delta gives, an interval; `attained_at` is the point where it is reached.
    """

    word: str
    reason: str = ""
    formula: str | None = None
    named: dict[str, str] = field(default_factory=dict)
    exceptional: list[tuple[dict[str, str], Numbers]] = field(default_factory=list)
    supremum: tuple[Extended, Extended] | None = None
    attained: bool = True
    limit: str = ""
    point: Place | None = None
    is_point_irrational: bool = False
    provided: tuple[str, ...] = ()
    best_possible: Fraction | None = None

    in_vain: bool = False
    """Whether a warning says that the claim does not depend on what is looked for."""

    def numbers_at(self, point: Mapping[str, Fraction]) -> Numbers:
        """What is said of this point; an exception rules where there is one."""
        for place, numbers in self.exceptional:
            if all(point[name] == evaluated(value, point) for name, value in place.items()):
                return numbers
        return Numbers(self.formula, self.named)


@dataclass
class Report:
    """All that was said of a model; `errors` where it was rejected."""

    said: dict[str, Said]
    errors: list[str]


def ask(text: str, *, timeout: float, settings: Mapping[str, Fraction] | None = None) -> Report:
    """The verdicts of pflc, by the names of the claims."""
    findings = check_text(text, Options(timeout=timeout, settings=dict(settings or {})))
    errors = [f"{d.code}: {d.message}" for d in findings.diagnostics if d.severity != "warning"]
    vain = {d.primary.span.line for d in findings.diagnostics if str(d.code) == "PFL0516" and d.primary}
    said = {}
    for result in findings.results:
        said[result.claim.name] = _said(result)
        said[result.claim.name].in_vain = result.claim.origin.line in vain
    return Report(said, errors)


def _said(result: ClaimResult) -> Said:
    verdict: Any = result.verdict
    said = Said(result.verdict.word, reason=getattr(verdict, "reason", ""))
    said.provided = tuple(str(condition.text) for condition in getattr(verdict, "provided", ()))
    value = getattr(verdict, "value", None)
    if value is not None and not hasattr(value, "low"):
        said.formula = str(value)
    if result.claim.verb == "compute" and result.claim.kind in ("epsilon", "delta"):
        _read_supremum(said, verdict, value)
    for entry in getattr(verdict, "values", ()):
        if isinstance(entry, tuple):
            said.point = {**(said.point or {}), entry[0]: entry[1]}
        elif not entry.arguments:
            said.named[entry.name] = str(entry.value)
        else:  # nothing is said of all values, but of some
            said.exceptional.append((dict(entry.arguments), Numbers(str(entry.value), {})))
    said.best_possible = getattr(verdict, "best_possible", None)
    witness = getattr(verdict, "witness", None)
    parameters = getattr(verdict, "parameters", ()) or getattr(witness, "parameters", ())
    if parameters:
        _read_point(said, parameters)
    _read_exceptional(said, verdict)
    return said


def _read_supremum(said: Said, verdict: Any, value: Any) -> None:
    bound = getattr(verdict, "bound", None)
    if bound is not None:
        said.attained, said.limit = bound.attained, bound.limit_at
        low = bound.ratio if bound.ratio is not None else bound.lower
        high = bound.ratio if bound.ratio is not None else bound.upper
        if low is not None and high is not None and value is None:
            said.supremum = (_extended(low), _extended(high))
    ends = {entry.name: entry.value for entry in getattr(verdict, "values", ())}
    if "at least" in ends and "at most" in ends:
        said.supremum = (_extended(ends["at least"]), _extended(ends["at most"]))
    if value is not None:
        said.supremum = (value.low, value.high) if hasattr(value, "low") else (_extended(value), _extended(value))


def _read_point(said: Said, parameters: Iterable[tuple[str, object]]) -> None:
    point = dict(parameters)
    said.is_point_irrational = any(not isinstance(value, Fraction) for value in point.values())
    if not said.is_point_irrational:
        said.point = point  # type: ignore[assignment]


def _read_exceptional(said: Said, verdict: Any) -> None:
    """What a compute gives at values of parameters where its formulas are not right, the most particular ones first."""
    said.exceptional += _apart(verdict, {})


def _apart(verdict: Any, place: dict[str, str]) -> list[tuple[dict[str, str], Numbers]]:
    found = []
    for part in getattr(verdict, "apart", ()):
        there = {**place, part.name: str(part.value)}
        found += _apart(part.verdict, there)
        if part.differs:
            value = None if part.verdict.value is None else str(part.verdict.value)
            found.append((there, Numbers(value, {entry.name: str(entry.value) for entry in part.verdict.values})))
    return found


def _extended(value: object) -> Extended:
    if isinstance(value, Fraction):
        return value
    if value in ("inf", "unbounded"):
        return "inf"
    return evaluated(str(value), {})


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def evaluated(text: str, point: Mapping[str, Fraction]) -> Extended:
    """The value of an expression in the parameters; raises ZeroDivisionError where it has none."""
    if text == "inf":
        return "inf"
    return _evaluate(ast.parse(text.replace("^", "**"), mode="eval").body, point)


def _evaluate(node: ast.expr, point: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(value)):
            return Fraction(value)
        case ast.Name(id=name):
            return point[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, point)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))):
            return Fraction(_evaluate(left, point) ** power)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_evaluate(left, point), _evaluate(right, point))  # type: ignore[no-any-return]
    raise ValueError(ast.dump(node))


def name_at(name: str, point: Mapping[str, Fraction]) -> str:
    """A name at a point: where it is, or ends with, a value that depends on parameters, that value there."""
    before, equals, value = name.rpartition(" == ")
    try:
        return before + equals + _written(ast.parse(value.replace("^", "**"), mode="eval").body, point)
    except (KeyError, SyntaxError, ValueError):
        return name


def _written(node: ast.expr, point: Mapping[str, Fraction]) -> str:
    match node:
        case ast.Tuple(elts=parts):
            return f"({', '.join(_written(part, point) for part in parts)})"
        case ast.List(elts=parts):
            return f"[{', '.join(_written(part, point) for part in parts)}]"
        case _:
            return str(_evaluate(node, point))


def limit_point(text: str, names: Iterable[str]) -> Place | None:
    """The point of `p -> 0, q -> 1/2`, where it names all parameters."""
    found = {name: Fraction(value) for name, value in re.findall(r"(\w+) -> (-?\d+(?:/\d+)?)", text)}
    return found if set(found) == set(names) else None
