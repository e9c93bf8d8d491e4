"""The compiler on one page: read, parse, resolve and typecheck, elaborate, lower, validate, judge.

No phase calls the next one; what a phase finds wrong ends the work on that file after the phase is done. Nothing here
prints: progress goes to a callback, everything else into the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pfl.base.budget import Budget, ProgressReport, moment_after, silent
from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.source import SourceFile
from pfl.frontend.elaborate.global_values import elaborate_globals
from pfl.frontend.elaborate.side_conditions import unmet_side_conditions
from pfl.frontend.importing import importable_by
from pfl.frontend.lower.claims import claim_names, lower_claims
from pfl.frontend.modules import load_program
from pfl.frontend.reading import read_source
from pfl.frontend.typecheck.program import check_program
from pfl.ir.claims import Claim
from pfl.ir.validation import validate
from pfl.options import Options
from pfl.verify.carried import with_carried
from pfl.verify.faults import guarded
from pfl.verify.parallel import judge_all
from pfl.verify.selection import unknown_claims
from pfl.verify.verdict import Findings

ReadSource = Callable[[str], SourceFile]
DEFAULT = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A model after its last phase: claims that engines can answer, and the names of all claims it declares.

    Of the claims those that `Options.claims` names; none where the model was rejected. One that met a limit has it for
    its question.
    """

    claims: tuple[Claim, ...] = ()
    names: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    without_claims: tuple[str, ...] = ()
    """The files that are sound as far as was looked, and claim nothing."""

    @property
    def exit_code(self) -> int:
        return Findings(diagnostics=self.diagnostics).exit_code

    @property
    def is_rejected(self) -> bool:
        """Whether something is wrong with the model; a limit is not."""
        return self.exit_code not in (0, 4)


def check_files(paths: Sequence[str], options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of several files; `-` is standard input."""
    return check_compiled([compile_file(path, options) for path in paths], options, progress)


def check_file(path: str, options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of a file; `-` is standard input."""
    return check_files([path], options, progress)


def check_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Findings:
    """Judge the claims of a model given as text.

    It may import the standard library, and `.pfl` files inside `options.root`, or else inside the current folder; their
    paths are relative to the folder of `name`.
    """
    return check_compiled([compile_text(text, options, name=name)], options, silent)


def check_compiled(models: Sequence[Compiled], options: Options, progress: ProgressReport) -> Findings:
    """Judge the claims of models; none, if a claim is asked for that no model declares."""
    together = combined(models, options)
    judged = judge_all(together.claims, options, progress)
    return Findings(
        diagnostics=together.diagnostics + judged.diagnostics,
        results=with_carried(judged.results),
        without_claims=together.without_claims,
    )


def combined(models: Sequence[Compiled], options: Options) -> Compiled:
    """Several models as one, with a fault, and no claims, if `options.claims` has a name that none declares."""
    claims = tuple(claim for model in models for claim in model.claims)
    names = tuple(name for model in models for name in model.names)
    found = tuple(diagnostic for model in models for diagnostic in model.diagnostics)
    is_partial = any(model.exit_code and not model.names for model in models)
    unknown = () if is_partial else unknown_claims(options.claims, names)
    return Compiled(
        claims=() if unknown else claims,
        names=names,
        diagnostics=found + unknown,
        without_claims=tuple(file for model in models for file in model.without_claims),
    )


def compile_file(path: str, options: Options = DEFAULT) -> Compiled:
    """The claims of a file."""

    def phases() -> Compiled:
        file = read_source(path)
        return compile_source(file, importable_by(file, path, options.root), options)

    return _guarded(phases, path, options)


def compile_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Compiled:
    """The claims of a model given as text."""
    file = SourceFile(name=name, text=text)
    return _guarded(lambda: compile_source(file, importable_by(file, None, options.root), options), name, options)


def compile_source(file: SourceFile, read: ReadSource, options: Options) -> Compiled:
    """Every phase from the text to the claims; imported files come through `read`, as `load_program` says."""
    found = Diagnostics()
    loaded = load_program(file, read)
    found.extend(loaded.diagnostics)
    program, problems = check_program(loaded)
    found.extend(problems)
    if program is None or found.has_errors:
        return Compiled(diagnostics=found.sorted())
    values, problems = elaborate_globals(program, options)
    found.extend(problems)
    if found.has_errors:
        return Compiled(diagnostics=found.sorted())
    claims, problems = lower_claims(program, values, options)
    found.extend(problems)
    budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states)
    found.extend(unmet_side_conditions(program, values, budget))
    validate(claims)
    compiled = Compiled(claims=claims, names=claim_names(program), diagnostics=found.sorted())
    if compiled.is_rejected:
        return replace(compiled, claims=())
    return compiled if compiled.names else replace(compiled, without_claims=(file.name,))


def _guarded(phases: Callable[[], Compiled], name: str, options: Options) -> Compiled:
    """The phases, with rejected input, spent limits and faults of the compiler as diagnostics."""
    result = guarded(phases, name, options)
    return result if isinstance(result, Compiled) else Compiled(diagnostics=result)
