"""What can be wrong with claims and finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.syntax.spelling import closest, did_you_mean
from pfl.syntax.tree.ast import Identifier, Node
from pfl.syntax.tree.ast_declarations import Parameter
from pfl.syntax.tree.ast_module import Clause
from pfl.typecheck.fitting import a
from pfl.typecheck.names.scope import System, noun
from pfl.typecheck.types import Type

EXAMPLES: dict[str, str] = {
    "epsilon": "epsilon ln(2);",
    "delta": "delta 0;",
    "length": "length 1;",
    "prior": "prior p;",
    "secrets": "secrets a vs not a;",
    "between": "between { 0: 1 } and { 1: 1 };",
    "adjacent": "adjacent R;",
    "received": "received R;",
    "one way": "one way;",
    "reach": "reach x == 0;",
    "avoiding": "avoiding x == 1;",
    "until": "until x == 0;",
    "from": "from any;",
    "within": "within 10;",
    "returns": "returns true;",
    "terminates": "terminates;",
    "observations": "observations a, b;",
    "posterior": "posterior;",
    "equals": "equals 1/2;",
    "at least": "at least 1/2;",
    "at most": "at most 1/2;",
    "expect": "expect refuted;",
    "for": "for x in 0..2;",
    "minimise": "minimise p;",
    "maximise": "maximise p;",
}
"""How each clause is written."""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def unknown_kind(kind: Identifier, verb: str, kinds: tuple[str, ...]) -> Diagnostic:
    longer = [f"`{other}`" for other in kinds if other.startswith(f"{kind.text} ")]
    guess = " or ".join(longer) or (f"`{closest(kind.text, kinds)}`" if closest(kind.text, kinds) else "")
    return Diagnostic.at(
        codes.UNKNOWN_CLAIM_KIND,
        kind.span,
        f"there is no kind of claim `{kind.text}`",
        help=f"did you mean {guess}?" if guess else f"the kinds of `{verb}` are {_listed(kinds)}",
    )


def wrong_verb(kind: Identifier, verb: str, other: str) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_CLAIM_KIND, kind.span, f"there is no `{verb} {kind.text}`", help=f"write `{other} {kind.text} ..`"
    )


def wrong_system(node: Identifier, kind: str, system: System, wanted: Iterable[str], instead: str | None) -> Diagnostic:
    about = " or ".join(f"an {word}" if word in ("automaton", "hmm") else f"a {word}" for word in wanted)
    return Diagnostic.at(
        codes.WRONG_SYSTEM,
        node.span,
        f"`{kind}` is about {about}, and `{node.text}` is {noun(system)}",
        help=f"for {noun(system)}, write `{instead} {node.text} ..`" if instead else None,
    )


_WITHOUT: dict[tuple[str, str], str] = {
    ("implements", "length"): "behaviour is compared for any number of inputs",
    ("implements", "epsilon"): "what implements a system does each thing with equal probability",
    ("implements", "delta"): "what implements a system does each thing with equal probability",
    ("unwinding", "length"): "a family of relations is for any number of inputs",
    ("unwinding", "delta"): "relations give away epsilon alone",
    ("likelihood", "length"): "it is the number of the `observations`",
    ("likelihood", "delta"): "a likelihood is one probability, and compares nothing",
    ("likelihood", "epsilon"): "a likelihood is one probability, and compares nothing",
    ("distribution", "length"): "results are those of whole runs",
    ("distribution", "delta"): "the probabilities are exact, and there is no slack",
    ("distribution", "epsilon"): "the probabilities are exact, and there is no slack",
    ("expected steps", "length"): "runs go on until they are there",
    ("expected cost", "length"): "runs go on until they are there",
}
"""Why claims of a kind do without a clause that others have."""


def unknown_clause(
    clause: Clause, kind: str, system: str, clauses: frozenset[str], elsewhere: Iterable[str] = ()
) -> Diagnostic:
    """`elsewhere` are the claims about the same kind of system that have the clause: `check pufferfish`."""
    keyword = clause.keyword.text
    guess = closest(keyword, clauses)
    others = tuple(elsewhere)
    listed = _listed(sorted(clauses))
    advice = f"its clauses are {listed}"
    why = _WITHOUT.get((kind.removeprefix("check ").removeprefix("compute "), keyword))
    if others:
        owners = " and ".join(f"`{other}`" for other in others)
        rest = f"those of `{kind}` are {listed}" if why is None else f"leave it out here: {why}"
        advice = f"`{keyword}` is a clause of {owners}; {rest}"
    return Diagnostic.at(
        codes.UNKNOWN_CLAUSE,
        clause.keyword.span,
        f"`{kind}` of {system} has no clause `{keyword}`",
        help=did_you_mean(keyword, guess) if guess and not others else advice,
    )


def clause_twice(clause: Clause, earlier: Clause) -> Diagnostic:
    return Diagnostic.at(
        codes.CLAUSE_TWICE,
        clause.keyword.span,
        f"`{clause.keyword.text}` is given twice",
        Label(earlier.keyword.span, "first given here"),
    )


def clauses_exclude(clause: Clause, earlier: Clause) -> Diagnostic:
    return Diagnostic.at(
        codes.CLAUSE_TWICE,
        clause.keyword.span,
        f"`{earlier.keyword.text}` and `{clause.keyword.text}` are both given, and only one can be",
        Label(earlier.keyword.span, "the other one"),
    )


def clause_missing(node: Node, kind: str, keywords: Iterable[str], why: str | None = None) -> Diagnostic:
    words = sorted(keywords)
    which = " or ".join(f"`{word}`" for word in words)
    return Diagnostic.at(
        codes.CLAUSE_MISSING,
        node.span,
        f"`{kind}` needs the clause {which}" + (f": {why}" if why else ""),
        help="write " + " or ".join(f"`{EXAMPLES[word]}`" for word in words),
    )


def secrets_without_prior(node: Identifier, verb: str, system: str) -> Diagnostic:
    """Secrets are about what a prior draws, and a mechanism has none of its own."""
    return Diagnostic.at(
        codes.CLAUSE_MISSING,
        node.span,
        f"`{verb} {node.text}` needs the clause `prior`: it draws the inputs of `{system}`, and what `secrets` names",
        help=f"declare `prior p for {system} {{ .. }}` and write `prior p;`; "
        "to compare inputs without a prior, give an adjacency: "
        + (f"`check privacy {system} {{ adjacent R; .. }}`" if verb == "check" else "`adjacent R;`"),
    )


def clause_without_value(clause: Clause) -> Diagnostic:
    keyword = clause.keyword.text
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE,
        clause.span,
        f"`{keyword}` is followed by nothing",
        help=f"write `{EXAMPLES[keyword]}`",
    )


def wrong_clause_value(node: Node, keyword: str, takes: str) -> Diagnostic:
    """`takes` says what may follow the keyword."""
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE, node.span, f"`{keyword}` takes {takes}", help=f"write `{EXAMPLES[keyword]}`"
    )


def not_an_adjacency(node: Node, keyword: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE,
        node.span,
        f"`{keyword}` takes the name of an adjacency",
        help=f"declare the relation: `adjacency R(a: T, b: T) = ..;`, and write `{keyword} R;`",
    )


def wrong_word(node: Node, keyword: str, words: Iterable[str]) -> Diagnostic:
    guess = closest(node.span.text, words)
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE,
        node.span,
        f"`{keyword} {node.span.text}` means nothing",
        help=did_you_mean(node.span.text, guess)
        if guess
        else "write " + " or ".join(f"`{keyword} {word}`" for word in words),
    )


def wrong_system_arguments(
    node: Node,
    name: str,
    parameters: tuple[str, ...],
    given: int,
    inputs: Sequence[Parameter],
    meant: Sequence[Parameter],
    endless: str,
) -> Diagnostic:
    """`inputs` are what a claim compares instead of giving it, and `meant` those of them that it seems to give;
    `endless` is a parameter that has too many values to be compared."""
    if given < len(parameters):
        message = f"`{name}` is not given {_listed(parameters[given:])}"
        finite = f"; if `{endless}` is what is compared, give it finitely many values: `{endless}: 0..10`"
        advice: str | None = f"write `{name}({', '.join(parameters)})`" + (finite if endless else "")
    else:
        takes = f"takes only {_listed(parameters)}" if parameters else "takes no arguments"
        message = f"in a claim `{name}` {takes}, and is given {given} argument" + ("" if given == 1 else "s")
        advice = _inputs_are_not_given(inputs, meant) if inputs else None
    return Diagnostic.at(codes.CLAIM_ARGUMENTS, node.span, message, help=advice)


def _inputs_are_not_given(inputs: Sequence[Parameter], meant: Sequence[Parameter]) -> str:
    """Why a claim gives some parameters no value, and how to have it give one."""
    names = _listed(parameter.name.text for parameter in inputs)
    has, input_ = ("has", "it is an input") if len(inputs) == 1 else ("have", "they are inputs")
    written = _listed(f"const {parameter.span.text}" for parameter in meant)
    cure = f"declare {written} for a claim to give a value" if meant else "`adjacent` says which are compared"
    return f"{names} {has} finitely many values, so {input_}, and inputs are compared; {cure}"


def arguments_not_taken(node: Node, name: str, why: str) -> Diagnostic:
    return Diagnostic.at(codes.CLAIM_ARGUMENTS, node.span, f"`{name}` takes no arguments here: {why}")


def foreign_prior(node: Node, what: str, name: str, declared_for: Identifier, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.FOREIGN_PRIOR,
        node.span,
        f"{what} `{name}` is declared for `{declared_for.text}`, not for `{system}`",
        Label(declared_for.span, "declared for this system"),
    )


def no_start(node: Node, system: str, keywords: tuple[str, ...]) -> Diagnostic:
    return Diagnostic.at(
        codes.NO_START,
        node.span,
        f"nothing says where `{system}` starts",
        help=f"give {' or '.join(f'`{word}`' for word in keywords)}, or an `init` in `{system}`",
    )


def nothing_to_compare(node: Node, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.NOTHING_TO_COMPARE,
        node.span,
        f"`{system}` has no inputs, so there are no two runs to compare",
        help="parameters of a finite type are inputs, and so is what is received",
    )


def adjacency_does_not_fit(node: Node, name: str, message: str, place: Span, advice: str | None = None) -> Diagnostic:
    return Diagnostic.at(
        codes.ADJACENCY_DOES_NOT_FIT, node.span, message, Label(place, f"adjacency `{name}`"), help=advice
    )


def adjacency_type(node: Node, name: str, position: str, wanted: Type, actual: Type, place: Span) -> Diagnostic:
    message = f"adjacency `{name}` relates {a(actual)} where {position} is {a(wanted)}"
    return adjacency_does_not_fit(node, name, message, place)


def receives_nothing(node: Node, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.ADJACENCY_DOES_NOT_FIT, node.span, f"`{system}` receives nothing, so `received` relates nothing"
    )


def adversary_chooses(node: Node, kind: str, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.RECEIVES,
        node.span,
        f"`{kind}` of `{system}` depends on what an adversary sends it by `receive`",
        help="ask for `privacy`, `epsilon` or `delta`, which consider every adversary",
    )


def not_a_parameter(name: Identifier, what: str | None, parameters: Iterable[str]) -> Diagnostic:
    """`what` is what the name means instead; None where it means nothing."""
    guess = closest(name.text, parameters)
    return Diagnostic.at(
        codes.NOT_A_PARAMETER,
        name.span,
        f"`{name.text}` is {what}, not a param" if what else f"there is no param `{name.text}`",
        help=did_you_mean(name.text, guess) if guess else f"declare it: `param {name.text} in (0, 1);`",
    )


def find_target(node: Node, message: str, advice: str | None) -> Diagnostic:
    return Diagnostic.at(codes.FIND_TARGET, node.span, message, help=advice)


def unwanted_relation(node: Node, kind: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_SYSTEM, node.span, f"`{kind}` is not relative to anything", help="leave out what follows the system"
    )


def relation_missing(node: Node, kind: str, word: str) -> Diagnostic:
    example = "check implements A of B;" if word == "of" else "check unwinding A by R { epsilon ln(2); }"
    return Diagnostic.at(
        codes.CLAUSE_MISSING,
        node.span,
        f"`{kind}` needs `{word}` and what it is relative to",
        help=f"write `{example}`",
    )


def returns_nothing(node: Node, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE, node.span, f"`{system}` returns nothing", help="ask whether it `terminates`"
    )


def nothing_observed(node: Node, system: str, is_table: bool) -> Diagnostic:
    return Diagnostic.at(
        codes.NOTHING_OBSERVED,
        node.span,
        f"`{system}` shows nothing, so nothing is learned from it whatever the secrets are",
        help="give it rows that say what is seen: `rainy emits walk: 1/3, shop: 2/3;`"
        if is_table
        else "give it an `emit`",
    )


def shows_nothing(node: Node, system: str) -> Diagnostic:
    return Diagnostic.at(
        codes.WRONG_CLAUSE_VALUE,
        node.span,
        f"`{system}` shows nothing, so there are no observations",
        help="give it an `emit`",
    )
