"""Loads a file and everything that it imports, each once, imported files first.

Which files a model may import: `.pfl` files inside one folder, the root, links resolved.

A model may come from anywhere, and reports show lines of what is read. So an import that leaves the root is refused by
its text alone, or by where its links lead, before anything is opened; the refusal says nothing of what is there.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field, replace
from pathlib import PurePath

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected, Label
from pfl.base.reading import LARGEST_FILE, STANDARD_INPUT, decode_source, read_bytes
from pfl.base.source import SourceFile
from pfl.base.struct import struct
from pfl.resources import stdlib_module, stdlib_names
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.spelling import closest
from pfl.syntax.tree.ast_declarations import Import
from pfl.syntax.tree.ast_module import Module

SUFFIX = ".pfl"

_VARIABLE = re.compile(r"\$\w|\$\{|%\w+%")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class ImportRefused(Exception):
    """A path that no import may have, or may have here; the text is the reason."""


def check_path(written: str) -> None:
    """Raises `ImportRefused` for a path that is not of the form `folder/other.pfl`, wherever it would lead."""
    if not written:
        raise ImportRefused("the path is empty")
    if _CONTROL.search(written):
        raise ImportRefused("a path holds no control characters")
    if _SCHEME.match(written):
        raise ImportRefused("this is an address, and nothing is fetched")
    if ":" in written:
        raise ImportRefused("a path holds no `:`")
    if written.startswith(("/", "\\")):
        raise ImportRefused("the path is absolute")
    if "\\" in written:
        raise ImportRefused("folders are separated by `/`, not by a backslash")
    if written.startswith("~"):
        raise ImportRefused("`~` stands for no folder here")
    if _VARIABLE.search(written):
        raise ImportRefused("variables of the environment are not replaced")


@struct(frozen=False, kw_only=False)
class ImportedFiles:
    """Reads the files that a model imports. `folder` is that of the model, `root` the one that imports may not leave;
    both are absolute, and no part of them is a link.

    A file that is asked for in two ways, through links or letters of another case, is read once: it is one module, with
    the name and location of the place where it really is.
    """

    folder: str
    root: str
    shown: str
    """The folder of the model as the user wrote it: the names of files in reports begin with it."""
    known: dict[tuple[int, int], SourceFile] = field(default_factory=dict)

    def __call__(self, location: str) -> SourceFile:
        """The file at a location, `/` between its parts, which is relative to the folder of the model, and normal.

        Raises `ImportRefused` where it may not be read, OSError where it cannot be, and InputRejected where it is not
        UTF-8.
        """
        parts = location.split("/")
        if not self._is_inside(parts):
            raise ImportRefused("it leads out of the folder whose files may be imported")
        if not location.endswith(SUFFIX):
            in_capitals = ", in small letters" if location.lower().endswith(SUFFIX) else ""
            raise ImportRefused(f"it does not end in `{SUFFIX}`{in_capitals}")
        try:
            path = os.path.realpath(os.path.join(self.folder, *parts))
            if not PurePath(path).is_relative_to(self.root):
                raise ImportRefused("a link leads out of the folder whose files may be imported")
            if not path.endswith(SUFFIX):
                raise ImportRefused(f"a link leads to a file whose name does not end in `{SUFFIX}`")
            return self._read(path)
        except ValueError as error:
            raise OSError(errno.EINVAL, "not a possible file name") from error

    def _is_inside(self, parts: list[str]) -> bool:
        """Whether a normal location lies in the root by its text: one that climbs above the root is out, though it may
        come back, since that tells what the folders above are called."""
        way = PurePath(os.path.relpath(self.root, self.folder)).parts
        if all(part == ".." for part in way):
            return parts[: len(way) + 1] != [".."] * (len(way) + 1)
        return len(parts) > len(way) and parts[: len(way)] == list(way)

    def _read(self, path: str) -> SourceFile:
        """The file at a path without links. Nothing but an ordinary file is opened: a pipe would be waited for."""
        _demand_ordinary(os.lstat(path))
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as stream:
            found = os.fstat(stream.fileno())
            _demand_ordinary(found)
            identity = (found.st_dev, found.st_ino)
            if identity not in self.known:
                location = os.path.relpath(path, self.folder)
                name = _apart_from_library(os.path.normpath(os.path.join(self.shown, location)))
                file = decode_source(read_bytes(stream), name)
                self.known[identity] = replace(file, location=PurePath(location).as_posix())
        return self.known[identity]


@struct(frozen=False, kw_only=False)
class ReadFiles:
    """Reads by `read`, and keeps what it gave, which is all that is left where this is sent to another process."""

    read: Callable[[str], SourceFile] | None
    known: dict[str, SourceFile] = field(default_factory=dict)

    def __call__(self, location: str) -> SourceFile:
        """See `ImportedFiles`; raises FileNotFoundError for what was not read before this was sent."""
        if location not in self.known:
            if self.read is None:
                raise FileNotFoundError(errno.ENOENT, "it was not read before")
            self.known[location] = self.read(location)
        return self.known[location]

    def __reduce__(self) -> tuple[type[ReadFiles], tuple[None, dict[str, SourceFile]]]:
        return ReadFiles, (None, self.known)


def importable_by(file: SourceFile, path: str | None, root: str | None) -> Callable[[str], SourceFile]:
    """What a model may import that was read from `path`, or given as text where that is None.

    Without a root it is the folder of that file; of a text, or of standard input, the current folder.
    Raises InputRejected where the root is no folder.
    """
    if root is not None and not os.path.isdir(root):
        message = f"there is no folder `{root}` to import from"
        raise InputRejected([Diagnostic(code=codes.FILE_NOT_FOUND, message=message, file=root)])
    own = None if path == STANDARD_INPUT else path
    shown = os.path.dirname(file.name if own is None else own)
    try:
        folder = os.path.realpath(shown)
        top = os.path.realpath(root or (os.curdir if own is None else shown))
    except (OSError, ValueError):  # the current folder was removed, or the text has an odd name
        return _nowhere
    files = ImportedFiles(folder=folder, root=top, shown=shown)
    if own is not None:
        with suppress(OSError):
            found = os.stat(own)
            files.known[found.st_dev, found.st_ino] = file
    return files


def _nowhere(_location: str) -> SourceFile:
    raise FileNotFoundError(errno.ENOENT, "there is no folder to look in")


def _demand_ordinary(found: os.stat_result) -> None:
    """Raises OSError for what is no ordinary file, or too large a one."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "its links lead in a circle")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    if found.st_size > LARGEST_FILE:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST_FILE:,} bytes")


def _apart_from_library(name: str) -> str:
    """The name of a file, different from those of the standard library."""
    library = {f"{module.replace('.', '/')}{SUFFIX}" for module in stdlib_names()}
    return f".{os.sep}{name}" if name in library else name


@struct(eq=False)
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


@struct(frozen=False, kw_only=False)
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
    return Diagnostic.at(
        codes.MODULE_NOT_FOUND,
        declaration.span,
        f"there is no module `{declaration.path}` in the standard library",
        help=f"did you mean `import {guess};`?"
        if guess
        else f"the modules are {', '.join(f'`{name}`' for name in known)}",
    )


def _refused(declaration: Import, reason: str) -> Diagnostic:
    """Says nothing of what is at the path, nor whether there is anything."""
    where = "imports are `.pfl` files in the folder of the file that is checked, or in that of `--root DIR`"
    return Diagnostic.at(
        codes.IMPORT_REFUSED,
        declaration.span,
        f'the import "{declaration.path}" is refused',
        label=reason,
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
    return Diagnostic.at(
        codes.MODULE_NOT_FOUND,
        declaration.span,
        f'cannot read the imported file "{declaration.path}"',
        label=f"{path}: {reason.lower()}",
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
