"""The rule of every kind of expression."""

from __future__ import annotations

from pfl.frontend import ast
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck.calls import check_call
from pfl.frontend.typecheck.checker import Checker, Rule, Want
from pfl.frontend.typecheck.collections import (
    check_array,
    check_bag,
    check_comprehension,
    check_distribution,
    check_distribution_comprehension,
    check_keyed_array,
    check_keyed_comprehension,
    check_set,
    check_set_filter,
    check_tuple,
)
from pfl.frontend.typecheck.fitting import BOOL, INT, REAL
from pfl.frontend.typecheck.matching import check_conditional, check_match, check_quantified
from pfl.frontend.typecheck.names import check_name
from pfl.frontend.typecheck.operators import check_binary, check_logical, check_operation, check_unary
from pfl.frontend.typecheck.parts import check_at, check_field, check_index, check_projection, check_with
from pfl.frontend.typecheck.written_types import check_range, check_type_as_value, check_union
from pfl.frontend.types import Type


def _number(_checker: Checker, node: ast.Number, _scope: Scope, _want: Want) -> Type:
    return INT if node.value.denominator == 1 else REAL


def _boolean(_checker: Checker, _node: ast.Boolean, _scope: Scope, _want: Want) -> Type:
    return BOOL


EXPRESSION_RULES: dict[type, Rule] = {
    ast.Name: check_name,
    ast.Number: _number,
    ast.Boolean: _boolean,
    ast.BuiltinType: check_type_as_value,
    ast.Operation: check_operation,
    ast.Logical: check_logical,
    ast.Unary: check_unary,
    ast.Binary: check_binary,
    ast.Range: check_range,
    ast.Union: check_union,
    ast.Call: check_call,
    ast.Index: check_index,
    ast.FieldAccess: check_field,
    ast.Projection: check_projection,
    ast.At: check_at,
    ast.Conditional: check_conditional,
    ast.Quantified: check_quantified,
    ast.Match: check_match,
    ast.TupleLiteral: check_tuple,
    ast.ArrayLiteral: check_array,
    ast.SetLiteral: check_set,
    ast.BagLiteral: check_bag,
    ast.Comprehension: check_comprehension,
    ast.SetFilter: check_set_filter,
    ast.DistributionLiteral: check_distribution,
    ast.DistributionComprehension: check_distribution_comprehension,
    ast.KeyedArray: check_keyed_array,
    ast.KeyedComprehension: check_keyed_comprehension,
    ast.With: check_with,
    ast.ArrayType: check_type_as_value,
    ast.SetType: check_type_as_value,
    ast.BagType: check_type_as_value,
    ast.MechanismType: check_type_as_value,
}
"""One entry for each member of the union `Expr`."""
