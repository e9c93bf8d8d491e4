"""Builds the table of names of every module, and reports what is declared or imported twice."""

from __future__ import annotations

from collections.abc import Iterator

from pfl.base.diagnostics import Diagnostics
from pfl.syntax.modules import LoadedModules
from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_declarations import Assume, Const, EnumDecl, Import, Param, RecordDecl, TypeDecl
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl
from pfl.syntax.tree.vocabulary import BUILTIN_FUNCTIONS, GIVING_WAY
from pfl.typecheck.bindings import EnumValue, Global
from pfl.typecheck.names import name_errors as errors
from pfl.typecheck.names.scope import Function, ModuleNames, listed_names


def collect_names(loaded: LoadedModules, found: Diagnostics) -> dict[str, ModuleNames]:
    """The names of every module, by file name."""
    tables: dict[str, ModuleNames] = {}
    own: dict[str, dict[str, Global]] = {}
    for module in loaded.modules:
        table = ModuleNames(module=module, complete=module.file.name not in loaded.incomplete)
        own[module.file.name] = _declare_own(table, found)
        for declaration in module.declarations:
            if isinstance(declaration, Import) and (imported := loaded.imports.get(id(declaration))) is not None:
                exported = own[imported.file.name]
                table.complete &= tables[imported.file.name].complete
                for identifier, text, target in _imported(declaration, exported, table.complete, found):
                    _import(table, declaration, identifier, text, target, own[module.file.name], found)
        _collect_values(table, found)
        tables[module.file.name] = table
    return tables


def _declare_own(table: ModuleNames, found: Diagnostics) -> dict[str, Global]:
    """Puts a module's own declarations into its table, and returns them."""
    own: dict[str, Global] = {}
    for declaration in table.module.declarations:
        if isinstance(declaration, ClaimDecl | FindDecl):
            _declare_claim(table, declaration, found)
            continue
        if isinstance(declaration, Import | Assume):
            continue
        name = declaration.name
        if isinstance(declaration, Function) and name.text in BUILTIN_FUNCTIONS - GIVING_WAY:
            found.add(errors.hides_builtin(name))
        elif (earlier := own.get(name.text)) is not None:
            found.add(errors.declared_twice(name, earlier))
        else:
            own[name.text] = declaration
        if isinstance(declaration, EnumDecl):
            _report_doubles(declaration.values, f"enum `{name.text}`", found)
    table.declared.update(own)
    return own


def _declare_claim(table: ModuleNames, declaration: ClaimDecl | FindDecl, found: Diagnostics) -> None:
    labels = [declaration.label]
    if isinstance(declaration, FindDecl) and isinstance(declaration.target, ClaimDecl):
        labels.append(declaration.target.label)
    for label in labels:
        if label is None:
            continue
        if label.text in table.claims:
            found.add(errors.claim_named_twice(label, table.claims[label.text]))
        else:
            table.claims[label.text] = declaration


def _report_doubles(names: tuple[Identifier, ...], where: str, found: Diagnostics) -> None:
    first: dict[str, Identifier] = {}
    for name in names:
        if name.text in first:
            found.add(errors.listed_twice(name, first[name.text].span, where))
        first.setdefault(name.text, name)


def _imported(
    declaration: Import, exported: dict[str, Global], complete: bool, found: Diagnostics
) -> Iterator[tuple[Identifier | None, str, Global]]:
    """What an import brings: where it is listed, the name it gets, and what it is."""
    if declaration.names is None:
        for text, target in exported.items():
            yield None, text, target
        return
    for listed in declaration.names:
        name = listed.alias or listed.name
        if listed.name.text in exported:
            yield name, name.text, exported[listed.name.text]
        elif complete:
            found.add(errors.imported_name_not_found(listed.name, declaration.path, exported))


def _import(
    table: ModuleNames,
    declaration: Import,
    identifier: Identifier | None,
    text: str,
    target: Global,
    own: dict[str, Global],
    found: Diagnostics,
) -> None:
    earlier = table.declared.get(text)
    if isinstance(target, Function) and text in BUILTIN_FUNCTIONS - GIVING_WAY and identifier is not None:
        found.add(errors.hides_builtin(identifier))
    elif earlier is None:
        table.declared[text] = target
    elif earlier is not target:
        found.add(errors.imported_name_clash(declaration, identifier, text, earlier, is_own=text in own))


def _collect_values(table: ModuleNames, found: Diagnostics) -> None:
    """The enum values and symbols of everything that is visible."""
    seen: set[int] = set()
    for declaration in table.declared.values():
        if id(declaration) in seen:
            continue
        seen.add(id(declaration))
        match declaration:
            case EnumDecl(values=values):
                for position, name in enumerate(values):
                    _add_enum_value(table, name, EnumValue(declaration=declaration, position=position), found)
            case TypeDecl(type=type_expr):
                table.symbols.update(name.text for name in listed_names(type_expr))
            case RecordDecl(fields=fields):
                table.symbols.update(name.text for field in fields for name in listed_names(field.type))
            case _:
                pass
    for text, declaration in table.declared.items():
        if text in table.enum_values and _is_value(declaration):
            enum = table.enum_values[text][0].declaration
            found.add(errors.enum_value_has_other_meaning(text, enum, declaration, table.module))


def _add_enum_value(table: ModuleNames, name: Identifier, value: EnumValue, found: Diagnostics) -> None:
    entries = table.enum_values.setdefault(name.text, [])
    if any(entry.declaration is value.declaration for entry in entries):
        return
    if entries and all(entry.declaration.span.file is table.module.file for entry in (*entries, value)):
        found.add(errors.enum_value_twice(name, entries[0]))
    else:
        entries.append(value)


def _is_value(declaration: Global) -> bool:
    """Whether a declaration's name means something where a value or a domain stands."""
    return isinstance(declaration, Const | Param | EnumDecl | TypeDecl | RecordDecl)
