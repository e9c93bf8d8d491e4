"""`find`: the claim it is about, and which parameters are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.analysis.polynomial.elimination import reduce_others
from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.multiples import products
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.evaluation.globals.unmet import conditions_on
from pfl.lower.exponents import require_findable
from pfl.lower.request import Session
from pfl.model.claims import Case, Search, mentioned_parameters
from pfl.model.compare import Compare
from pfl.model.parameters import NO_PARAMETERS, Condition, ExponentialSpace, ParameterSpace, Space
from pfl.syntax.tree.ast import Expr, Identifier
from pfl.syntax.tree.ast_module import Clause, FindDecl


def synthesis(
    session: Session,
    declaration: FindDecl,
    question: Compare,
    clauses: Sequence[Clause],
    exceptional: Sequence[Condition],
    exponents: Space | None,
) -> Search:
    """The question of a find: values of its names for which the claim holds for all values of the other parameters.

    Names that `--set` fixes are not looked for. Over `exponents` that are no independent parameters, only the factor of
    their parameter in epsilons is. Raises InputRejected as `require_findable`.
    """
    require_findable(exponents, (Case(question=question),), session.values, declaration)
    space = question.parameters
    objective: Number | None = None
    direction: Literal["minimise", "maximise"] | None = None
    for clause in clauses:
        match clause.keyword.text:
            case "minimise" | "maximise" as word:
                assert isinstance(clause.value, Expr)
                objective, direction = session.compiler.number(clause.value)(), word
            case _:
                continue
    of_objective = objective.parameters if isinstance(objective, RationalFunction) else ()
    mentioned = mentioned_parameters(question)
    multiples = frozenset(each.factors[0] for each in products(mentioned) if each.factors is not None)
    looked_for = multiples if isinstance(exponents, ExponentialSpace) else space.names
    sought = [name for name in declaration.names if name.text in looked_for]
    relevant = space.relevant_to(mentioned.union(multiples, of_objective)).names
    for name in sought:  # where a claim is judged apart it may depend on others, and a skipped pair is told already
        if name.text not in relevant and not exceptional and not question.skipped:
            session.found.add(_found_in_vain(name))
    return Search(
        names=tuple(name.text for name in sought),
        claim=question,
        factors=_values_of(multiples, session),
        objective=objective,
        direction=direction,
    )


def _values_of(names: frozenset[str], session: Session) -> ParameterSpace:
    """The values of names that stand in nothing but what the space of parameters itself says, none without names."""
    if not names:
        return NO_PARAMETERS
    conditions = conditions_on(session.values, names)
    return reduce_others(session.values.space.restricted(*conditions), tuple(names)).space.relevant_to(names)


def _found_in_vain(name: Identifier) -> Diagnostic:
    return Diagnostic(
        code=codes.FOUND_IN_VAIN,
        message=f"the claim does not depend on `{name.text}`",
        labels=(Label(name.span, "any value does, or none"),),
        help="name a param that the system, a prior or a clause mentions",
    )
