"""How the files of pfl hang together."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp

GRAPH = grimp.build_graph("pfl", cache_dir=None)


def test_no_file_imports_itself_through_others() -> None:
    """Also not inside functions, and not for types only: whoever reads a file can first read what it stands on."""
    files = {file: GRAPH.find_modules_directly_imported_by(file) for file in GRAPH.modules}
    TopologicalSorter(files).prepare()  # a CycleError names the files of a circle


def test_imports_of_every_kind_are_seen() -> None:
    """What is not seen is not forbidden by the test above: imports inside functions, and for types only."""
    inside, for_types = ("pfl.verify.judge", "pfl.verify.parameters.everywhere_find"), ("pfl", "pfl.options")
    for importer, imported in (inside, for_types):
        assert GRAPH.get_import_details(importer=importer, imported=imported)


def test_no_engine_makes_a_witness() -> None:
    """What was replayed is made where it is replayed; of the engines' files only the types of answers know of it."""
    readers = GRAPH.find_modules_that_directly_import("pfl.engines.witness")
    assert {file for file in readers if file.startswith("pfl.engines")} == {"pfl.engines.answer"}
