"""Deep trees and long chains neither overflow the stack nor take long."""

from __future__ import annotations

import pytest
from checking import check

from pfl.verify.faults import deep_recursion

_DEEP = 490

_MODELS = {
    "brackets and every operator": "fn f(x: bool): int = 1; const x = "
    + "f(true => false or true and not 1 == 2 or 1 + 2 * -3 ^ (" * (_DEEP // 5)
    + "1"
    + ") == 1)" * (_DEEP // 5)
    + ";",
    "calls": f"fn f(x: int): int = x; const x = {'f(' * _DEEP}1{')' * _DEEP};",
    "arrays": f"const x = {'[' * _DEEP}1{']' * _DEEP};",
    "array types": f"type T = {'[1] of ' * _DEEP}bool;",
    "quantifiers": "const x = " + "".join(f"forall i{k} in 0..1: " for k in range(_DEEP)) + "true;",
    "match": f"const x = {'match true { _ => ' * _DEEP}1{'}' * _DEEP};",
    "if": f"const x = {'if true then 1 else ' * _DEEP}1;",
    "indices": f"const x = {'[' * 200}1{']' * 200}{'[0]' * 200};",
    "blocks": f"mechanism f() {{ {'if true {' * _DEEP}emit 1;{'}' * _DEEP} }}",
    "else if": f"mechanism f() {{ {'if true { emit 1; } else ' * _DEEP}{{ emit 2; }} }}",
    "responses": "automaton A { query y: bool; state s: bool = true; on query y { "
    + f"{'if y { respond s; } else ' * _DEEP}{{ respond y; }} }} }}",
    "a long sum": f"const x = {'1 + ' * 5000}1;",
    "a chain of functions": "".join(f"fn f{k}(x: int) = f{k + 1}(x);\n" for k in range(600)) + "fn f600(x: int) = x;",
    "a chain of constants": "".join(f"const c{k} = c{k + 1};\n" for k in range(600)) + "const c600 = 1;",
}


@pytest.mark.parametrize("name", _MODELS)
def test_a_deep_model_is_accepted(name: str) -> None:
    with deep_recursion():
        program, found = check(_MODELS[name])
    assert program is not None, [diagnostic.message for diagnostic in found]
