"""Arrays given element by element: the largest ratio is that over all pairs of adjacent arrays, compared one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.source import SourceFile
from pfl.driver import check_text
from pfl.engines.answer import Computed
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.lower.mechanism import mechanism_system, sequential_runs
from pfl.lower.mechanism.adjacency import AppliedAdjacency
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.lower.mechanism.mechanism_system import MechanismSystems, OutputTable
from pfl.lower.mechanism.sequential_system import sequential_system
from pfl.lower.privacy import compare_inputs, compare_sequences
from pfl.model.compare import Comparisons
from pfl.options import Options
from pfl.syntax.modules import load_program
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, MechanismDecl
from pfl.typecheck.program import check_program

HEADER = """
type Element = 0..1;
dist flip(x: Element, w: real) over Element = { x: 1 - w, 1 - x: w };
"""

ADJACENCIES = (
    "forall i in 0..N-1: abs(a[i] - b[i]) <= 1",
    "count(i for i in 0..N-1 if a[i] != b[i]) <= 1",
    "count(i for i in 0..N-1 if a[i] != b[i]) == 2 and a != b",
    "(forall i in 0..N-1: a[i] <= b[i]) and sum(b) - sum(a) <= 1",
    "sum(abs(a[i] - b[i]) for i in 0..N-1) <= 2 and a[0] == b[0]",
    "(exists i in 1..2: a[i] != b[i]) or (a == b and false)",
    "helper(a, b) and sum(a) == sum(b)",
)
"""The fifth reads one element by a number, so it is not followed element by element."""

BODIES = {
    "a count": "var c = 0; for x in q { let y ~ flip(x, 1/3); if y == 1 { c = c + 1; } } return c;",
    "adds only": "var c = 0; for x in q { c = c + x; } let y ~ flip(c mod 2, 1/3); return c + y;",
    "an index": "for i in 0..N-1 { let y ~ flip(q[i], 1/4); if y == 1 { return i; } } return N;",
    "backward": "var c = 0; for i in [2, 0, 1] { let y ~ flip(q[i], 1/4); c = (2 * c + y) mod 3; } return c;",
    "each turn": "let t ~ flip(0, 1/3); for x in q { let y ~ flip(x, 1/4); if y > t { emit top; return; } emit bot; }",
    "left before": "for i in 0..N-1 { let y ~ flip(q[i], 1/4); if y == 1 { return i mod 2; } emit bot; } emit top;",
    "two a turn": "emit bot; for x in q { let y ~ flip(x, 1/4); emit y; emit y + 7 * x; } return 1;",
    "shows first": "emit bot; var c = 0; for x in q { let y ~ flip(x, 1/3); c = c + y; } emit c; return c mod 2;",
    "may be lost": "var c = 0; for x in q { let y ~ flip(x, 1/3); c = c + y; } while c == 1 { } return c;",
    "stops by chance": "for x in q { emit flip(x, 1/4); let stop ~ bernoulli(1/3); if stop { return; } }",
}


def model(body: str, adjacency: str, people: int = 3) -> str:
    return (
        f"const N = {people};\n{HEADER}\nadjacency helper(a: [N] of Element, b: [N] of Element) = "
        f"count(i for i in 0..N-1 if a[i] != b[i]) <= 2;\n"
        f"mechanism tested(q: [N] of Element) {{ {body} }}\n"
        f"adjacency near(a: [N] of Element, b: [N] of Element) = {adjacency};"
    )


def load(body: str, adjacency: str, people: int = 3) -> tuple[Mechanisms, MechanismDecl, AppliedAdjacency]:
    source = model(body, adjacency, people)

    def nothing(path: str) -> SourceFile:
        raise OSError(path)

    program, diagnostics = check_program(load_program(SourceFile(name="test.pfl", text=source), nothing))
    assert program is not None, diagnostics
    values, _ = elaborate_globals(program, Options())
    declared = program.globals["test.pfl"]
    tested, near = declared["tested"], declared["near"]
    assert isinstance(tested, MechanismDecl)
    assert isinstance(near, AdjacencyDecl)
    applied = AppliedAdjacency(declaration=near, given=(), place=near.name.span)
    return Mechanisms(program, values, Budget()), tested, applied


def largest(compared: OutputTable) -> Fraction | str:
    """The largest ratio over whole runs."""
    assert compared.whole_run != "any"
    best: Fraction | str = Fraction(0)
    for comparison in Comparisons((compared.table,)):
        system = comparison.system
        level = [
            (
                {s: Fraction(w) for s, w in enumerate(comparison.left.vector) if w},
                {s: Fraction(w) for s, w in enumerate(comparison.right.vector) if w},
            )
        ]
        for _ in range(compared.whole_run[0]):
            following = []
            for pair in level:
                for matrix in system.matrices:
                    after: list[dict[int, Fraction]] = [{}, {}]
                    for vector, reached in zip(pair, after):
                        for state, weight in vector.items():
                            for target, entry in matrix[state]:
                                reached[target] = reached.get(target, Fraction(0)) + weight * Fraction(entry)
                    if any(after):
                        following.append((after[0], after[1]))
            level = following
        for left, right in level:
            masses = sum(left.values(), Fraction(0)), sum(right.values(), Fraction(0))
            for over, under in (masses, masses[::-1]):
                if over and not under:
                    return "inf"
                if over:
                    assert not isinstance(best, str)
                    best = max(best, over / under)
    return best


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_sequences_ask_the_same_question(name: str, adjacency: str) -> None:
    mechanisms, declaration, applied = load(BODIES[name], adjacency)
    divided = sequential_system(mechanisms, declaration, (), applied)
    built = None if divided is None else divided.noting(Divisors())
    if "a[0]" in adjacency:
        assert built is None
        return
    assert built is not None
    whole = MechanismSystems(mechanisms).system_of(declaration, ()).noting(Divisors())
    compared = compare_inputs(mechanisms, whole, [applied], epsilon=None)
    assert largest(compare_sequences(built, epsilon=None)) == largest(compared)
    one_sided = any("not the other way round" in warning.message for warning in compared.warnings)
    assert (built.doubts.one_sided is not None) == one_sided
    if not built.counted.without_output and compared.whole_run != "any":
        assert built.whole_run == compared.whole_run


@pytest.mark.parametrize("adjacency", [text for text in ADJACENCIES if "a[0]" not in text])
@pytest.mark.parametrize("name", ["a count", "an index", "backward", "shows first"])
def test_elements_given_as_letters_ask_the_same_question(
    name: str, adjacency: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where distributions after the last element would be too many, what is given is part of the letters."""
    monkeypatch.setattr(sequential_runs, "_MOST_PAIRS", 0)
    mechanisms, declaration, applied = load(BODIES[name], adjacency)
    divided = sequential_system(mechanisms, declaration, (), applied)
    built = None if divided is None else divided.noting(Divisors())
    assert built is not None
    assert built.gives_elements
    whole = MechanismSystems(mechanisms).system_of(declaration, ()).noting(Divisors())
    compared = compare_inputs(mechanisms, whole, [applied], epsilon=None)
    assert largest(compare_sequences(built, epsilon=None)) == largest(compared)


