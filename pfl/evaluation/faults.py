"""Faults of evaluation, as diagnostics: each made by a named constructor from the place and the exact values."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base import codes
from pfl.base.budget import larger_limit
from pfl.base.closed_form import is_closed
from pfl.base.diagnostics import Diagnostic, Label, LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.model.cardinality import is_empty
from pfl.model.coincidence import parameters_in
from pfl.model.domain import Domain
from pfl.model.noise import Noise, Sample
from pfl.model.program import EvaluationFault as EvaluationFault
from pfl.model.values import Value, show

LONGEST_TEXT = 80
"""Values and source texts longer than this are shortened inside a message."""

LONGEST_SUM = 12
"""A sum of more weights than this is not written out."""


MOST_CALLS = 4
"""How many calls around a fault are told of."""


def brief(text: str) -> str:
    """Text for a headline: on one line, and cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}..."


def shown(value: Value) -> str:
    """A value for a headline."""
    return brief(show(value))


def in_call(fault: EvaluationFault, name: str, arguments: Sequence[Value]) -> EvaluationFault:
    """The fault with a note on the call of a function in which it came up; the innermost calls only."""
    if len(fault.diagnostic.notes) >= MOST_CALLS:
        return fault
    written = brief(f"{name}({', '.join(map(show, arguments))})")
    return EvaluationFault(fault.with_path([f"in the call `{written}`"]))


def value_outside_type(span: Span, value: Value, domain: Domain, what: str) -> EvaluationFault:
    if is_empty(domain):
        return empty_type(span, domain, what)
    return _fault(
        codes.VALUE_OUTSIDE_TYPE,
        f"the value `{shown(value)}` of {what} lies outside its type `{brief(str(domain))}`",
        Label(span, f"this is {shown(value)}"),
        help="widen the type, or keep the value inside it, for instance with `min` and `max`",
    )


def not_an_exponent(span: Span, exponent: object) -> EvaluationFault:
    return _fault(
        codes.NOT_AN_EXPONENT,
        f"there is no exact number for e to the power {brief(str(exponent))}",
        Label(span, "this is no rational number, and no rational multiple of one parameter"),
        help="an exponent is a number, or a number times a parameter: `exp(-eps/2)`; `exp(a + b)` is `exp(a) * exp(b)`",
    )


def noise_parameter(span: Span, value: object, rule: str, cure: str = "") -> EvaluationFault:
    """A mean, a scale or an alpha that breaks the rule; `cure` is what to do beside fixing parameters."""
    if is_closed(value) and "rational" in rule:
        help: str | None = "write a rational number near it"
    elif names := sorted(parameters_in(value)) if isinstance(value, RationalFunction) else ():
        given = " ".join(f"--set {name}=1/2" for name in names)
        help = f"fix it: `{given}`" + (f"; or {cure}" if cure else "")
    else:
        help = None
    return _fault(codes.NOISE_PARAMETER, f"noise cannot be given {brief(str(value))}", Label(span, rule), help=help)


def noise_outside_type(span: Span, noise: Noise, domain: Domain, name: str) -> EvaluationFault:
    whole = "int" if noise.is_integral else "real"
    return _fault(
        codes.VALUE_OUTSIDE_TYPE,
        f"samples of `{brief(str(noise))}` lie outside the type `{brief(str(domain))}` that `{name}` is declared over",
        Label(span, "this noise has no bounds"),
        help=f"declare the distribution over `{whole}`; `import std.noise;` offers noise that is cut at bounds",
    )


def noise_depends_on_sample(span: Span) -> EvaluationFault:
    return _fault(
        codes.SAMPLE_MISUSED,
        "noise cannot depend on the value of another sample",
        Label(span, "this is a sample"),
        help="compare the sample first, and draw from noise that depends on what that gives",
    )


def index_out_of_range(span: Span, index: Value, length: int) -> EvaluationFault:
    _require_no_sample(index)
    valid = f"indices run from 0 to {length - 1}" if length else "the array has no elements"
    return _fault(
        codes.INDEX_OUT_OF_RANGE,
        f"the index {shown(index)} lies outside an array of {_count(length, 'element')}",
        Label(span, valid),
        help="indices start at 0",
    )


def wrong_moment(span: Span, moment: int) -> EvaluationFault:
    return _fault(
        codes.WRONG_MOMENT,
        f"there is no moment {moment}",
        Label(span, "moments count moves from the start, which is `@0`"),
    )


def moment_varies(span: Span) -> EvaluationFault:
    return _fault(
        codes.MOMENT_VARIES,
        f"the moment `{brief(span.text)}` is not the same on every run",
        Label(span, "it depends on what is drawn, or on the state"),
        help="write out the cases: `if k == 0 then x@0 else x@1`, or `exists t in 0..1: t == k and x@t`",
    )


def domain_of_moments_varies(span: Span) -> EvaluationFault:
    return _fault(
        codes.MOMENT_VARIES,
        f"moments run through `{brief(span.text)}`, which is not the same on every run",
        Label(span, "it depends on what is drawn, or on the state"),
        help="go through a range of constants, and put what varies behind it: `exists t in 0..3: t <= k and x@t`",
    )


