"""The compiler on one page: read, parse, resolve and typecheck, elaborate; then claim by claim: lower, validate, judge.

No phase calls the next one; what a phase finds wrong ends the work on that file after the phase is done, but for the
declarations that have nothing to do with it, in which later phases may find more. Nothing here prints: progress goes to
a callback, everything else into the results, which come one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pfl.base import codes
from pfl.base.budget import ProgressReport, Stoppable, silent
from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected
from pfl.base.reading import read_source
from pfl.base.source import SourceFile
from pfl.base.struct import struct
from pfl.evaluation.fragment import SideCondition
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.evaluation.globals.unmet import unmet_side_conditions
from pfl.lower.claims import ClaimLowering, claim_names, lower_claims
from pfl.model.claims import Claim, Limit
from pfl.model.parameters import Condition
from pfl.model.text import is_model_text
from pfl.options import Options
from pfl.syntax.modules import LoadedModules, ReadFiles, importable_by, load_program
from pfl.syntax.sound_part import sound_part
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.program import check_program
from pfl.verify.carried import Carrying
from pfl.verify.faults import guarded, unknown_claims
from pfl.verify.parallel import Lowered, judge_each, named
from pfl.verify.verdict import ClaimResult, Findings, exit_code_of

if TYPE_CHECKING:
    from pfl.verify.described import DescribedClaims

ReadSource = Callable[[str], SourceFile]
DEFAULT = Options()


@struct
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
        """Whether something is wrong with the model; a limit is not, nor is a fault of the compiler."""
        found = tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.code != codes.INTERNAL_ERROR)
        return Findings(diagnostics=found).exit_code == 3


def check_files(paths: Sequence[str], options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of several files; `-` is standard input."""
    return Findings.merged(check_stream(paths, options, progress))


def check_file(path: str, options: Options = DEFAULT, progress: ProgressReport = silent) -> Findings:
    """Judge the claims of a file; `-` is standard input."""
    return check_files([path], options, progress)


def check_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Findings:
    """Judge the claims of a model given as text.

    It may import the standard library, and `.pfl` files inside `options.root`, or else inside the current folder; their
    paths are relative to the folder of `name`.
    """
    model = _opened(lambda: _open_text(text, name, options, silent), name, options)
    return Findings.merged(_judged([model], options, silent, _name))


def check_stream(
    paths: Sequence[str], options: Options = DEFAULT, progress: ProgressReport = silent
) -> Generator[Findings, None, None]:
    """Judge the claims of several files, and give what is found out piece by piece, as soon as it is known.

    The first piece holds what is wrong with the texts of the files, and as `unjudged` all claims that are to be judged;
    nothing is judged before that. Then there is a piece for each of these claims, in order: what was found wrong while
    its system was built, and its result. A fault keeps the claims after it in its file from being judged; they are
    lowered all the same, for their faults. `Findings.merged` makes one of all pieces. Closing the iterator ends all
    work.
    """
    title = _name if len(paths) == 1 else _name_and_file
    told = Stoppable(progress)
    models: list[OpenModel] = []
    for path in paths:
        telling = told if len(paths) == 1 else named(path, told)
        models.append(_opened(partial(_open_file, path, options, telling), path, options))
    try:
        yield from _judged(models, options, told, title)
    finally:
        told.stop()


def _name(claim: Claim) -> str:
    return claim.name


def _name_and_file(claim: Claim) -> str:
    return f"{claim.origin.file}: {claim.name}"


def _judged(
    models: Sequence[OpenModel], options: Options, progress: ProgressReport, title: Callable[[Claim], str]
) -> Iterator[Findings]:
    """See `check_stream`."""
    found = Diagnostics(diagnostic for model in models for diagnostic in model.found.taken())
    claims = tuple(claim for model in models for claim in model.claims)
    is_partial = any(not model.is_open for model in models)
    unknown = () if is_partial else unknown_claims(options.claims, [name for model in models for name in model.names])
    found.extend(unknown)
    yield Findings(
        diagnostics=found.taken(),
        without_claims=tuple(file for model in models for file in model.without_claims),
        unjudged=() if unknown else claims,
    )
    if unknown:
        return
    carrying = Carrying()
    lowered = _lowered(list(models), progress, title)
    try:
        for each, judged in judge_each(lowered, len(claims), options, progress, title):
            found.extend(each.diagnostics)
            results: tuple[ClaimResult, ...] = ()
            if isinstance(judged, tuple):
                found.extend(map(each.placed, judged))
            elif judged is not None and each.claim is not None:
                results = (carrying.added(ClaimResult(claim=each.claim, verdict=judged)),)
            yield Findings(diagnostics=found.taken(), results=results)
    except InputRejected as rejected:  # there is nobody to judge them
        yield Findings(diagnostics=rejected.diagnostics)


