"""Matchings in bipartite graphs, by augmenting paths.

Source: Berge's theorem: a matching is largest if no augmenting path is left.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)


def matching(choices: Mapping[Place, Sequence[Place]]) -> dict[Place, Place] | None:
    """A partner of its own for each place among its choices; None where there are not enough."""
    partner: dict[Place, Place] = {}

    def augment(x: Place, visited: set[Place]) -> bool:
        for y in choices[x]:
            if y not in visited:
                visited.add(y)
                if y not in partner or augment(partner[y], visited):
                    partner[y] = x
                    return True
        return False

    if not all(augment(x, set()) for x in sorted(choices, key=lambda place: len(choices[place]))):
        return None
    return {x: y for y, x in partner.items()}
