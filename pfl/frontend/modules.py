"""Loads a file and everything that it imports, each once, imported files first."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from dataclasses import dataclass, field

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected, Label
from pfl.base.source import SourceFile
from pfl.frontend.ast_globals import Import
from pfl.frontend.ast_module import Module
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

    `read` is given the path of an imported file, as seen from the folder that the main file's name is relative to. It
    raises OSError where there is no such file, and InputRejected where its text is unusable.
    """
    loading = _Loading(read)
    loading.load(file, ())
    return LoadedModules(
        modules=tuple(loading.modules.values()),
        imports=loading.imports,
        incomplete=frozenset(loading.incomplete),
        diagnostics=loading.found.sorted(),
    )


@dataclass(slots=True)
class _Loading:
    read: Callable[[str], SourceFile]
    modules: dict[str, Module] = field(default_factory=dict)
    imports: dict[int, Module] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)
    found: Diagnostics = field(default_factory=Diagnostics)
    failed: set[str] = field(default_factory=set)

    def load(self, file: SourceFile, around: tuple[str, ...]) -> Module:
        """Parses a file and everything that it imports; `around` are the files that are being loaded around it."""
        module, diagnostics = parse_module(file)
        self.found.extend(diagnostics)
        if any(diagnostic.severity == "error" for diagnostic in diagnostics):
            self.incomplete.add(file.name)
        for declaration in module.declarations:
            if isinstance(declaration, Import):
                imported = self._imported(declaration, (*around, os.path.normpath(file.name)))
                if imported is None:
                    self.incomplete.add(file.name)
                else:
                    self.imports[id(declaration)] = imported
        self.modules[os.path.normpath(file.name)] = module
        return module

    def _imported(self, declaration: Import, around: tuple[str, ...]) -> Module | None:
        """The module that an import means; None, and a report, where there is none."""
        if not declaration.is_file:
            file = stdlib_module(declaration.path)
            if file is None:
                self.found.add(_no_such_module(declaration))
                return None
            path = os.path.normpath(file.name)
        else:
            path = os.path.normpath(os.path.join(os.path.dirname(around[-1]), declaration.path))
            file = None
        if path in around:
            self.found.add(_import_cycle(declaration, around[around.index(path) :]))
            return None
        if path in self.modules:
            return self.modules[path]
        file = file or self._read(declaration, path)
        return None if file is None else self.load(file, around)

    def _read(self, declaration: Import, path: str) -> SourceFile | None:
        if path in self.failed:
            return None
        try:
            return self.read(path)
        except OSError as error:
            self.found.add(_no_such_file(declaration, path, error.strerror or "it cannot be read"))
        except InputRejected as rejected:
            self.found.extend(rejected.diagnostics)
        self.failed.add(path)
        return None


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


def _no_such_file(declaration: Import, path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MODULE_NOT_FOUND,
        message=f'cannot read the imported file "{declaration.path}"',
        labels=(Label(declaration.span, f"{path}: {reason.lower()}"),),
        help=f"write `import {declaration.path};` without quotes"
        if declaration.path in stdlib_names()
        else "the path is relative to the file that imports",
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
