"""The part of a program that has nothing to do with its faults, which can be looked at further in the same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pfl.base.diagnostics import Diagnostic
from pfl.syntax.modules import LoadedModules
from pfl.syntax.tree.ast import Identifier, Name
from pfl.syntax.tree.ast_declarations import Assume, EnumDecl, Import, Param
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl, TopLevel
from pfl.syntax.tree.tree_walk import descendants


def sound_part(loaded: LoadedModules, found: Iterable[Diagnostic]) -> LoadedModules | None:
    """The program without the declarations that have an error, without all that may mention one of them, and without
    claims. None where an import failed, an error is in an imported file, or nothing is left to leave out.

    A name may mean one of the declarations left out if it is spelled like it; that is reason enough to leave out what
    has the name, so that nothing here is at fault only for want of the others. What did not parse may have been an
    assumption, so then all that mentions a parameter is left out.
    """
    main = loaded.main
    errors = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
    if any(error.file_name != main.file.name or not error.labels or _is_of_files(error) for error in errors):
        return None
    places = [error.labels[0].span.start for error in errors]
    kept = [each for each in main.declarations if not isinstance(each, ClaimDecl | FindDecl)]
    faulty = [each for each in kept if any(each.span.start <= place < each.span.end for place in places)]
    unread = main.file.name in loaded.incomplete
    faulty += [each for each in kept if unread and isinstance(each, Param) and each not in faulty]
    if any(isinstance(declaration, Import) for declaration in faulty) or not (faulty or unread):
        return None
    tainted: set[str] = set()
    while faulty:
        for declaration in faulty:
            tainted |= _given(declaration)
        kept = [declaration for declaration in kept if declaration not in faulty]
        faulty = [declaration for declaration in kept if not tainted.isdisjoint(_mentioned(declaration))]
    reduced = replace(main, declarations=tuple(kept))
    return replace(loaded, modules=(*loaded.modules[:-1], reduced), incomplete=frozenset(), diagnostics=())


def _is_of_files(error: Diagnostic) -> bool:
    """Whether a file could not be read or found: then names may be missing without being at fault."""
    return error.code.number < 100


def _given(declaration: TopLevel) -> set[str]:
    """The names that would mean something else without a declaration. An assumption says what its parameters are."""
    if isinstance(declaration, Assume):
        return _mentioned(declaration)
    if isinstance(declaration, Import | ClaimDecl | FindDecl):
        return set()
    values = declaration.values if isinstance(declaration, EnumDecl) else ()
    return {declaration.name.text, *(value.text for value in values)}


def _mentioned(declaration: TopLevel) -> set[str]:
    return {node.text for node in descendants(declaration) if isinstance(node, Name | Identifier)}