@pytest.mark.parametrize("name", [name for name in BODIES if name != "may be lost"])
@pytest.mark.parametrize("adjacency", ADJACENCIES[:4])
@pytest.mark.parametrize("most_pairs", [0, 50_000])
def test_the_number_of_inputs_does_not_decide_the_answer(
    name: str, adjacency: str, most_pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On whole runs and at every length: elements that are given are no outputs."""
    claims = ["compute epsilon tested { adjacent near; }", "compute epsilon tested { adjacent near; length 1..4; }"]
    monkeypatch.setattr(sequential_runs, "_MOST_PAIRS", most_pairs)
    found = []
    for few in (0, 100):
        monkeypatch.setattr(mechanism_system, "FEW_INPUTS", few)
        ratios: list[object] = []
        for result in check_text("\n".join([model(BODIES[name], adjacency), *claims])).results:
            assert isinstance(result.verdict, Computed)
            assert result.verdict.bound is not None
            ratios += [result.verdict.bound.ratio, *((value.name, value.value) for value in result.verdict.values)]
        found.append(ratios)
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_fifty_people_need_few_states() -> None:
    body = "var c = 0; for x in q { let y ~ flip(x, 1/4); c = c + y; } return c;"
    mechanisms, declaration, applied = load(body, ADJACENCIES[1], people=50)
    divided = sequential_system(mechanisms, declaration, (), applied)
    built = None if divided is None else divided.noting(Divisors())
    assert built is not None
    assert not built.gives_elements
    assert built.system.size == 52
    compared = compare_sequences(built, epsilon=None)
    assert len(compared.table.pairs) == 50
    assert compared.table.sides[0].label.startswith("q = [0, 0, ")
    assert largest(compared) == 3


@pytest.mark.parametrize(
    "body",
    [
        "for x in q { if x == 1 { emit x; } }",  # how many turns a value took is not seen
        "for x in q { if x == 0 { return 0; } let y ~ flip(x, 1/3); emit y; if y == 0 { return 0; } }",  # at both ends
        "let y ~ flip(0, 1/3); if y == 1 { return 5; } for x in q { emit x; }",  # coming to the loop would be seen
        "for x in q { let y ~ flip(x, 1/3); while y == 1 { } }",  # when a run is lost would be seen
        "var c = 0; for x in q { c = c + x; } for x in q { c = c + x; } return c;",
        "for i in 0..N-1 { emit q[(i + 1) mod N]; }",
        "for i in 0..N-2 { emit q[i]; }",
        "for k in 0..1 { for x in q { emit x; } }",
    ],
)
def test_what_would_ask_another_question_is_left_alone(body: str) -> None:
    mechanisms, declaration, applied = load(body, ADJACENCIES[1])
    assert sequential_system(mechanisms, declaration, (), applied) is None


TYPES = ("[3] of 0..2", "[3] of 0..1", "[3] of {0, 2}", "[3] of -1..0", "Some", "[2] of 0..2")


@st.composite
def adjacencies_by_type(draw: st.DrawFn) -> str:
    """Types of both sides that are wider, narrower or other than the mechanism's, also where others are called."""
    left, right, within = (draw(st.sampled_from(TYPES)) for _ in range(3))
    call = draw(st.sampled_from(["", f"called({draw(st.integers(0, 2))}, a, b) and ", "a == b or total(b) > 3 and "]))
    body = draw(st.sampled_from(["a != b", "count(i for i in 0..2 if a[i] != b[i]) == 1", "sum(a) < sum(b)"]))
    return (
        f"type Some = [3] of 1..2;\nfn total(a: {within}) = sum(a);\n"
        f"fn called(k: 0..2, a: [3] of 0..k, b: {within}) = sum(a) <= sum(b);\n"
        f"adjacency near(a: {left}, b: {right}) = {call}{body};\n"
    )


@given(adjacencies_by_type(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_types_of_adjacencies_count_where_elements_are_given(adjacency: str, shows: bool) -> None:
    """What lies outside them is related to nothing, is warned of, and may not be given to what is called."""
    turn = "if x == 0 then 1/3 else if x == 1 then 1/2 else 9/10"
    body = f"emit bernoulli({turn});" if shows else f"let y ~ bernoulli({turn}); if y {{ c = c + 1; }}"
    source = (
        f"{adjacency}mechanism tested(q: [3] of 0..2) {{ var c = 0; for x in q {{ {body} }} return c; }}\n"
        "compute epsilon tested { adjacent near; }"
    )
    found = []
    for few in (0, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mechanism_system, "FEW_INPUTS", few)
            report = check_text(source)
        bounds = [result.verdict.bound for result in report.results if isinstance(result.verdict, Computed)]
        ratios = [bound and bound.ratio for bound in bounds]
        left_out = [told.message for told in report.diagnostics if told.code is codes.NO_NEIGHBOUR]
        found.append((ratios, left_out, {told.code.number for told in report.diagnostics}))
    assert found[0] == found[1]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=3),
    st.integers(1, 4),
)
@settings(max_examples=25, deadline=None)
def test_random_counting_mechanisms(rules: list[tuple[int, int, int]], weight: int) -> None:
    """c := (c * m + y * k + j) mod 3 by turns, left early where it comes to 2 in some of them."""
    steps = " ".join(
        f"if i == {turn} {{ c = (c * {m} + y * {k} + 1) mod 3; if c == 2 and {j} == 1 {{ return 10 + c; }} }}"
        for turn, (m, k, j) in enumerate(rules)
    )
    body = f"var c = 0; for i in 0..N-1 {{ let y ~ flip(q[i], {weight}/5); {steps} }} return c;"
    mechanisms, declaration, applied = load(body, ADJACENCIES[1])
    divided = sequential_system(mechanisms, declaration, (), applied)
    built = None if divided is None else divided.noting(Divisors())
    assert built is not None
    whole = MechanismSystems(mechanisms).system_of(declaration, ()).noting(Divisors())
    assert largest(compare_sequences(built, epsilon=None)) == largest(
        compare_inputs(mechanisms, whole, [applied], epsilon=None)
    )
