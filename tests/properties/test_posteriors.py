"""Posteriors and likelihoods of random hmms against the sum over all paths; secrets speak of the same moments.

Nothing of the compiler is used to find what is expected: paths are followed move by move, each showing a letter or
nothing, until they have shown enough and made enough moves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved
from pfl.report.details import word_text

SILENT = "silent"


@dataclass(frozen=True)
class Table:
    """Rows of moves and of emissions by state; states are numbered."""

    start: dict[int, Fraction]
    moves: tuple[dict[int, Fraction], ...]
    shows: tuple[dict[str, Fraction], ...]

    def text(self, spelling: Mapping[str, str] | None = None) -> str:
        """As it is written, letters spelt so."""
        rows = [f"init {_row(self.start, 's')};"]
        for state, (moves, shows) in enumerate(zip(self.moves, self.shows)):
            spelt = {(spelling or {}).get(letter, letter): weight for letter, weight in shows.items()}
            rows += [f"s{state} -> {_row(moves, 's')};", f"s{state} emits {_row(spelt, '')};"]
        names = ", ".join(f"s{state}" for state in range(len(self.moves)))
        return f"hmm H {{ states {names}; {' '.join(rows)} }}"

    def silent_for_ever(self) -> set[int]:
        """States from which no state that can show anything is reached."""
        silent = {state for state, shows in enumerate(self.shows) if set(shows) == {SILENT}}
        while True:
            kept = {state for state in silent if set(self.moves[state]) <= silent}
            if kept == silent:
                return silent
            silent = kept


def _row(weights: dict[int, Fraction] | dict[str, Fraction], prefix: str) -> str:
    return ", ".join(f"{prefix}{key}: {weight}" for key, weight in weights.items())


@dataclass(frozen=True)
class Path:
    """The states at moments 0, 1, .., and the letters with the states that showed them, None for `never`."""

    weight: Fraction
    states: tuple[int, ...]
    shown: tuple[tuple[str, int | None], ...]


def paths(table: Table, letters: int, moments: int) -> Iterator[Path]:
    """All paths, each followed until it has shown so many letters and has so many moments."""
    lost = table.silent_for_ever()

    def follow(path: Path) -> Iterator[Path]:
        state = path.states[-1]
        if state in lost:
            never = tuple(("never", None) for _ in range(letters - len(path.shown)))
            path = Path(path.weight, path.states, path.shown + never)
        if len(path.shown) >= letters and len(path.states) >= moments:
            yield path
            return
        for letter, emitted in table.shows[state].items():
            shown = path.shown if letter == SILENT else (*path.shown, (letter, state))
            for target, moved in table.moves[state].items():
                yield from follow(Path(path.weight * emitted * moved, (*path.states, target), shown))

    for state, weight in table.start.items():
        yield from follow(Path(weight, (state,), ()))


def random_table(source: random.Random, *, silence: bool) -> Table:
    """Silent moves lead to states of larger number, or stay where all is silent for ever: paths are finitely many."""
    size = source.randint(2, 4)
    lost = set(range(size - source.choice([0, 0, 1, 2]), size)) if silence and size > 2 else set()
    moves, shows = [], []
    for state in range(size):
        may_be_silent = silence and state < size - 1
        if state in lost:
            moves.append(_weights(source, sorted(lost)))
            shows.append({SILENT: Fraction(1)})
            continue
        kind = source.choice(["shows", "both", "silent"]) if may_be_silent else "shows"
        targets = range(size) if kind == "shows" else range(state + 1, size)
        moves.append(_weights(source, targets))
        letters = _weights(source, ["a", "b"])
        if kind == "both":
            letters = {
                SILENT: Fraction(1, 3),
                **{letter: weight * Fraction(2, 3) for letter, weight in letters.items()},
            }
        shows.append({SILENT: Fraction(1)} if kind == "silent" else letters)
    return Table(_weights(source, range(size)), tuple(moves), tuple(shows))


def _weights(source: random.Random, keys):  # type: ignore[no-untyped-def]
    chosen = [key for key in keys if source.random() < 0.7] or [source.choice(list(keys))]
    shares = [source.randint(1, 3) for _ in chosen]
    return {key: Fraction(share, sum(shares)) for key, share in zip(chosen, shares)}


def agrees(word: tuple[str, ...], path: Path) -> bool:
    return all(wanted in ("_", letter) for wanted, (letter, _) in zip(word, path.shown))


def expected(table: Table, word: tuple[str, ...]) -> tuple[Fraction, dict[str, Fraction]]:
    """The likelihood, and every entry of the posterior by its name."""
    likelihood, entries = Fraction(0), dict[str, Fraction]()
    has_silence = any(SILENT in shows for shows in table.shows)
    for path in paths(table, len(word), len(word)):
        if not agrees(word, path):
            continue
        likelihood += path.weight
        names = [f"s{path.states[moment]}@{moment}" for moment in range(len(word))]
        if has_silence:
            showers = ["never" if state is None else f"s{state}" for _, state in path.shown[: len(word)]]
            names += [f"{shower} at letter {number}" for number, shower in enumerate(showers, 1)]
        for name in names:
            entries[name] = entries.get(name, Fraction(0)) + path.weight
    return likelihood, {name: weight / likelihood for name, weight in entries.items() if weight}


@pytest.mark.parametrize("silence", [False, True])
@pytest.mark.parametrize("batch", range(6))
def test_posteriors_are_sums_over_paths(batch: int, silence: bool) -> None:
    for seed in range(batch * 10, batch * 10 + 10):
        source = random.Random(seed)
        table = random_table(source, silence=silence)
        letters = ["a", "b", "_"] + (["never"] if silence else [])
        words = [tuple(source.choice(letters) for _ in range(source.randint(1, 4))) for _ in range(5)]
        words = [word for word in words if all(letter in "_never" or occurs(table, letter) for letter in word)]
        if not any(SILENT in shows for shows in table.shows):
            words = [word for word in words if "never" not in word]
        claims = [
            f"compute c{n}: likelihood H {{ observations {', '.join(w)}; posterior; }}" for n, w in enumerate(words)
        ]
        results = check_text("\n".join([table.text(), *claims])).results
        assert len(results) == len(words), table.text()
        for word, result in zip(words, results):
            likelihood, entries = expected(table, word)
            assert isinstance(result.verdict, Computed)
            assert result.verdict.value == likelihood, (seed, word, table.text())
            assert {value.name: value.value for value in result.verdict.values} == entries, (seed, word, table.text())


def occurs(table: Table, letter: str) -> bool:
    return any(letter in shows for shows in table.shows)


@pytest.mark.parametrize("batch", range(4))
def test_secrets_and_posteriors_are_about_the_same_moments(batch: int) -> None:
    """Bayes: the ratio of a word given `s@t` and given `not s@t` is the one that the posterior gives."""
    for seed in range(batch * 8, batch * 8 + 8):
        source = random.Random(1000 + seed)
        table = random_table(source, silence=True)
        moment, length = source.randint(0, 2), 3
        prior, largest = Fraction(0), Fraction(0)
        joint: dict[tuple[str, ...], list[Fraction]] = {}
        for path in paths(table, length, moment + 1):
            holds = path.states[moment] == 0
            prior += path.weight if holds else 0
            entry = joint.setdefault(tuple(letter for letter, _ in path.shown[:length]), [Fraction(0), Fraction(0)])
            entry[0 if holds else 1] += path.weight
        if not 0 < prior < 1:
            continue
        ratios = [(one / prior, other / (1 - prior)) for one, other in joint.values()]
        if any(not one or not other for one, other in ratios):
            wanted: object = "inf"
        else:
            largest = max(max(one / other, other / one) for one, other in ratios)
            wanted = largest
        secret = f"s0@{moment}"
        claim = f"compute e: epsilon H {{ secrets {secret} vs not {secret}; length {length}; }}"
        words = [word for word, weights in joint.items() if sum(weights)]
        asked = [
            f"compute w{n}: likelihood H {{ observations {', '.join(word)}, _; posterior; }}"
            for n, word in enumerate(words)
        ]
        first, *others = check_text("\n".join([table.text(), claim, *asked])).results
        assert isinstance(first.verdict, Computed)
        assert first.verdict.bound is not None
        assert first.verdict.bound.ratio == wanted, (seed, table.text())
        for word, result in zip(words, others):
            assert isinstance(result.verdict, Computed)
            values = {value.name: value.value for value in result.verdict.values}
            one, other = joint[word]
            assert values.get(secret, 0) == one / (one + other), (seed, word, table.text())


def test_silence_that_goes_round_is_solved() -> None:
    """b and c are silent and may go to each other any number of times: geometric series, summed by hand."""
    text = """
    hmm H {
        states a, b, c;
        init b;
        a -> b;            a emits x;
        b -> c: 1/2, a: 1/2;   b emits silent;
        c -> b: 1/2, a: 1/2;   c emits silent;
    }
    compute likelihood H { observations x, x, x; posterior; }
    check equal: pufferfish H { secrets a@2 vs c@1; epsilon 0; length 3; }
    """
    computed, proved = check_text(text).results
    assert isinstance(computed.verdict, Computed)
    assert isinstance(proved.verdict, Proved)
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert {value.name: value.value for value in computed.verdict.values} == {
        "b@0": 1,
        "a@1": half,
        "c@1": half,
        "b@2": half + quarter,
        "a@2": quarter,
        "a at letter 1": 1,
        "a at letter 2": 1,
        "a at letter 3": 1,
    }


LETTERS = {
    "symbols": ("quiet", "any"),
    "numbers": ("-1", "3"),
    "fractions": ("-3/4", "1/2"),
    "truth values": ("true", "false"),
    "tuples": ("(1, -2)", "(0, 2)"),
    "tuples of symbols": ("(yes, 1)", "(no, 1)"),
    "records": ("Visit(who = 1, long = true)", "Visit(who = -2, long = false)"),
    "values of an enum": ("red", "green"),
    "arrays": ("[1, 0]", "[0, -1]"),
    "sets": ("{0, 1}", "{}"),
    "bags": ("bag {0, 1, 1}", "bag {2}"),
    "a letter of that name": ("never", "later"),
}
DECLARED = "record Visit { who: -3..3, long: bool }\nenum Colour { red, green }\n"


@pytest.mark.parametrize("kind", LETTERS)
def test_what_was_observed_can_be_asked_about_in_the_same_words(kind: str) -> None:
    """The line of a report, put into `compute likelihood` of the hmm that starts on one side, gives the probability."""
    asked = 0
    for seed in range(6):
        table = random_table(random.Random(2000 + seed), silence=True)
        spelling = dict(zip("ab", LETTERS[kind]))
        ends = len(table.shows) - 1
        claim = f"compute e: epsilon H {{ between {{ s0: 1 }} and {{ s{ends}: 1 }}; length 3; }}"
        (result,) = check_text(DECLARED + table.text(spelling) + claim).results
        assert isinstance(result.verdict, Computed)
        witness = result.verdict.witness
        assert witness is not None
        if any("(never)" in word for word in witness.words):
            continue  # silence, of a model that has a letter of this name
        for side, probability in ((witness.left, witness.probability_left), (witness.right, witness.probability_right)):
            start = 0 if side == "{ s0: 1 }" else ends
            alone = replace(table, start={start: Fraction(1)}).text(spelling)
            line = word_text(witness.words[0])
            if line == "nothing":
                continue
            (again,) = check_text(f"{DECLARED}{alone} compute likelihood H {{ observations {line}; }}").results or [
                None
            ]
            assert again is not None, (alone, line)
            assert isinstance(again.verdict, Computed)
            assert again.verdict.value == probability, (alone, line)
            asked += 1
    assert asked
