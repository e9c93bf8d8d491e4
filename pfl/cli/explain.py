"""`pflc explain`: what an error code means, and how to mend it."""

from __future__ import annotations

import re
from difflib import get_close_matches

import click

from pfl.base.codes import all_codes, find_code
from pfl.resources import error_page


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain an error CODE such as PFL0401, or list all codes.

    A code may also be given by its number alone, or by its name (row-does-not-sum-to-one).
    """
    if code is None:
        width = max(len(entry.slug) for entry in all_codes())
        for entry in all_codes():
            click.echo(f"{entry}  {entry.slug:<{width}}  {entry.summary}")
        return 0
    found = find_code(code)
    if found is None:
        close = get_close_matches(code.lower(), [entry.slug for entry in all_codes()], n=1)
        cure = f"did you mean `{close[0]}`?" if close else "`pflc explain` lists all codes"
        raise click.BadParameter(f"there is no code `{code}`; {cure}", param_hint="CODE")
    page = error_page(str(found)) or f"# {found}: {found.summary}"
    click.echo(re.sub(r"<!--.*?-->\n?", "", page, flags=re.DOTALL).rstrip())
    return 0
