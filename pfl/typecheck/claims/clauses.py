"""The clauses of claims: what may follow each keyword.

Adjacencies that claims about mechanisms name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pfl.base.diagnostics import Diagnostics
from pfl.syntax.tree.ast import DistributionComprehension, DistributionLiteral, Expr, Name, Range
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, AutomatonDecl, Parameter
from pfl.syntax.tree.ast_module import Clause, Filtered, ForBinding, Observations, Received, Versus
from pfl.syntax.tree.vocabulary import BUILTIN_VALUES
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Builtin, given_parameters, input_parameters
from pfl.typecheck.checker import NOTHING, Checker, Want
from pfl.typecheck.claims import claim_errors
from pfl.typecheck.claims.claim_context import ClaimContext
from pfl.typecheck.fitting import BOOL, ERROR, INT, REAL, assignable, has_distribution, overlap
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.systems.system_arguments import applied_name, check_system_arguments
from pfl.typecheck.types import DistributionType, ErrorType, Type


def check_adjacent(checker: Checker, node: Expr, claim: ClaimContext) -> None:
    """`adjacent R;`: R relates as many left and right inputs as the mechanism has, of their types."""
    declaration = _adjacency(checker, node, "adjacent", claim)
    if declaration is None:
        return
    name, place = declaration.name.text, declaration.name.span
    related = input_parameters(checker.target, declaration)
    inputs = claim.facts.inputs
    system = claim.node.system.arguments or ()
    _, own = applied_name(node)
    given = given_parameters(checker.target, declaration)
    if len(system) != len(claim.facts.given) or len(own or ()) != len(given):
        return  # a parameter lacks its argument, or an input was meant to be given: that is reported
    if len(related) != 2 * len(inputs):
        message = (
            f"`{claim.system}` has {_count(inputs)}, and adjacency `{name}` relates {len(related) // 2} to as many"
        )
        advice = "parameters of finitely many values are inputs; one that a claim is to give a value to is `const`"
        checker.found.add(claim_errors.adjacency_does_not_fit(node, name, message, place, advice))
        return
    for position, parameter in enumerate(related):
        of = inputs[position % len(inputs)]
        wanted, actual = checker.types[id(of.type)], checker.types[id(parameter.type)]
        if not assignable(wanted, actual):
            where = f"input `{of.name.text}` of `{claim.system}`"
            checker.found.add(claim_errors.adjacency_type(node, name, where, wanted, actual, place))
            return


def _count(inputs: Sequence[Parameter]) -> str:
    if not inputs:
        return "no inputs"
    names = " and ".join(f"`{parameter.name.text}`" for parameter in inputs)
    return f"one input, {names}" if len(inputs) == 1 else f"{len(inputs)} inputs, {names}"


def check_received(checker: Checker, value: Received, claim: ClaimContext) -> None:
    """`received R at most 1;`: R relates two values of every `receive`."""
    if value.limit is not None:
        checker.fitting(value.limit, claim.scope, INT, "`at most`")
    declaration = _adjacency(checker, value.relation, "received", claim)
    if declaration is None:
        return
    if not claim.facts.receives:
        checker.found.add(claim_errors.receives_nothing(value, claim.system))
        return
    name, place = declaration.name.text, declaration.name.span
    related = input_parameters(checker.target, declaration)
    if len(related) != 2:
        message = f"what is received is one value, and adjacency `{name}` relates {len(related) // 2} to as many"
        checker.found.add(claim_errors.adjacency_does_not_fit(value.relation, name, message, place))
        return
    types: list[Type] = [checker.types[id(parameter.type)] for parameter in related]
    for received in claim.facts.receives:
        if not all(assignable(received, type_) for type_ in types):
            where = f"what `{claim.system}` receives"
            checker.found.add(claim_errors.adjacency_type(value.relation, name, where, received, types[0], place))
            return


def _adjacency(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> AdjacencyDecl | None:
    """The adjacency that a clause names, with the arguments it must be given checked."""
    name, arguments = applied_name(node)
    if name is None:
        checker.found.add(claim_errors.not_an_adjacency(node, keyword))
        return None
    names = claim.scope.owner.names
    declaration = names.declared.get(name.text)
    if not isinstance(declaration, AdjacencyDecl):
        if names.complete or declaration is not None:
            candidates = names.of_kind(AdjacencyDecl)
            checker.found.add(name_errors.unknown_of_kind("adjacency", name, candidates, declaration))
        return None
    checker.bind(name, declaration)
    if not checker.ensure(declaration, name):
        return None
    related = input_parameters(checker.target, declaration)
    if not related or len(related) % 2:
        return None  # reported where it is declared
    given = given_parameters(checker.target, declaration)
    check_system_arguments(checker, node, arguments or (), given, name.text, claim.scope, related)
    return declaration


_Rule: TypeAlias = Callable[[Checker, Expr, str, ClaimContext], None]
"""Checks the expression after a keyword."""


def check_clause(checker: Checker, clause: Clause, claim: ClaimContext) -> None:
    """Checks what follows the keyword of a clause that the claim knows."""
    keyword = clause.keyword.text
    claim.scope.owner.advice = _advice(keyword, claim)
    match clause.value:
        case None:
            if keyword not in _BARE:
                checker.found.add(claim_errors.clause_without_value(clause))
        case Versus(left=left, right=right):
            for side in (left, right):
                _side(checker, side, keyword, claim)
        case Received():
            check_received(checker, clause.value, claim)
        case Filtered():
            _filtered(checker, clause.value, claim)
        case Observations(values=values):
            for value in values:
                _observation(checker, value, claim)
        case ForBinding():
            return  # bound before the other clauses were checked
        case value if keyword in _BARE:
            checker.found.add(claim_errors.wrong_clause_value(value, keyword, "nothing after it"))
        case value:
            _RULES[keyword](checker, value, keyword, claim)


def check_find_clause(checker: Checker, clause: Clause, scope: Scope) -> None:
    """Checks a clause of a find that names its claim: `expect`, `minimise` or `maximise`."""
    keyword, value = clause.keyword.text, clause.value
    if value is None:
        checker.found.add(claim_errors.clause_without_value(clause))
    elif isinstance(value, Versus | Received | Filtered | Observations | ForBinding):
        checker.found.add(claim_errors.wrong_clause_value(value, keyword, "an expression"))
    elif keyword == "expect":
        _expected(checker, value, keyword, ("found", "none"))
    else:
        checker.fitting(value, scope, REAL, f"`{keyword}`")


def _advice(keyword: str, claim: ClaimContext) -> str | None:
    """What to do about a name in a clause that means nothing."""
    if keyword == "secrets":
        unseen = not claim.priors and "prior" in claim.form.clauses
        return "secrets about more than the state need a `prior` that draws it" if unseen else None
    if keyword == "length":
        return "write a whole number, or `length any;` for every length"
    if keyword not in _NUMBERS or claim.form.kind == "distribution":
        return None
    return f"write a number such as `{_NUMBERS[keyword]}`, or declare the name as a `const` or a `param`"


_NUMBERS = {
    "epsilon": "ln(2)",
    "delta": "1/100",
    "equals": "1/2",
    "at least": "1/2",
    "at most": "1/2",
}
"""Clauses whose value is a number, with one that is often written."""

_BARE = frozenset({"one way", "posterior", "terminates"})
"""Clauses that consist of their keyword."""


def _side(checker: Checker, side: Expr, keyword: str, claim: ClaimContext) -> None:
    """One of two secrets, or one of two start distributions."""
    if keyword == "secrets":
        checker.fitting(side, claim.secret_scope, BOOL, "a secret")
    else:
        _start(checker, side, claim)


def _start(checker: Checker, node: Expr, claim: ClaimContext) -> None:
    states = claim.facts.state if claim.facts.is_table else None
    _distribution(checker, node, claim, claim.facts.start, f"a start of `{claim.system}`", Want(states=states))


def _distribution(
    checker: Checker, node: Expr, claim: ClaimContext, element: Type, what: str, want: Want = NOTHING
) -> None:
    """A distribution over values of a type, or one of them, which stands for the certain one."""
    wanted = DistributionType(element)
    actual = checker.expression(node, claim.scope, want.of(wanted))
    is_value = not has_distribution(actual) and assignable(actual, element)
    if not is_value and not assignable(actual, wanted):
        checker.found.add(type_errors.type_mismatch(node, what, wanted, actual))


def _epsilon(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    checker.fitting(node, claim.scope, REAL, f"`{keyword}`", Want(logarithms=True))


def _number(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    if claim.form.kind == "distribution":
        result = claim.facts.result
        if result is None:
            checker.found.add(claim_errors.returns_nothing(node, claim.system))
            return
        _distribution(checker, node, claim, result, f"what `{claim.system}` is compared with")
    else:
        checker.fitting(node, claim.scope, REAL, f"`{keyword}`")


def _whole_number(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    checker.fitting(node, claim.scope, INT, f"`{keyword}`")


def _length(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    if _is_word(checker, node, "any", claim.scope):
        return
    if isinstance(node, Range):
        checker.expression(node, claim.scope)
    else:
        checker.fitting(node, claim.scope, INT, f"`{keyword}`")


def _from(checker: Checker, node: Expr, _keyword: str, claim: ClaimContext) -> None:
    """`from any`, a condition on the start, or a distribution of starts."""
    if _is_word(checker, node, "any", claim.scope):
        return
    literal = isinstance(node, DistributionLiteral | DistributionComprehension)
    if literal or isinstance(checker.expression(node, claim.state_scope), DistributionType):
        _start(checker, node, claim)
    else:
        checker.fitting(node, claim.state_scope, BOOL, "`from`")


def _condition(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    checker.fitting(node, claim.state_scope, BOOL, f"`{keyword}`")


def _is_word(checker: Checker, node: Expr, word: str, scope: Scope) -> bool:
    """Whether the value is a word of the clause's own, not a name of the program."""
    if isinstance(node, Name) and node.text == word and scope.find(word) is None:
        checker.bind(node, Builtin(name=word))
        return True
    return False


