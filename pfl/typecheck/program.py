"""Checks a whole program."""

from __future__ import annotations

from pfl.base.diagnostics import Diagnostic
from pfl.syntax.modules import LoadedModules
from pfl.syntax.tree import ast_declarations as ast_globals
from pfl.syntax.tree import ast_declarations as ast_systems
from pfl.syntax.tree import ast_module as ast_claims
from pfl.typecheck.bindings import CheckedProgram, Global
from pfl.typecheck.checker import Checker, DeclarationRule
from pfl.typecheck.claims.claims import check_claim, check_find
from pfl.typecheck.expressions.expressions import EXPRESSION_RULES
from pfl.typecheck.names.collect import collect_names
from pfl.typecheck.names.scope import ModuleNames
from pfl.typecheck.systems.definitions import (
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


def check_system(checker: Checker, declaration: Global, module: ModuleNames) -> None:
    """By the rules of its kind, which are loaded where a model has one of them."""
    match declaration:
        case ast_systems.HmmDecl():
            from pfl.typecheck.systems.hmm import check_hmm

            check_hmm(checker, declaration, module)
        case ast_systems.MechanismDecl():
            from pfl.typecheck.systems.mechanism import check_mechanism

            check_mechanism(checker, declaration, module)
        case ast_systems.PriorDecl():
            from pfl.typecheck.systems.mechanism import check_prior

            check_prior(checker, declaration, module)
        case ast_systems.AutomatonDecl():
            from pfl.typecheck.systems.automaton import check_automaton

            check_automaton(checker, declaration, module)
        case ast_systems.RelationDecl():
            from pfl.typecheck.systems.automaton import check_relation

            check_relation(checker, declaration, module)


DECLARATION_RULES: dict[type, DeclarationRule] = {
    ast_globals.Const: check_const,
    ast_globals.Param: check_param,
    ast_globals.Assume: check_assume,
    ast_globals.EnumDecl: check_enum,
    ast_globals.TypeDecl: check_type,
    ast_globals.RecordDecl: check_record,
    ast_globals.FnDecl: check_fn,
    ast_globals.DistDecl: check_dist,
    ast_systems.HmmDecl: check_system,
    ast_systems.PriorDecl: check_system,
    ast_systems.MechanismDecl: check_system,
    ast_systems.AdjacencyDecl: check_adjacency,
    ast_systems.AutomatonDecl: check_system,
    ast_systems.RelationDecl: check_system,
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
