"""Random mechanisms with noise, written otherwise."""

from __future__ import annotations

from fractions import Fraction

from noisy_mechanisms import ONE, ZERO, Block, Noisy, Tree


def otherwise_written(noisy: Noisy) -> Noisy:
    """A mechanism that means the same: loops unrolled, comparisons turned round, `max` and `min` as conditions."""
    helpers = {name: _other_block(body) for name, body in noisy.helpers.items()}
    return Noisy(noisy.is_real, _other_block(noisy.body), noisy.draws, noisy.grid, helpers)


def _other_block(block: Block) -> Block:
    made: Block = []
    for statement in block:
        match statement:
            case ("when", c, a, b):
                made.append(("when", ("not", _other(c)), _other_block(b), _other_block(a)))
            case ("match", e, a, b):
                made.append(("when", ("==", e, ZERO), _other_block(a), _other_block(b)))
            case ("for", name, count, inner):
                for turn in range(count):
                    first = ("let", name, ("number", Fraction(turn)))
                    made.append(("when", ("<", ZERO, ONE), [first, *_other_block(inner)], []))
            case (word, *parts):
                made.append((word, *(_other(part) if isinstance(part, tuple) else part for part in parts)))
    return made


def _other(tree: Tree) -> Tree:
    parts = [_other(part) if isinstance(part, tuple) else part for part in tree[1:]]
    match (tree[0], *parts):
        case ("max", a, b):
            return ("if", (">", b, a), b, a)
        case ("min", a, b):
            return ("if", ("<", b, a), b, a)
        case ("abs", e):
            return ("if", ("<", e, ZERO), ("neg", e), e)
        case ("<", a, b):
            return ("not", ("<=", b, a))
        case ("<=" | ">=" as operator, a, b):
            return ({"<=": ">=", ">=": "<="}[operator], b, a)
        case ("and", a, b):
            return ("if", a, b, ("false",))
        case ("=>", a, b):
            return ("or", ("not", a), b)
    return (tree[0], *parts)