def _expect(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    _expected(checker, node, keyword, ("found", "none") if claim.in_find else ("proved", "refuted"))


def _expected(checker: Checker, node: Expr, keyword: str, words: tuple[str, ...]) -> None:
    if isinstance(node, Name) and node.text in words:
        checker.bind(node, Builtin(name=node.text))
    else:
        checker.found.add(claim_errors.wrong_word(node, keyword, words))


def _adjacent(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> None:
    if not isinstance(claim.facts.declaration, AutomatonDecl):
        check_adjacent(checker, node, claim)
        return
    words = ("insert", "replace")
    if isinstance(node, Name) and node.text in words:
        checker.bind(node, Builtin(name=node.text))
    else:
        checker.found.add(claim_errors.wrong_word(node, keyword, words))


def _returns(checker: Checker, node: Expr, _keyword: str, claim: ClaimContext) -> None:
    result = claim.facts.result
    if result is None:
        checker.found.add(claim_errors.returns_nothing(node, claim.system))
        return
    _shown(checker, node, result, f"what `{claim.system}` returns", claim)


def _filtered(checker: Checker, value: Filtered, claim: ClaimContext) -> None:
    """`returns r where e`: r is the result."""
    result = claim.facts.result
    if result is None:
        checker.found.add(claim_errors.returns_nothing(value, claim.system))
    inner = claim.scope.inner()
    checker.declare(inner, "binder", value.variable, ERROR if result is None else result)
    checker.fitting(value.condition, inner, BOOL, "the condition after `where`")


def _observation(checker: Checker, node: Expr, claim: ClaimContext) -> None:
    """An observation, `_` for a missing one, or `never` for silence without end where it can be no observation."""
    if isinstance(node, Name) and node.text == "_":
        checker.bind(node, Builtin(name="_"))
        return
    output = claim.facts.output
    if output is None:
        checker.found.add(claim_errors.shows_nothing(node, claim.system))
        return
    if isinstance(node, Name) and node.text == "never" and not _may_be_shown(checker, node, output, claim.scope):
        checker.bind(node, Builtin(name="never"))
        return
    _shown(checker, node, output, "an observation", claim)


def _may_be_shown(checker: Checker, node: Name, output: Type, scope: Scope) -> bool:
    """Whether a name has a meaning of the type of the observations."""
    if _means_nothing(node.text, scope):
        return False
    kept, checker.found = checker.found, Diagnostics()
    actual = checker.expression(node, scope, Want(type=output))
    checker.found = kept
    return not isinstance(actual, ErrorType) and overlap(actual, output)


def _shown(checker: Checker, node: Expr, wanted: Type, what: str, claim: ClaimContext) -> None:
    """A value that the system may show; a name that means nothing is one that it never shows."""
    scope = claim.scope
    if isinstance(node, Name) and _means_nothing(node.text, scope):
        checker.found.add(name_errors.never_produced(node, claim.system, claim.facts.symbols))
        return
    actual = checker.expression(node, scope, Want(type=wanted))
    if not isinstance(actual, ErrorType) and not overlap(actual, wanted):
        checker.found.add(type_errors.type_mismatch(node, what, wanted, actual))


def _means_nothing(text: str, scope: Scope) -> bool:
    names = scope.owner.names
    if not names.complete or scope.find(text) is not None or text in scope.owner.letters:
        return False
    known = (*names.symbols, *names.declared, *BUILTIN_VALUES)
    return not names.is_value(text) and text not in known


def _prior(_checker: Checker, _node: Expr, _keyword: str, _claim: ClaimContext) -> None:
    """Checked before the other clauses, which see what it draws."""


_RULES: dict[str, _Rule] = {
    "epsilon": _epsilon,
    "delta": _number,
    "equals": _number,
    "at least": _number,
    "at most": _number,
    "minimise": _number,
    "maximise": _number,
    "within": _whole_number,
    "length": _length,
    "from": _from,
    "reach": _condition,
    "avoiding": _condition,
    "until": _condition,
    "expect": _expect,
    "adjacent": _adjacent,
    "returns": _returns,
    "prior": _prior,
}
"""What follows each keyword that is followed by an expression."""
