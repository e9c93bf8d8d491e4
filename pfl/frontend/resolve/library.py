"""What the standard library offers to a file that has not imported it."""

from __future__ import annotations

from functools import cache

from pfl.frontend.ast_claims import ClaimDecl, FindDecl
from pfl.frontend.ast_globals import Assume, Import
from pfl.frontend.parser import parse_module
from pfl.resources import stdlib_module, stdlib_names


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
