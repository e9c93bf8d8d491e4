"""What the names of a program mean, and what types its expressions have: the product of resolving and typechecking.

Trees are never changed: both are tables beside the tree, keyed by the identity of
a node (equal trees at two places may mean different things).

Which parameters of a system a claim gives a value to, and which are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast import (
    ArrayType,
    BagType,
    BuiltinType,
    Expr,
    Identifier,
    MechanismType,
    Name,
    Node,
    SetType,
    TupleLiteral,
    Union,
)
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    AutomatonDecl,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    HmmDecl,
    MechanismDecl,
    Param,
    Parameter,
    PriorDecl,
    RecordDecl,
    RelationDecl,
    TypeDecl,
)
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl, Module
from pfl.typecheck.types import Type

Global: TypeAlias = (
    Const
    | Param
    | EnumDecl
    | TypeDecl
    | RecordDecl
    | FnDecl
    | DistDecl
    | HmmDecl
    | PriorDecl
    | MechanismDecl
    | AdjacencyDecl
    | AutomatonDecl
    | RelationDecl
    | ClaimDecl
    | FindDecl
)
"""What a name at the top of a file can mean. Claims and finds live in a namespace of their own."""

LocalKind: TypeAlias = Literal[
    "parameter",  # of a function, distribution, system, prior, adjacency, relation
    "binder",  # of forall, exists, a comprehension, `for x in S;` in a claim, `returns r where`
    "loop",  # of a `for` statement
    "let",
    "var",
    "received",
    "world",  # declared by drawing in a prior
    "state",  # a state variable of an hmm or an automaton
    "input",  # the data point or query of a handler
    "table-state",  # a state of an hmm or automaton in table form: a predicate on the system's state
    "action",  # of an automaton in table form
    "side",  # `left` and `right` in a relation: a tuple of the state variables; in table form, the state's name
]


@struct(eq=False)
class Local:
    """A name that is known in one system, function, claim or block. Compared by identity."""

    kind: LocalKind
    name: Identifier
    type: Type


@struct
class EnumValue:
    """`sick` of `enum Health { well, sick }`."""

    declaration: EnumDecl
    position: int


@struct
class Symbol:
    """A name that stands for itself: listed by a type `{bot, top}`, or undeclared as a key or a whole emitted value."""

    name: str


@struct
class Builtin:
    """`size`, `sum`, `uniform`, `bernoulli`, `ln`, `empty`, `silent`, ...

    Also the words of clauses that are names to the parser (`any`, `insert`, `replace`, `proved`, `refuted`, `found`,
    `none`), `_` and `never` among observations, and `start` in `start ~ d;` of a prior, which is an `Assign` to that
    name and sets all state variables at once (a tuple of them as declared; in table form, the state by its name).
    """

    name: str


Target: TypeAlias = Global | Local | EnumValue | Symbol | Builtin


@struct(eq=False)
class CheckedProgram:
    """Modules that were parsed, resolved and typechecked without an error.

    `modules` are in order of import, the file that was asked for last. `globals` maps
    the names visible in a module (by file name) to their declarations, imports and
    aliases included.
    """

    modules: tuple[Module, ...]
    globals: dict[str, dict[str, Global]]
    _targets: dict[int, Target] = field(repr=False)
    _types: dict[int, Type] = field(repr=False)

    @property
    def main(self) -> Module:
        return self.modules[-1]

    def calls_any(self, builtins: Collection[str]) -> bool:
        """Whether some module mentions one of these built-in functions."""
        return any(isinstance(target, Builtin) and target.name in builtins for target in self._targets.values())

    def target(self, node: Node) -> Target:
        """What a `Name`, or an `Identifier` that refers to something, means. Raises KeyError for any other node.

        In the secrets of a claim with several priors, a name that they draw means the local of the first one.
        The name of a table's state is its `Local` also where it stands for the state itself (a key, a start, a target);
        its type is then a symbol, and bool where it is the predicate.
        """
        return self._targets[id(node)]

    def target_or_none(self, node: Node) -> Target | None:
        """What a name refers to; None for a node that refers to nothing."""
        return self._targets.get(id(node))

    def local(self, declared: Identifier) -> Local:
        """The local that an identifier declares (a `let`, a parameter, a state variable, ...)."""
        target = self._targets[id(declared)]
        assert isinstance(target, Local)
        return target

    def type_of(self, node: Node) -> Type:
        """The static type of an expression. Raises KeyError for a node that is not one.

        A written type (after `:`, `of`, `over`, `->`, `emits`) has the type it denotes. The
        same text as a domain (`x in 0..2`, `uniform(Health)`) is a value: the set of its elements.
        """
        return self._types[id(node)]

    def claims(self) -> Iterator[ClaimDecl | FindDecl]:
        """The claims of the file that was asked for, in the order of the source."""
        for declaration in self.main.declarations:
            if isinstance(declaration, ClaimDecl | FindDecl):
                yield declaration


Targets: TypeAlias = Callable[[Node], Target | None]
"""What a name means: `CheckedProgram.target`."""

Parametric: TypeAlias = HmmDecl | MechanismDecl | AutomatonDecl | PriorDecl | AdjacencyDecl | RelationDecl


def given_parameters(target: Targets, declaration: Parametric) -> tuple[Parameter, ...]:
    """The parameters that a claim must give, in order: all of an hmm, a prior, an automaton; of a mechanism or an
    adjacency, those marked `const` and those whose type has infinitely many values (`int`, `real`, mechanisms)."""
    if not isinstance(declaration, MechanismDecl | AdjacencyDecl):
        return declaration.parameters
    return tuple(
        parameter for parameter in declaration.parameters if parameter.is_const or is_endless(target, parameter.type)
    )


def input_parameters(target: Targets, declaration: MechanismDecl | AdjacencyDecl) -> tuple[Parameter, ...]:
    """The parameters that range over all values of their types: what an adjacency relates."""
    given = given_parameters(target, declaration)
    return tuple(parameter for parameter in declaration.parameters if parameter not in given)


def is_endless(target: Targets, type_expr: Expr) -> bool:
    """Whether a type has infinitely many values, if it has any; each declaration that it leads to is looked at once."""
    pending, seen = [type_expr], set[int]()
    while pending:
        match pending.pop():
            case BuiltinType(name="int" | "real") | MechanismType():
                return True
            case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
                pending.append(element)
            case TupleLiteral(elements=parts) | Union(members=parts):
                pending.extend(parts)
            case Name() as name:
                declaration = target(name)
                if id(declaration) in seen:
                    continue
                seen.add(id(declaration))
                match declaration:
                    case TypeDecl(type=type_):
                        pending.append(type_)
                    case RecordDecl(fields=fields):
                        pending.extend(field.type for field in fields)
    return False
