"""Where values that depend on parameters may stand, and what is then asked of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pfl.base.source import Span
from pfl.frontend.compile.fragment import call
from pfl.frontend.types import ArrayType, BagType, RealType, RecordType, SetType, TupleType, Type, UnionType

if TYPE_CHECKING:
    from pfl.frontend.compile.translate import Translator


def may_hold_parameters(t: Translator, static: Type) -> bool:
    """Whether a value of a static type can contain a number that depends on a parameter."""
    if not t.linkage.globals.has_parameters:
        return False
    match static:
        case RealType() | RecordType():
            return True
        case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
            return may_hold_parameters(t, element)
        case TupleType(elements=parts) | UnionType(members=parts):
            return any(may_hold_parameters(t, part) for part in parts)
        case _:
            return False


def settled(t: Translator, static: Type, span: Span, tree: ast.expr) -> ast.expr:
    """Elements of a static type that are to be told apart: a fault where their values would decide how many there
    are."""
    return call("_settled", tree, t.namespace.object(span)) if may_hold_parameters(t, static) else tree
