"""Checks a whole program."""

from __future__ import annotations

from pfl.base.diagnostics import Diagnostic
from pfl.frontend import ast_claims, ast_globals, ast_systems
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.modules import LoadedModules
from pfl.frontend.resolve.collect import collect_names
from pfl.frontend.typecheck.automaton import check_automaton
from pfl.frontend.typecheck.checker import Checker, DeclarationRule
from pfl.frontend.typecheck.claims import check_claim
from pfl.frontend.typecheck.definitions import (
    check_adjacency,
    check_assume,
    check_const,
    check_dist,
    check_enum,
    check_fn,
    check_param,
    check_record,
    check_type,
)
from pfl.frontend.typecheck.expressions import EXPRESSION_RULES
from pfl.frontend.typecheck.finds import check_find
from pfl.frontend.typecheck.hmm import check_hmm
from pfl.frontend.typecheck.mechanism import check_mechanism
from pfl.frontend.typecheck.prior import check_prior
from pfl.frontend.typecheck.relation import check_relation

DECLARATION_RULES: dict[type, DeclarationRule] = {
    ast_globals.Const: check_const,
    ast_globals.Param: check_param,
    ast_globals.Assume: check_assume,
    ast_globals.EnumDecl: check_enum,
    ast_globals.TypeDecl: check_type,
    ast_globals.RecordDecl: check_record,
    ast_globals.FnDecl: check_fn,
    ast_globals.DistDecl: check_dist,
    ast_systems.HmmDecl: check_hmm,
    ast_systems.PriorDecl: check_prior,
    ast_systems.MechanismDecl: check_mechanism,
    ast_systems.AdjacencyDecl: check_adjacency,
    ast_systems.AutomatonDecl: check_automaton,
    ast_systems.RelationDecl: check_relation,
    ast_claims.ClaimDecl: check_claim,
    ast_claims.FindDecl: check_find,
}
"""One entry for each kind of declaration but imports, which are followed when the program is loaded."""


def check_program(loaded: LoadedModules) -> tuple[CheckedProgram | None, tuple[Diagnostic, ...]]:
    """The program with every name resolved and every expression typed, and all diagnostics of loading and checking.

    The program is None where there is an error. Claims are those of the file that was asked for: claims of imported
    files are not checked.
    """
    checker = Checker({}, EXPRESSION_RULES, DECLARATION_RULES)
    checker.found.extend(loaded.diagnostics)
    checker.names = collect_names(loaded, checker.found)
    for module in loaded.modules:
        for declaration in module.declarations:
            if module is loaded.main or not isinstance(declaration, ast_claims.ClaimDecl | ast_claims.FindDecl):
                checker.check_top_level(declaration, checker.names[module.file.name])
    diagnostics = checker.found.sorted()
    if checker.found.has_errors:
        return None, diagnostics
    program = CheckedProgram(
        modules=loaded.modules,
        globals={name: table.declared for name, table in checker.names.items()},
        _targets=checker.targets,
        _types=checker.types,
    )
    return program, diagnostics
