"""Checks a whole program."""

from __future__ import annotations

from pfl.base.diagnostics import Diagnostic
from pfl.syntax.modules import LoadedModules
from pfl.syntax.tree import ast_declarations, ast_module
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
        case ast_declarations.HmmDecl():
            from pfl.typecheck.systems.hmm import check_hmm

            check_hmm(checker, declaration, module)
        case ast_declarations.MechanismDecl():
            from pfl.typecheck.systems.mechanism import check_mechanism

            check_mechanism(checker, declaration, module)
        case ast_declarations.PriorDecl():
            from pfl.typecheck.systems.mechanism import check_prior

            check_prior(checker, declaration, module)
        case ast_declarations.AutomatonDecl():
            from pfl.typecheck.systems.automaton import check_automaton

            check_automaton(checker, declaration, module)
        case ast_declarations.RelationDecl():
            from pfl.typecheck.systems.automaton import check_relation

            check_relation(checker, declaration, module)


DECLARATION_RULES: dict[type, DeclarationRule] = {
    ast_declarations.Const: check_const,
    ast_declarations.Param: check_param,
    ast_declarations.Assume: check_assume,
    ast_declarations.EnumDecl: check_enum,
    ast_declarations.TypeDecl: check_type,
    ast_declarations.RecordDecl: check_record,
    ast_declarations.FnDecl: check_fn,
    ast_declarations.DistDecl: check_dist,
    ast_declarations.HmmDecl: check_system,
    ast_declarations.PriorDecl: check_system,
    ast_declarations.MechanismDecl: check_system,
    ast_declarations.AdjacencyDecl: check_adjacency,
    ast_declarations.AutomatonDecl: check_system,
    ast_declarations.RelationDecl: check_system,
    ast_module.ClaimDecl: check_claim,
    ast_module.FindDecl: check_find,
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
            if module is loaded.main or not isinstance(declaration, ast_module.ClaimDecl | ast_module.FindDecl):
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