def too_many_moments(span: Span, count: int, most: int) -> LimitReached:
    reason = f"the loops over moments come to {count:,} cases, and no more than {most:,} are written out"
    cure = "let the secret be about fewer moments"
    label = Label(span, "its values are needed one by one here")
    diagnostic = Diagnostic(code=codes.DOMAIN_TOO_LARGE, message=reason, labels=(label,), help=cure)
    return LimitReached(f"{reason}; {cure}", diagnostic)


def key_twice(span: Span, key: Value) -> EvaluationFault:
    return _fault(
        codes.ARRAY_KEYS,
        f"the array has two elements for `{shown(key)}`",
        Label(span),
        help="each value of the enum is the key of one element",
    )


def keys_missing(span: Span, keys: Sequence[Value]) -> EvaluationFault:
    return _fault(
        codes.ARRAY_KEYS,
        f"the array has no element for {brief(', '.join(f'`{show(key)}`' for key in keys))}",
        Label(span),
        help="each value of the enum is the key of one element",
    )


def division_by_zero(span: Span, dividend: Value) -> EvaluationFault:
    return _fault(
        codes.DIVISION_BY_ZERO,
        f"`{shown(dividend)}` is divided by 0",
        Label(span, "this divisor is 0"),
    )


def extremum_of_nothing(span: Span, name: str) -> EvaluationFault:
    return _fault(
        codes.EXTREMUM_OF_NOTHING,
        f"`{name}` of nothing",
        Label(span, "there is no element here"),
        help=f"an empty `sum` is 0, but `{name}` needs at least one element",
    )


def negative_power_of_zero(span: Span, exponent: int) -> EvaluationFault:
    return _fault(
        codes.NEGATIVE_POWER_OF_ZERO,
        f"0 is raised to the power {exponent}",
        Label(span, f"this is 0 ^ ({exponent})"),
        help="a negative power is a division: the base must not be 0",
    )


def negative_exponent(span: Span, base: int, exponent: int) -> EvaluationFault:
    return _fault(
        codes.VALUE_OUTSIDE_TYPE,
        f"an int is wanted, but {shown(base)} ^ ({shown(exponent)}) is a fraction",
        Label(span, f"the exponent is {shown(exponent)}"),
        help="write `(1/b) ^ n` for a power of a fraction, or keep the exponent from being negative",
    )


def equal_keys(first: Span, second: Span, key: Value) -> EvaluationFault:
    return EvaluationFault(
        Diagnostic(
            code=codes.EQUAL_KEYS,
            message=f"the key `{shown(key)}` occurs twice in a distribution",
            labels=(Label(second, f"this is {shown(key)} again"), Label(first, f"this is {shown(key)}")),
            help="merge the entries; only in a comprehension `{ key: weight for x in S }` do equal keys add",
        )
    )


def empty_type(span: Span, domain: Domain, what: str) -> EvaluationFault:
    return _fault(
        codes.EMPTY_TYPE,
        f"the type `{brief(str(domain))}` of {what} has no values",
        Label(span, "no value lies in this type"),
        help="in a range `lo..hi` both ends are included, and `lo` must not exceed `hi`",
    )


def uniform_of_nothing(span: Span) -> EvaluationFault:
    return _fault(
        codes.UNIFORM_OF_NOTHING,
        "`uniform` of an empty set",
        Label(span, "this set is empty"),
        help="a distribution needs at least one value",
    )


def no_arm_matches(span: Span, value: Value) -> EvaluationFault:
    return _fault(
        codes.NO_ARM_MATCHES,
        f"no arm of this `match` fits the value `{shown(value)}`",
        Label(span, f"this is {shown(value)}"),
        help="add an arm for it, or a last arm `_ => ...`",
    )


def undecided_comparison(span: Span, left: Value, relation: str, right: Value, names: Sequence[str]) -> EvaluationFault:
    parameters = " and ".join(f"`{name}`" for name in names)
    return _fault(
        codes.DEPENDS_ON_PARAMETER,
        f"whether `{shown(left)} {relation} {shown(right)}` holds depends on the value of {parameters}",
        Label(span, "the course of the model would depend on it"),
        help="fix the parameter with `--set`, or split the model; only weights may depend on a `param`",
    )


def number_with_parameter(span: Span, value: Value, names: Sequence[str], operation: str) -> EvaluationFault:
    parameters = " and ".join(f"`{name}`" for name in names)
    return _fault(
        codes.DEPENDS_ON_PARAMETER,
        f"`{operation}` is asked of `{shown(value)}`, which depends on the value of {parameters}",
        Label(span),
        help="fix the parameter with `--set`; only weights may depend on a `param`",
    )


def negative_size(span: Span, size: int, what: str) -> EvaluationFault:
    return _fault(
        codes.NEGATIVE_SIZE,
        f"the {what} is {size}, and cannot be negative",
        Label(span, f"this is {size}"),
    )


