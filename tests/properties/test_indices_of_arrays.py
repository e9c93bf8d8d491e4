"""A model whose arrays are indexed by the values of an enum has the answers of the same model with numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.driver import check_text
from pfl.engines.answer import Computed

NAMES = ("ann", "bob", "eve")


@dataclass(frozen=True)
class Written:
    """How indices are written: by their names, or by numbers."""

    size: int
    by_name: bool

    @property
    def index_type(self) -> str:
        return "Who" if self.by_name else f"0..{self.size - 1}"

    @property
    def array(self) -> str:
        return f"[{'Who' if self.by_name else self.size}]"

    def index(self, position: int) -> str:
        return NAMES[position] if self.by_name else str(position)

    def listed(self, elements: list[str]) -> str:
        if not self.by_name:
            return f"[{', '.join(elements)}]"
        return f"[{', '.join(f'{name}: {element}' for name, element in zip(NAMES, elements))}]"

    def generated(self, element: str) -> str:
        """An array of what is written with `c` for the index."""
        return f"[{'c: ' if self.by_name else ''}{element} for c in {self.index_type}]"

    @property
    def declarations(self) -> str:
        names = NAMES[: self.size]
        turned = (*names[1:], names[0])
        arms = ", ".join(f"{one} => {other}" for one, other in zip(names, turned))
        next_ = f"match c {{ {arms} }}" if self.by_name else f"(c + 1) mod {self.size}"
        enum = f"enum Who {{ {', '.join(names)} }}\n" if self.by_name else ""
        return f"{enum}fn next(c: {self.index_type}): {self.index_type} = {next_};\n"


def conditions(size: int, array: str, index: str) -> st.SearchStrategy[str]:
    """Conditions on an array, in which `INDEX0` is the first index; `index` is a variable that is one, or empty."""
    element = st.integers(0, size - 1).map(lambda i: f"{array}[INDEX{i}]")
    if index:
        element |= st.sampled_from([f"{array}[{index}]", f"{array}[next({index})]"])
    return st.one_of(
        element.map(lambda e: f"{e} == 1"),
        st.tuples(element, element).map(lambda pair: f"{pair[0]} != {pair[1]}"),
        st.integers(0, size).map(lambda bound: f"sum({array}) <= {bound}"),
        st.sampled_from([f"1 in {array}", f"(exists k in INDICES: {array}[k] != {array}[next(k)])"]),
    )


def bits(size: int) -> st.SearchStrategy[str]:
    """An array of bits."""
    elements = st.lists(st.sampled_from("01"), min_size=size, max_size=size)
    return elements.map(lambda values: f"LISTED({';'.join(values)})")


@st.composite
def models(draw: st.DrawFn) -> tuple[int, str]:
    """How many indices there are, and a model with `ARRAY`, `INDICES`, `LISTED(..)`, `EACH(..)` and `INDEX0` in it."""
    size = draw(st.integers(1, 3))
    starts = draw(st.lists(bits(size), min_size=2, max_size=2, unique=True))
    flipped = f"INDEX{draw(st.integers(0, size - 1))}"
    steps = [
        f"a[{flipped}] ~ {{ 1: 1/3, 0: 2/3 }}",
        f"a = a with {{ [{flipped}] = 1 - a[{flipped}] }}",
        "a = EACH(a[next(c)])",
        f"a ~ if {draw(conditions(size, 'a', ''))} then point(a) else uniform([a, EACH(1 - a[c])])",
    ]
    return (
        size,
        f"""
hmm H {{
    state a: ARRAY of 0..1;
    init a ~ {{ {starts[0]}: 1/4, {starts[1]}: 3/4 }};
    emit if {draw(conditions(size, "a", ""))} then {{ yes: 3/4, no: 1/4 }} else {{ yes: 1/3, no: 2/3 }};
    step {draw(st.sampled_from(steps))};
}}
compute hidden: epsilon H {{ secrets a[INDEX0] == 1 vs a[INDEX0] == 0; length 2; }}
compute seen: likelihood H {{ observations yes, no, yes; }}
mechanism m(x: ARRAY of 0..1) -> ARRAY of 0..2 {{
    var y: ARRAY of 0..2 = EACH(0);
    for c in INDICES {{
        let up ~ bernoulli(1/4);
        if {draw(conditions(size, "x", "c"))} {{ y[c] = if up then 2 else x[c]; }} else {{ y[next(c)] = x[c]; }}
    }}
    return y;
}}
adjacency one(x: ARRAY of 0..1, y: ARRAY of 0..1) = count(k for k in INDICES if x[k] != y[k]) == 1;
compute private: epsilon m {{ adjacent one; }}
""",
    )


def text_of(model: tuple[int, str], *, by_name: bool) -> str:
    size, text = model
    written = Written(size, by_name)
    text = re.sub(r"LISTED\(([01;]*)\)", lambda found: written.listed(found[1].split(";")), text)
    text = re.sub(r"EACH\(((?:[^()]|\([^()]*\))*)\)", lambda found: written.generated(found[1]), text)
    text = text.replace("ARRAY", written.array).replace("INDICES", written.index_type)
    return written.declarations + re.sub(r"INDEX(\d)", lambda found: written.index(int(found[1])), text)


def answers(text: str) -> list[object]:
    findings = check_text(text)
    assert not [one for one in findings.diagnostics if one.severity == "error"], (text, findings.diagnostics)
    found: list[object] = []
    for result in findings.results:
        verdict = result.verdict
        assert isinstance(verdict, Computed), (text, verdict)
        found.append((verdict.value, verdict.bound and verdict.bound.ratio))
    assert len(found) == 3
    return found


@settings(max_examples=60)
@given(models())
def test_numbers_and_names_as_indices_have_the_same_answers(model: tuple[int, str]) -> None:
    assert answers(text_of(model, by_name=True)) == answers(text_of(model, by_name=False))