def _lowered(models: list[OpenModel], progress: ProgressReport, title: Callable[[Claim], str]) -> Iterator[Lowered]:
    """The claims of all models; each model, with all that was built for it, is forgotten after its last."""
    models.reverse()
    while models:
        yield from models.pop().lowered(progress, title)


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


def compile_file(path: str, options: Options = DEFAULT, progress: ProgressReport = silent) -> Compiled:
    """The claims of a file."""
    return _opened(lambda: _open_file(path, options, progress), path, options).compiled(progress)


def compile_text(text: str, options: Options = DEFAULT, *, name: str = "<text>") -> Compiled:
    """The claims of a model given as text."""
    return _opened(lambda: _open_text(text, name, options, silent), name, options).compiled(silent)


def compile_source(file: SourceFile, read: ReadSource, options: Options) -> Compiled:
    """The claims of a file that was read; imported files come through `read`."""
    return open_model(file, read, options, silent).compiled(silent)


@struct(eq=False, frozen=False)
class OpenModel:
    """A file after the phases that need its text alone; `lowering` is None where they found a fault, and where the
    text is that of questions, which are `described` in it.

    Its claims are lowered one by one. `found` is all that was found by now.
    """

    file: str
    options: Options
    found: Diagnostics
    source: Compilation | None = None
    lowering: ClaimLowering | None = None
    described: DescribedClaims | None = None
    _asked: set[SideCondition] = field(default_factory=set)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all claims that the file declares."""
        if self.described is not None:
            return self.described.names
        return () if self.source is None else claim_names(self.source.checked)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that `options.claims` names, with all that their texts alone say of them."""
        opened = self.lowering or self.described
        return () if opened is None else opened.claims

    @property
    def without_claims(self) -> tuple[str, ...]:
        """The file, if it is sound as far as was looked, and claims nothing."""
        return () if self.names or self.is_rejected or not self.is_open else (self.file,)

    @property
    def is_open(self) -> bool:
        """Whether its claims can be looked at."""
        return self.lowering is not None or self.described is not None

    @property
    def is_rejected(self) -> bool:
        """Whether something is wrong with the model; a limit is not, nor is a fault of the compiler."""
        return any(exit_code_of(diagnostic) == 3 for diagnostic in self.found)

    def lowered(self, progress: ProgressReport, title: Callable[[Claim], str]) -> Iterator[Lowered]:
        """Every claim, lowered and validated; none to be judged from the first fault on."""
        opened = self.lowering or self.described
        for number, declared in enumerate(self.claims):
            telling = named(title(declared), progress)
            telling("building what the claim is about")
            claim = guarded(partial(self._lower, number, telling), self.file, self.options)
            if isinstance(claim, tuple):
                self.found.extend(claim)
                is_limit = all(exit_code_of(diagnostic) == 4 for diagnostic in claim)
                claim = replace(declared, limit=Limit(reason=claim[0].message)) if is_limit else None
            place = None if opened is None else opened.place(number)
            yield Lowered(claim=None if self.is_rejected else claim, diagnostics=self.found.taken(), place=place)

    def _lower(self, number: int, progress: ProgressReport) -> Claim | None:
        if self.described is not None:
            return self.described.lower(number)
        assert self.lowering is not None
        claim = self.lowering.lower(number, progress)
        self.check_side_conditions()
        return None if claim is None else replace(claim, anew=self.source)

    def check_side_conditions(self) -> None:
        """Those that have come up since this was last called, within the time of what they came up in."""
        if self.lowering is not None:
            for needed in self.lowering.needed:
                self.found.extend(unmet_side_conditions(needed, self.lowering.budget, self._asked))

    def compiled(self, progress: ProgressReport) -> Compiled:
        """All claims together; none, if the model is rejected."""
        claims = [lowered.claim for lowered in self.lowered(progress, _name)]
        compiled = Compiled(
            claims=tuple(claim for claim in claims if claim is not None),
            names=self.names,
            diagnostics=self.found.sorted(),
            without_claims=self.without_claims,
        )
        return replace(compiled, claims=()) if compiled.is_rejected else compiled


