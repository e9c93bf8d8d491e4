"""The kinds of claims: what each is about, and which clauses it has.

The checker and the lowering read this one table.

The names that are built in.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pfl.base.struct import struct

SystemKind: TypeAlias = Literal["hmm", "mechanism", "automaton"]
Verb: TypeAlias = Literal["check", "compute"]

REPEATABLE = frozenset({"prior", "secrets", "between", "adjacent", "for"})
"""Clauses that may be given several times: the claim must hold for each."""

ALWAYS = frozenset({"for", "expect"})
"""Clauses that every kind of `check` has; a `compute` expects nothing, so has only `for`."""

FIND = frozenset({"minimise", "maximise", "expect"})
"""Clauses of a `find`, which a claim written in it has among its own."""

FINDABLE = frozenset({"pufferfish", "privacy", "noninterference"})
"""Kinds of claims for which a `find` can look for parameters."""

WHOLE_RUNS = frozenset({"probability", "distribution", "expected steps", "expected cost"})
"""Kinds of claims that, of a mechanism, are about whole runs: what they give, and what they cost."""

CLAUSES = frozenset(
    {
        "prior", "secrets", "between", "adjacent", "received", "one way", "epsilon", "delta", "length",
        "reach", "avoiding", "within", "from", "until", "returns", "terminates", "observations", "posterior",
        "equals", "at least", "at most", *ALWAYS, *FIND,
    }
)  # fmt: skip
"""Every clause there is."""

CLAUSE_WORDS = frozenset(clause.split()[0] for clause in CLAUSES)
"""The first words of clauses."""


@struct
class ClaimForm:
    """One kind of claim about one kind of system.

    `required` and `optional` are clauses; of each group in `one_of` exactly one is given, of each in `some_of` at least
    one. At most one of `alternatives` is given, and each of `once` only once. `relation` is the word before what the
    claim is relative to (`by R`, `of B`).
    """

    kind: str
    verb: Verb
    system: SystemKind
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    one_of: tuple[frozenset[str], ...] = ()
    some_of: tuple[frozenset[str], ...] = ()
    relation: Literal["of", "by"] | None = None
    alternatives: frozenset[str] = frozenset({"returns", "terminates"})
    once: frozenset[str] = frozenset()

    @property
    def repeatable(self) -> frozenset[str]:
        """The clauses that may be given several times."""
        return REPEATABLE - self.once

    @property
    def clauses(self) -> frozenset[str]:
        """Every clause that the form knows."""
        groups = (*self.one_of, *self.some_of)
        always = ALWAYS if self.verb == "check" else frozenset({"for"})
        return self.required.union(self.optional, always, *groups)


def _form(
    verb: Verb,
    kind: str,
    system: SystemKind,
    required: str = "",
    optional: str = "",
    *,
    one_of: tuple[str, ...] = (),
    some_of: tuple[str, ...] = (),
    relation: Literal["of", "by"] | None = None,
    once: str = "",
) -> ClaimForm:
    return ClaimForm(
        kind=kind,
        verb=verb,
        system=system,
        required=_words(required),
        optional=_words(optional),
        one_of=tuple(map(_words, one_of)),
        some_of=tuple(map(_words, some_of)),
        relation=relation,
        once=_words(once),
    )


def _words(text: str) -> frozenset[str]:
    """Clauses separated by commas: some have two words."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


_BOUND = "equals, at least, at most"
_TARGET = "secrets, between"
_RELATED = "adjacent, received, one way, length"

FORMS: tuple[ClaimForm, ...] = (
    _form("check", "pufferfish", "hmm", "epsilon, length", "prior, delta", some_of=(_TARGET,)),
    _form("check", "pufferfish", "mechanism", "epsilon", "prior, delta, length", some_of=(_TARGET,)),
    _form("check", "privacy", "mechanism", "epsilon", f"delta, {_RELATED}"),
    _form("check", "noninterference", "automaton", "epsilon", "delta, adjacent, length"),
    _form("check", "unwinding", "automaton", "epsilon", "adjacent", relation="by"),
    _form("check", "implements", "automaton", relation="of"),
    _form("compute", "epsilon", "hmm", "length", "prior, delta", some_of=(_TARGET,)),
    _form("compute", "epsilon", "mechanism", "", f"delta, prior, {_TARGET}, {_RELATED}"),
    _form("compute", "epsilon", "automaton", "", "delta, adjacent, length"),
    _form("compute", "delta", "hmm", "epsilon, length", "prior", some_of=(_TARGET,)),
    _form("compute", "delta", "mechanism", "epsilon", f"prior, {_TARGET}, {_RELATED}"),
    _form("compute", "delta", "automaton", "epsilon", "adjacent, length"),
    _form("compute", "probability", "hmm", "reach", "avoiding, within, from"),
    _form("check", "probability", "hmm", "reach", "avoiding, within, from", one_of=(_BOUND,)),
    _form("compute", "probability", "mechanism", "", "returns, terminates"),
    _form("check", "probability", "mechanism", "", "returns, terminates", one_of=(_BOUND,)),
    _form("compute", "distribution", "mechanism"),
    _form("check", "distribution", "mechanism", "equals"),
    _form("compute", "expected steps", "hmm", "until", "from"),
    _form("check", "expected steps", "hmm", "until", "from", one_of=(_BOUND,)),
    _form("compute", "expected steps", "mechanism"),
    _form("check", "expected steps", "mechanism", one_of=(_BOUND,)),
    _form("compute", "expected cost", "hmm", "until", "from"),
    _form("check", "expected cost", "hmm", "until", "from", one_of=(_BOUND,)),
    _form("compute", "expected cost", "mechanism"),
    _form("check", "expected cost", "mechanism", one_of=(_BOUND,)),
    _form("compute", "likelihood", "hmm", "observations", "posterior, prior", once="prior"),
    _form("check", "likelihood", "hmm", "observations", "prior", one_of=(_BOUND,), once="prior"),
)

KINDS: tuple[str, ...] = tuple(dict.fromkeys(form.kind for form in FORMS))
"""Every kind, in the order of the table."""


def forms(verb: str, kind: str) -> tuple[ClaimForm, ...]:
    """The forms of one kind for one verb, one for each kind of system that it can be about."""
    return tuple(form for form in FORMS if form.verb == verb and form.kind == kind)


BUILTIN_FUNCTIONS = frozenset(
    {
        "size", "contains", "add", "remove", "union", "sum", "count", "min", "max", "abs", "floor", "ceil",
        "uniform", "bernoulli", "binomial", "point", "ln",
        "exp", "laplace", "exponential", "two_sided_geometric", "geometric", "gaussian", "discrete_gaussian",
    }
)  # fmt: skip
"""What can be called without a declaration. `forall` and `exists` are syntax."""

ENCLOSED_NOISE = frozenset({"gaussian", "discrete_gaussian"})
"""Distributions without bounds of which probabilities are known by enclosures alone."""

NOISE = ENCLOSED_NOISE | {"laplace", "exponential", "two_sided_geometric", "geometric"}
"""Distributions without bounds."""

GIVING_WAY = NOISE | {"exp"}
"""Those of them that a declaration, or an import, of the same name goes before."""

BUILTIN_VALUES = frozenset({"empty"})
"""What has a value without a declaration; `silent` has one only in what an hmm emits."""
