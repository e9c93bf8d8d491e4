"""One case from a kind and a seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .cases import Asked, Case, Setting
from .handlers import handler_claims
from .hmms import chain_claims, hmm_claims
from .mechanisms import mechanism_claims
from .outputs import letter_claims, output_claims, response_claims, state_claims
from .priors import prior_claims, start_claims
from .tables import table_claims
from .weights import Weights, random_space

Generator = Callable[[Setting], tuple[str, list[Asked]]]

KINDS: dict[str, Generator] = {
    "chain": chain_claims,
    "hmm": lambda setting: hmm_claims(setting, silent=False, moments=False),
    "silent": lambda setting: hmm_claims(setting, silent=True, moments=False),
    "moments": lambda setting: hmm_claims(setting, silent=False, moments=True),
    "silent_moments": lambda setting: hmm_claims(setting, silent=True, moments=True),
    "prior": prior_claims,
    "start": start_claims,
    "mechanism": mechanism_claims,
    "table": table_claims,
    "handler": handler_claims,
    "output": output_claims,
    "letter": letter_claims,
    "state": state_claims,
    "response": response_claims,
}


def case_of(kind: str, seed: int, *, several: float = 0.15, regular: bool = False, punctured: bool = False) -> Case:
    """The model of a kind that belongs to a seed; always the same. `several` is how often it has two parameters.

    In a `regular` one no weight vanishes within the space, and from a `punctured` one all values are left out at which
    one does: what is wrong there has other causes.
    """
    random = Random(f"{kind} {seed}")
    space = random_space(random, several=random.random() < several, regular=regular)
    setting = Setting(random, space, Weights(space, random, regular=regular), seed)
    text, claims = KINDS[kind](setting)
    if punctured:
        space.puncture()
    return Case(kind, seed, space, text, claims, setting.points())