def open_model(file: SourceFile, read: ReadSource, options: Options, progress: ProgressReport) -> OpenModel:
    """The phases that need the text alone; imported files come through `read`. A text that says that it is that of
    questions and their systems has passed all of them."""
    model = OpenModel(file=file.name, options=options, found=Diagnostics())
    progress("reading and checking the text")
    if is_model_text(file.text):
        from pfl.verify.described import DescribedClaims  # needed for such texts only

        model.described = DescribedClaims(file, options)
        return model
    read = ReadFiles(read)
    loaded = load_program(file, read)
    model.found.extend(loaded.diagnostics)
    program, problems = check_program(loaded)
    model.found.extend(problems)
    if program is not None and not model.found.has_errors:
        model.source = Compilation(file=file, read=read, options=options, program=program)
        problems = _elaborate(model, model.source, progress)
    if model.lowering is None:
        model.found.extend(_faults_elsewhere(loaded, problems, options))
    return model


def _faults_elsewhere(loaded: LoadedModules, found: tuple[Diagnostic, ...], options: Options) -> tuple[Diagnostic, ...]:
    """What later phases find wrong with the part of a model that has nothing to do with the faults found already."""
    part = None if options.claims else sound_part(loaded, found)
    if part is None:
        return ()
    program, problems = check_program(part)
    if program is None:  # what is at fault now lacks what was left out
        return _faults_elsewhere(part, problems, options)
    known = program.globals[program.main.file.name]
    settings = {name: value for name, value in options.settings.items() if name in known}
    values, problems = elaborate_globals(program, replace(options, settings=settings))
    if any(problem.severity == "error" for problem in problems):
        return problems + _faults_elsewhere(part, problems, options)
    return lower_claims(program, values, options)[1]


def _elaborate(model: OpenModel, source: Compilation, progress: ProgressReport) -> tuple[Diagnostic, ...]:
    """The phases after names and types, up to the first claim; what is wrong with constants and parameters."""
    values, problems = elaborate_globals(source.checked, source.options, progress, source.equations)
    model.found.extend(problems)
    if not model.found.has_errors:
        model.lowering = ClaimLowering(source.checked, values, source.options, model.found, progress)
        model.check_side_conditions()
    return problems


@dataclass(kw_only=True, eq=False)
class Compilation:
    """What a model is compiled from, to be compiled anew under equations between its parameters.

    The checked program is kept, but not sent to other processes: they check it again.
    """

    file: SourceFile
    read: ReadSource
    options: Options
    equations: tuple[Condition, ...] = ()
    program: CheckedProgram | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "program": None}

    @property
    def checked(self) -> CheckedProgram:
        """The program, whose names and types are known to be sound."""
        if self.program is None:
            self.program = check_program(load_program(self.file, self.read))[0]
        assert self.program is not None
        return self.program

    def __call__(self, name: str, equation: Condition, seconds: float | None) -> Claim:
        """The claim of that name where the equation holds, too; see `CompileAnew`."""
        options = replace(self.options, claims=(name,), timeout=seconds)
        source = Compilation(
            file=self.file,
            read=self.read,
            options=options,
            equations=(*self.equations, equation),
            program=self.checked,
        )
        model = OpenModel(file=self.file.name, options=options, found=Diagnostics(), source=source)
        _ = _elaborate(model, source, silent)
        compiled = model.compiled(silent)
        if compiled.claims and not compiled.is_rejected:
            return compiled.claims[0]
        errors = (each for each in compiled.diagnostics if each.severity == "error")
        raise InputRejected([replace(each, notes=(*each.notes, f"where {equation.text}")) for each in errors])


def _open_file(path: str, options: Options, progress: ProgressReport) -> OpenModel:
    file = read_source(path)
    return open_model(file, importable_by(file, path, options.root), options, progress)


def _open_text(text: str, name: str, options: Options, progress: ProgressReport) -> OpenModel:
    file = SourceFile(name=name, text=text)
    return open_model(file, importable_by(file, None, options.root), options, progress)


def _opened(phases: Callable[[], OpenModel], name: str, options: Options) -> OpenModel:
    """The model, with rejected input, spent limits and faults of the compiler as diagnostics."""
    result = guarded(phases, name, options)
    return result if isinstance(result, OpenModel) else OpenModel(file=name, options=options, found=Diagnostics(result))