def weights_not_one(
    span: Span,
    total: Number,
    weights: Sequence[tuple[Value, Number]],
    subject: str = "the weights of this distribution",
) -> EvaluationFault:
    """Also for rows: `subject` is then "outgoing probabilities of state `sick`"."""
    for _, weight in weights:
        _require_no_sample(weight)
    written = " + ".join(show(weight) for _, weight in weights)
    label = f"{brief(written)} = {shown(total)}" if 1 < len(weights) <= LONGEST_SUM else f"the sum is {shown(total)}"
    return _fault(
        codes.ROW_SUM,
        f"{subject} add up to {shown(total)}, not 1",
        Label(span, label),
        help="weights must sum to exactly 1; nothing is normalised for you",
    )


def negative_weight(span: Span, value: Value, weight: Number) -> EvaluationFault:
    return _fault(
        codes.NEGATIVE_WEIGHT,
        f"the weight of `{shown(value)}` is {shown(weight)}, and cannot be negative",
        Label(span, f"gives {shown(weight)} to {shown(value)}"),
    )


def not_a_probability(span: Span, probability: Number, name: str) -> EvaluationFault:
    _require_no_sample(probability)
    return _fault(
        codes.NEGATIVE_WEIGHT,
        f"the probability given to `{name}` is {shown(probability)}, and must lie in 0..1",
        Label(span, f"this is {shown(probability)}"),
    )


def _require_no_sample(number: object) -> None:
    """Raise SampleMisused for one: what holds of some of its values is no fault of those alone."""
    if isinstance(number, Sample):
        number.__index__()


def logarithm_of_nonpositive(span: Span, argument: Number) -> EvaluationFault:
    return _fault(
        codes.LOGARITHM_OF_NONPOSITIVE,
        f"`ln` is taken of {shown(argument)}, and needs a positive number",
        Label(span, f"this is {shown(argument)}"),
    )


def logarithm_of_parameter(span: Span, argument: object) -> EvaluationFault:
    return _fault(
        codes.MISPLACED_LOGARITHM,
        f"`ln` is taken of {brief(str(argument))}, of which no logarithm is known exactly",
        Label(span, "samples are compared with logarithms of numbers"),
        help="write a number: `ln(3)/eps`",
    )


def multiple_of_parameter(span: Span, value: Number, multiple: str, parameter: str) -> EvaluationFault:
    """An epsilon c*eps, both of which are parameters."""
    return _fault(
        codes.NOT_AN_EPSILON,
        f"this epsilon is a product of the parameters `{multiple}` and `{parameter}`",
        Label(span, f"{value} has no rational coefficient"),
        help=f"`compute epsilon` gives the smallest multiple of a parameter that holds for all its values, and `find "
        f"{multiple} such that ..` looks for one in an interval; or fix one with `--set`, or make it a `const`: "
        f"`const {multiple} = 1/2;`",
    )


def not_an_epsilon(span: Span, reason: str) -> EvaluationFault:
    return _fault(
        codes.NOT_AN_EPSILON,
        "this epsilon is not a rational number plus multiples of logarithms",
        Label(span, reason),
        help="ratios are bounded by e^epsilon: for e^eps write `eps`, for any other bound r write `ln(r)`; an epsilon "
        "is a sum such as `1/2 + 2*ln(3) - ln(2)/3`, or holds multiples of a parameter, `2*eps`, or, where a find "
        "looks for c, `c*eps`",
    )


def domain_too_large(span: Span, reason: str, count: int | None) -> LimitReached:
    """`count` is how many values are needed, None where they are too many to say."""
    cure = f"use a smaller range{larger_limit(count)}"
    label = Label(span, "its values are needed one by one here")
    diagnostic = Diagnostic(code=codes.DOMAIN_TOO_LARGE, message=reason, labels=(label,), help=cure)
    return LimitReached(f"{reason}; {cure}", diagnostic)


def type_too_large(span: Span, count: int, most: int) -> LimitReached:
    many = f"{count:,}" if count < 10**15 else f"more than 10^{(count.bit_length() - 1) * 3 // 10}"
    reason = f"the type `{brief(span.text)}` is made of {many} types, and no more than {most:,} are built"
    cure = "use an array for parts that are alike"
    label = Label(span, "written out, it would be that large")
    diagnostic = Diagnostic(code=codes.DOMAIN_TOO_LARGE, message=reason, labels=(label,), help=cure)
    return LimitReached(f"{reason}; {cure}", diagnostic)


def evaluation_too_long(span: Span, reason: str) -> LimitReached:
    label = Label(span, "evaluation was here")
    return LimitReached(reason, Diagnostic(code=codes.EVALUATION_TOO_LONG, message=reason, labels=(label,)))


def number_too_large(span: Span, what: str) -> LimitReached:
    reason, cure = f"{what} is too large to compute exactly", "keep numbers below 150,000 digits"
    diagnostic = Diagnostic(code=codes.NUMBER_TOO_LARGE, message=reason, labels=(Label(span),), help=cure)
    return LimitReached(f"{reason}; {cure}", diagnostic)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _fault(code: codes.Code, message: str, label: Label, help: str | None = None) -> EvaluationFault:
    return EvaluationFault(Diagnostic(code=code, message=message, labels=(label,), help=help))
