"""The compiler on one page: read, parse, resolve and typecheck, elaborate, lower, validate, judge.

No phase calls the next one; what a phase finds wrong ends the work on that file after the phase is done. Nothing here
prints: progress goes to a callback, everything else into the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pfl.base.budget import ProgressReport, silent
from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.source import SourceFile
from pfl.frontend.elaborate.global_values import elaborate_globals
from pfl.frontend.lower.claims import lower_claims
from pfl.frontend.modules import load_program
from pfl.frontend.reading import open_source, read_source
from pfl.frontend.typecheck.program import check_program
from pfl.ir.claims import Claim
from pfl.ir.validation import validate
from pfl.options import Options
from pfl.verify.faults import guarded
from pfl.verify.parallel import judge_all
from pfl.verify.proof import Proof, faults_of_proof, open_proof
from pfl.verify.selection import select_claims
from pfl.verify.verdict import Findings

ReadSource = Callable[[str], SourceFile]
DEFAULT = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A model after its last phase: claims that engines can answer, none where a diagnostic is an error."""

    claims: tuple[Claim, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def exit_code(self) -> int:
        return Findings(diagnostics=self.diagnostics).exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What became of a proof: `faults` keep it from being one; with diagnostics it was not looked at."""

    claim: str = ""
    certificates: int = 0
    faults: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def exit_code(self) -> int:
        return Findings(diagnostics=self.diagnostics).exit_code or int(bool(self.faults))


def check_files(paths: Sequence[str], options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of several files; `-` is standard input."""
    return check_compiled([compile_file(path, options) for path in paths], options, progress)


def check_file(path: str, options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of a file; `-` is standard input."""
    return check_files([path], options, progress)


def check_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Findings:
    """Judge the claims of a model given as text; it may import the standard library, and files by their paths."""
    return check_compiled([compile_text(text, options, name=name)], options, silent)


def check_compiled(models: Sequence[Compiled], options: Options, progress: ProgressReport) -> Findings:
    """Judge the claims that `options` selects; none, if it names one that no model declares."""
    claims, diagnostics = _selected(models, options)
    judged = judge_all(claims, options, progress)
    return Findings(diagnostics=(*diagnostics, *judged.diagnostics), results=judged.results)


def verify_file(certificate: str, path: str, options: Options = DEFAULT) -> Verified:
    """Check a proof against the model in a file, by exact arithmetic alone."""
    proof = guarded(lambda: open_proof(certificate), certificate, options)
    model = compile_file(path, options)
    if not isinstance(proof, Proof) or model.exit_code:
        return Verified(diagnostics=(*(proof if isinstance(proof, tuple) else ()), *model.diagnostics))
    faults = guarded(lambda: faults_of_proof(proof, model.claims), path, options)
    if isinstance(faults, tuple):
        return Verified(diagnostics=faults)
    return Verified(claim=proof.claim, certificates=len(proof.certificates), faults=tuple(faults))


def compile_selected(path: str, options: Options = DEFAULT) -> Compiled:
    """The claims of a file that `options` selects."""
    claims, diagnostics = _selected([compile_file(path, options)], options)
    return Compiled(claims=claims, diagnostics=diagnostics)


def compile_file(path: str, options: Options = DEFAULT) -> Compiled:
    """The claims of a file."""
    return _guarded(lambda: compile_source(read_source(path), open_source, options), path, options)


def compile_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Compiled:
    """The claims of a model given as text."""
    return _guarded(lambda: compile_source(SourceFile(name=name, text=text), open_source, options), name, options)


def compile_source(file: SourceFile, read: ReadSource, options: Options) -> Compiled:
    """Every phase from the text to the claims; imported files come through `read`."""
    found = Diagnostics()
    loaded = load_program(file, read)
    found.extend(loaded.diagnostics)
    program, problems = check_program(loaded)
    found.extend(problems)
    if program is None or found.has_errors:
        return Compiled(claims=(), diagnostics=found.sorted())
    values, problems = elaborate_globals(program, options)
    found.extend(problems)
    if found.has_errors:
        return Compiled(claims=(), diagnostics=found.sorted())
    claims, problems = lower_claims(program, values, options)
    found.extend(problems)
    validate(claims)
    return Compiled(claims=() if found.has_errors else claims, diagnostics=found.sorted())


def _selected(models: Sequence[Compiled], options: Options) -> tuple[tuple[Claim, ...], tuple[Diagnostic, ...]]:
    """The claims that `options` names, in all models, with everything that was found; no claims, if one is unknown."""
    found = tuple(diagnostic for model in models for diagnostic in model.diagnostics)
    claims, unknown = select_claims([model.claims for model in models], options.claims)
    return claims, found if any(model.exit_code for model in models) else (*found, *unknown)


def _guarded(phases: Callable[[], Compiled], name: str, options: Options) -> Compiled:
    """The phases, with rejected input, spent limits and faults of the compiler as diagnostics."""
    result = guarded(phases, name, options)
    return result if isinstance(result, Compiled) else Compiled(claims=(), diagnostics=result)
