"""Loads a file and everything that it imports, each once, imported files first."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected, Label
from pfl.base.source import SourceFile
from pfl.frontend.ast_globals import Import
from pfl.frontend.ast_module import Module
from pfl.frontend.importing import ImportRefused, check_path
from pfl.frontend.parser import parse_module
from pfl.frontend.resolve.spelling import closest
from pfl.resources import stdlib_module, stdlib_names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadedModules:
    """Parsed files in order of import, the file that was asked for last.

    `imports` maps the identity of an `Import` to the module it means; an import that failed is not in it.
    `incomplete` are the names of files that did not parse or whose imports failed: they may lack names
    without being at fault.
    """

    modules: tuple[Module, ...]
    imports: dict[int, Module]
    incomplete: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def main(self) -> Module:
        return self.modules[-1]


def load_program(file: SourceFile, read: Callable[[str], SourceFile]) -> LoadedModules:
    """The file with all that it imports, and every diagnostic of reading and parsing them.

    `read` is given the location of an imported file: its path as seen from the folder of the main file, normal by its
    text. Of one file it returns one name, however it is asked for. It raises ImportRefused where the file may not be
    imported, OSError where it cannot be read, and InputRejected where its text is unusable.
    """
    loading = _Loading(read)
    location = posixpath.basename(file.name)
    loading.files[location] = file
    loading.load(file, location, ())
    return LoadedModules(
        modules=tuple(loading.modules.values()),
        imports=loading.imports,
        incomplete=frozenset(loading.incomplete),
        diagnostics=loading.found.sorted(),
    )


@dataclass(slots=True)
class _Loading:
    read: Callable[[str], SourceFile]
    files: dict[str, SourceFile | None] = field(default_factory=dict)
    """By location; None where reading failed."""
    modules: dict[str, Module] = field(default_factory=dict)
    """By the name of the file."""
    imports: dict[int, Module] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)
    found: Diagnostics = field(default_factory=Diagnostics)

    def load(self, file: SourceFile, location: str, around: tuple[str, ...]) -> Module:
        """Parses a file and everything that it imports; `around` names the files that are being loaded around it."""
        module, diagnostics = parse_module(file)
        self.found.extend(diagnostics)
        if any(diagnostic.severity == "error" for diagnostic in diagnostics):
            self.incomplete.add(file.name)
        for declaration in module.declarations:
            if isinstance(declaration, Import):
                imported = self._imported(declaration, location, (*around, file.name))
                if imported is None:
                    self.incomplete.add(file.name)
                else:
                    self.imports[id(declaration)] = imported
        self.modules[file.name] = module
        return module

    def _imported(self, declaration: Import, importing: str, around: tuple[str, ...]) -> Module | None:
        """The module that an import in the file at a location means; None, and a report, where there is none."""
        if declaration.is_file:
            location = posixpath.normpath(posixpath.join(posixpath.dirname(importing), declaration.path))
            file = self._file(declaration, location)
        else:
            file = stdlib_module(declaration.path)
            location = "" if file is None else file.name
            if file is None:
                self.found.add(_no_such_module(declaration))
        if file is None:
            return None
        if file.name in around:
            self.found.add(_import_cycle(declaration, around[around.index(file.name) :]))
            return None
        if file.name in self.modules:
            return self.modules[file.name]
        return self.load(file, file.location or location, around)

    def _file(self, declaration: Import, location: str) -> SourceFile | None:
        """The file that an import means; None, and a report, where it may not or cannot be read."""
        try:
            check_path(declaration.path)
            if location not in self.files:
                self.files[location] = None
                self.files[location] = self.read(location)
        except ImportRefused as refused:
            self.found.add(_refused(declaration, str(refused)))
            return None
        except OSError as error:
            self.found.add(_no_such_file(declaration, location, error.strerror or "it cannot be read"))
        except InputRejected as rejected:
            self.found.extend(rejected.diagnostics)
        return self.files[location]


def _no_such_module(declaration: Import) -> Diagnostic:
    known = stdlib_names()
    guess = closest(declaration.path, known)
    *parts, last = declaration.path.split(".")
    if ".".join(parts) in known:
        guess = f"{'.'.join(parts)} {{ {last} }}"
    return Diagnostic(
        code=codes.MODULE_NOT_FOUND,
        message=f"there is no module `{declaration.path}` in the standard library",
        labels=(Label(declaration.span),),
        help=f"did you mean `import {guess};`?"
        if guess
        else f"the modules are {', '.join(f'`{name}`' for name in known)}",
    )


def _refused(declaration: Import, reason: str) -> Diagnostic:
    """Says nothing of what is at the path, nor whether there is anything."""
    where = "imports are `.pfl` files in the folder of the file that is checked, or in that of `--root DIR`"
    return Diagnostic(
        code=codes.IMPORT_REFUSED,
        message=f'the import "{declaration.path}" is refused',
        labels=(Label(declaration.span, reason),),
        help=_other_spelling(declaration.path) or where,
    )


def _other_spelling(path: str) -> str | None:
    """How an import is written that is meant by what stands between the quotes; None where it is written as it is."""
    if path in stdlib_names():
        return f"write `import {path};` without quotes"
    with_slashes = path.replace("\\", "/")
    if with_slashes != path and not with_slashes.startswith("/") and ":" not in path:
        return f'write `import "{with_slashes}";`'
    return None


def _no_such_file(declaration: Import, path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MODULE_NOT_FOUND,
        message=f'cannot read the imported file "{declaration.path}"',
        labels=(Label(declaration.span, f"{path}: {reason.lower()}"),),
        help=_other_spelling(declaration.path) or "the path is relative to the file that imports",
    )


def _import_cycle(declaration: Import, cycle: tuple[str, ...]) -> Diagnostic:
    chain = " imports ".join(f"`{name}`" for name in (*cycle, cycle[0]))
    through = "itself" if len(cycle) == 1 else "itself through other files"
    return Diagnostic(
        code=codes.IMPORT_CYCLE,
        message=f"`{cycle[0]}` imports {through}",
        labels=(Label(declaration.span, "this import closes the circle"),),
        notes=(chain,),
        help="move what both files need into a third one",
    )
