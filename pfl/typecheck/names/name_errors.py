"""What can be wrong with names.

What the standard library offers to a file that has not imported it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from pfl.base import codes
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.resources import stdlib_module, stdlib_names
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.spelling import closest, did_you_mean, look_alike
from pfl.syntax.tree.ast import DistributionLiteral, Identifier, Name, Node
from pfl.syntax.tree.ast_declarations import Assume, EnumDecl, Import, Param
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl, Module
from pfl.typecheck.bindings import EnumValue, Global, Local
from pfl.typecheck.names.scope import noun


def library_module_of(name: str) -> str | None:
    """The module, such as `std.noise`, that declares a name; None where none does. The library is read when asked."""
    return _declared().get(name)


@cache
def _declared() -> dict[str, str]:
    """Every name that the library declares, with its module; of two modules the first one."""
    found: dict[str, str] = {}
    for path in stdlib_names():
        file = stdlib_module(path)
        assert file is not None
        for declaration in parse_module(file)[0].declarations:
            if not isinstance(declaration, Import | Assume | ClaimDecl | FindDecl):
                found.setdefault(declaration.name.text, path)
    return found


LOCAL_NOUNS: dict[str, str] = {
    "parameter": "a parameter",
    "binder": "a bound variable",
    "loop": "the variable of a loop",
    "let": "a `let`",
    "var": "a `var`",
    "received": "a received value",
    "world": "drawn by the prior",
    "state": "a state variable",
    "input": "the input of a handler",
    "table-state": "a state",
    "action": "an action",
    "side": "a side of the relation",
}
"""What a local is, for `x is ..` and labels."""


def _did_you_mean(wrong: str, candidates: Iterable[str]) -> str | None:
    guess = closest(wrong, candidates)
    return did_you_mean(wrong, guess) if guess else None


def _declared_at(span: Span, text: str = "first declared here") -> Label:
    return Label(span, text)


def _unknown(
    code: Code, what: str, node: Name | Identifier, candidates: Iterable[str], otherwise: str | None
) -> Diagnostic:
    return Diagnostic.at(
        code,
        node.span,
        f"unknown {what} `{node.text}`",
        help=_import_of(node.text) or _did_you_mean(node.text, candidates) or _NUMBERS.get(node.text) or otherwise,
    )


_NUMBERS = {"e": "powers of the number e are written `exp(1)`, `exp(-eps)`"}


def _import_of(name: str) -> str | None:
    module = library_module_of(name)
    return f"`{module}` declares it: write `import {module};`" if module else None


def unknown_name(node: Name | Identifier, candidates: Iterable[str], otherwise: str | None = None) -> Diagnostic:
    return _unknown(codes.UNKNOWN_NAME, "name", node, candidates, otherwise)


def undeclared_place(node: Name, candidates: Iterable[str], otherwise: str | None) -> Diagnostic:
    """A name on the left of `=` or `~` that nothing declares."""
    return Diagnostic.at(
        codes.UNKNOWN_NAME,
        node.span,
        f"unknown name `{node.text}`",
        help=_did_you_mean(node.text, candidates) or otherwise,
    )


def unknown_function(node: Name, candidates: Iterable[str], otherwise: str | None = None) -> Diagnostic:
    return _unknown(codes.UNKNOWN_FUNCTION, "function", node, candidates, otherwise)


def unknown_type(node: Name, candidates: Iterable[str], otherwise: str | None) -> Diagnostic:
    return _unknown(codes.UNKNOWN_TYPE, "type", node, candidates, otherwise)


def unknown_of_kind(what: str, node: Name | Identifier, candidates: Iterable[str], means: Global | None) -> Diagnostic:
    """`what` is `hmm`, `prior`, `relation`, ...; `means` is what the name stands for instead."""
    if means is not None:
        return Diagnostic.at(
            codes.UNKNOWN_SYSTEM,
            node.span,
            f"`{node.text}` is {noun(means)}, not {_with_article(what)}",
            help=_did_you_mean(node.text, candidates),
        )
    return _unknown(codes.UNKNOWN_SYSTEM, what, node, candidates, None)


def unknown_state(node: Name | Identifier, system: str, states: Iterable[str]) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_STATE,
        node.span,
        f"`{node.text}` is not a state of `{system}`",
        help=_did_you_mean(node.text, states) or _the_ones("states are", states),
    )


def not_a_state(node: Node, system: str, states: Iterable[str]) -> Diagnostic:
    in_braces = isinstance(node, DistributionLiteral)
    return Diagnostic.at(
        codes.UNKNOWN_STATE,
        node.span,
        f"a state of `{system}` stands here by its name",
        help="write the row without braces: `-> a: 1/2, b: 1/2;`" if in_braces else _the_ones("states are", states),
    )


def unknown_action(node: Identifier, what: str, system: str, actions: Iterable[str]) -> Diagnostic:
    """`what` is `a query`, `a data channel` or `an action`."""
    return Diagnostic.at(
        codes.UNKNOWN_ACTION,
        node.span,
        f"`{node.text}` is not {what} of `{system}`",
        help=_did_you_mean(node.text, actions) or _the_ones("declared ones are", actions),
    )


def unknown_field(node: Identifier, of: str, fields: Iterable[str]) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_FIELD,
        node.span,
        f"{of} has no field `{node.text}`",
        help=_did_you_mean(node.text, fields) or _the_ones("fields are", fields),
    )


def undeclared_letter(node: Name, system: str, letters: Iterable[str]) -> Diagnostic:
    return Diagnostic.at(
        codes.UNDECLARED_LETTER,
        node.span,
        f"`{node.text}` is not among the declared outputs of `{system}`",
        help=_did_you_mean(node.text, letters) or "add it to the declared outputs, or to the type of its place",
    )


def never_produced(node: Name, system: str, letters: Iterable[str]) -> Diagnostic:
    return Diagnostic.at(
        codes.UNKNOWN_NAME,
        node.span,
        f"`{system}` never shows `{node.text}`",
        help=_did_you_mean(node.text, letters) or _the_ones("symbols it shows are", letters),
    )


def likely_misspelling(node: Name, other: Name) -> Diagnostic:
    return Diagnostic.at(
        codes.LIKELY_MISSPELLING,
        node.span,
        f"the symbol `{node.text}` occurs once, and is one edit away from `{other.text}`",
        Label(other.span, "another symbol"),
        label="a symbol of its own",
        help=f"write `{other.text}` if it is meant, or declare the outputs",
    )


def look_alikes(node: Name, other: Name) -> Diagnostic:
    """Two symbols that cannot be told apart by eye."""
    return Diagnostic.at(
        codes.LIKELY_MISSPELLING,
        node.span,
        f"the symbols `{node.text}` and `{other.text}` look alike, and are two",
        Label(other.span, "another symbol"),
        label="a symbol of its own",
        help=look_alike(node.text, other.text),
    )


def not_offered(node: Name, advice: str) -> Diagnostic:
    return Diagnostic.at(codes.NOT_OFFERED, node.span, f"`{node.text}` is not a function of PFL", help=advice)


def infinity(node: Name) -> Diagnostic:
    return Diagnostic.at(
        codes.INTERVAL_WITHOUT_END,
        node.span,
        "`inf` is no number",
        label="it stands alone, as the upper end of the interval of a parameter, and nowhere else",
        help="write `param eps in (0, inf);` for any number above 0; elsewhere a number is needed, such as `10^6`",
    )


def infinity_declared(node: Param) -> Diagnostic:
    return Diagnostic.at(
        codes.INTERVAL_WITHOUT_END,
        node.span,
        f"the interval of `{node.name.text}` ends in `inf`, which is also the name of something that is declared",
        label="this is an interval without an upper end",
        help="give what is declared another name",
    )


def not_a_value(node: Name, what: str, advice: str | None) -> Diagnostic:
    return Diagnostic.at(codes.NOT_A_VALUE, node.span, f"`{node.text}` is {what}, not a value", help=advice)


def not_a_function(node: Node, what: str, advice: str | None = None) -> Diagnostic:
    """`what` says what is called: `x` is a parameter."""
    return Diagnostic.at(codes.NOT_A_FUNCTION, node.span, f"{what}, not a function", help=advice)


def declared_twice(name: Identifier, earlier: Global) -> Diagnostic:
    assert not isinstance(earlier, ClaimDecl | FindDecl)
    return Diagnostic.at(
        codes.DECLARED_TWICE, name.span, f"`{name.text}` is declared twice", _declared_at(earlier.name.span)
    )


def enum_value_twice(name: Identifier, earlier: EnumValue) -> Diagnostic:
    enum = earlier.declaration
    return Diagnostic.at(
        codes.DECLARED_TWICE,
        name.span,
        f"`{name.text}` is already a value of enum `{enum.name.text}`",
        _declared_at(enum.values[earlier.position].span),
        help="enum values are names of the whole file: rename one of them",
    )


def enum_value_has_other_meaning(text: str, enum: EnumDecl, other: Global, module: Module) -> Diagnostic:
    assert not isinstance(other, ClaimDecl | FindDecl)
    value = next(value for value in enum.values if value.text == text)
    places = [Label(value.span, f"a value of enum `{enum.name.text}`"), Label(other.name.span, noun(other))]
    if places[0].span.file.name != module.file.name:
        places.reverse()
    return Diagnostic(
        code=codes.DECLARED_TWICE,
        message=f"`{text}` is both a value of enum `{enum.name.text}` and {noun(other)}",
        labels=tuple(places),
    )


def ambiguous_enum_value(node: Name, values: Iterable[EnumValue]) -> Diagnostic:
    enums = [value.declaration for value in values]
    return Diagnostic.at(
        codes.AMBIGUOUS_ENUM_VALUE,
        node.span,
        f"`{node.text}` is a value of " + " and of ".join(f"enum `{enum.name.text}`" for enum in enums),
        *(Label(enum.name.span, f"in {enum.name.span.file.name}") for enum in enums),
        help="import only one of them: `import .. { names };`",
    )


def listed_twice(name: Node, earlier: Span, where: str) -> Diagnostic:
    return Diagnostic.at(
        codes.LISTED_TWICE,
        name.span,
        f"`{name.span.text}` is listed twice in {where}",
        _declared_at(earlier, "first listed here"),
    )


def hides_builtin(name: Identifier) -> Diagnostic:
    return Diagnostic.at(
        codes.HIDES_BUILTIN, name.span, f"`{name.text}` is a built-in function", help="choose another name"
    )


def local_hides_local(name: Identifier, earlier: Local) -> Diagnostic:
    return Diagnostic.at(
        codes.LOCAL_HIDES_LOCAL,
        name.span,
        f"`{name.text}` is already a name here",
        _declared_at(earlier.name.span, LOCAL_NOUNS[earlier.kind]),
        help="choose another name",
    )


def hides_enum_value(name: Identifier, value: EnumValue) -> Diagnostic:
    enum = value.declaration
    return Diagnostic.at(
        codes.HIDES_ENUM_VALUE,
        name.span,
        f"`{name.text}` is a value of enum `{enum.name.text}`",
        Label(enum.values[value.position].span, "the enum value"),
        help="choose another name: a local may not hide an enum value",
    )


def circular_definition(node: Node, names: tuple[str, ...], is_call: bool) -> Diagnostic:
    """`names` are the declarations round the circle, the first one not repeated."""
    verb = "calls" if is_call else "depends on"
    chain = f"`{names[0]}` {verb} " + f", which {verb} ".join(f"`{name}`" for name in (*names[1:], names[0]))
    return Diagnostic.at(
        codes.CIRCULAR_DEFINITION,
        node.span,
        f"`{names[0]}` {verb} itself" if len(names) == 1 else chain,
        help="nothing recurses: use a loop or a comprehension" if is_call else None,
    )


def imported_name_not_found(name: Identifier, path: str, exported: Mapping[str, Global]) -> Diagnostic:
    return Diagnostic.at(
        codes.IMPORTED_NAME_NOT_FOUND,
        name.span,
        f"`{path}` does not declare `{name.text}`",
        help=_did_you_mean(name.text, exported) or _the_ones("declarations are", exported),
    )


def imported_name_clash(
    declaration: Import, listed: Identifier | None, text: str, earlier: Global, *, is_own: bool
) -> Diagnostic:
    assert not isinstance(earlier, ClaimDecl | FindDecl)
    place = (listed or declaration).span
    return Diagnostic.at(
        codes.IMPORTED_NAME_CLASH,
        place,
        f"`{text}` of `{declaration.path}` is "
        + ("also declared in this file" if is_own else "also imported from another module"),
        _declared_at(earlier.name.span, "the other declaration"),
        help=f"import it under another name: `{{ {text} as other }}`",
    )


def claim_named_twice(label: Identifier, earlier: ClaimDecl | FindDecl) -> Diagnostic:
    return Diagnostic.at(
        codes.CLAIM_NAME_TWICE,
        label.span,
        f"there are two claims named `{label.text}`",
        _declared_at((earlier.label or earlier).span),
    )


def _with_article(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" or what.startswith("hmm") else f"a {what}"


def _the_ones(intro: str, names: Iterable[str]) -> str | None:
    listed = list(dict.fromkeys(names))
    if not listed or len(listed) > 12:
        return None
    return f"the {intro} " + ", ".join(f"`{name}`" for name in listed)
