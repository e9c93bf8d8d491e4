"""What can stand at a place, in words, and an example of what is being written there."""

from __future__ import annotations

from pfl.frontend.syntax_situation import OPERAND_STARTS, Situation, kind

_OPERATORS = frozenset(
    {"=>", "or", "and", "not", "==", "!=", "<", "<=", ">", ">=", "in", "..", "+", "-", "*", "/", "div", "mod", "^"}
    | {"(", "[", ".", "@", "with", "|"}
)
"""What can always follow an operand, so that naming it says little."""

_ENDS = frozenset({"}", ")", "]", ";"})

_KINDS = {"NAME": "a name", "INT": "a number", "DECIMAL": "a number", "STRING": "a text in double quotes"}

_WHOLES = (
    ("let", "a statement"),
    ("emit", "a part of the hmm"),
    ("on", "a part of the automaton"),
    ("secrets", "a clause"),
    ("forall", "an expression"),
    ("set", "a type"),
    ("bag", "a value"),
)
"""A word that is accepted where, and only where, one of these can stand; the largest first."""

_FORMS = {
    "import_decl": "import std.noise;",
    "imported_name": "import std.noise { truncated_geometric as geometric };",
    "const_decl": "const N = 3;",
    "param_decl": "param p in (0, 1);",
    "assume_decl": "assume p <= 9/10;",
    "enum_decl": "enum Health { well, sick }",
    "type_decl": "type Query = [N] of 0..2;",
    "record_decl": "record Visit { who: 0..3, long: bool }",
    "fn_decl": "fn double(n: int): int = 2 * n;",
    "dist_decl": "dist coin(w: real) over bool = { true: w, false: 1 - w };",
    "prior_decl": "prior known(w: real) for Survey { .. }",
    "adjacency_decl": "adjacency close(a: int, b: int) = abs(a - b) <= 1;",
    "mechanism_decl": "mechanism noisy(q: Query) -> 0..2 { .. }",
    "relation_decl": "relation near(j: 0..2) for slots(2, 1) { balance 2*j*ln(2); holds left.cur == right.cur; }",
    "relation_clause": "holds left.cur == right.cur;",
    "parameter": "q: 0..2",
    "const_parameter": "const n: int",
    "hmm_decl": "hmm Weather { .. }",
    "automaton_decl": "automaton Door { .. }",
    "letters": "emits { quiet, cough };",
    "emit_clause": "emit x;",
    "init_block": "init x ~ { well: 1/2, sick: 1/2 };",
    "step_block": "step x ~ { well: 1/2, sick: 1/2 };",
    "step_line": "step x ~ { well: 1/2, sick: 1/2 };",
    "init_row": "init rainy: 3/5, sunny: 2/5;",
    "hmm_state": "rainy -> rainy: 7/10, sunny: 3/10;",
    "step_row": "rainy -> rainy: 7/10, sunny: 3/10;",
    "emits_row": "rainy emits walk: 1/10, shop: 9/10;",
    "state_variable": "state x: 0..2;",
    "states": "states rainy, sunny;",
    "channel": "data d: 0..1;",
    "channels": "query ask;",
    "output": "output yes, no;",
    "hidden": "hidden wait;",
    "start_state": "start idle;",
    "handler": "on query y { .. }",
    "automaton_state": "idle -- ask --> asked;",
    "transition": "idle -- ask --> asked;",
    "claim_decl": "check privacy noisy { epsilon ln(2); }",
    "claim_subject": "check privacy noisy { epsilon ln(2); }",
    "find_decl": "find p such that privacy noisy(p) { epsilon ln(2); }",
    "prior_clause": "prior known(p);",
    "for_clause": "for a in 0..2;",
    "secrets_clause": "secrets john vs not john;",
    "between_clause": "between { 0: 1 } and { 2: 1 };",
    "received_clause": "received close at most 1;",
    "returns_clause": "returns r where r > 1;",
    "observations_clause": "observations walk, _, clean;",
    "one_way_clause": "one way;",
    "limit_clause": "at most 1/2;",
    "let": "let x = e;",
    "var": "var x = e;",
    "for_statement": "for i in 0..2 { .. }",
    "while_statement": "while c { .. }",
    "forever_statement": "forever { .. }",
    "if_statement": "if c { .. } else { .. }",
    "match_statement": "match x { well => { .. } sick => { .. } }",
    "statement_arm": "well => { .. }",
    "receive": "receive y: 0..2;",
    "start": "start sick = 1;",
    "assignment": "x = e; or x ~ d;",
    "call_statement": "f(x);",
    "conditional": "if c then a else b",
    "forall": "forall x in S: condition",
    "exists": "exists x in S: condition",
    "binder": "[e for x in S if c]",
    "arm": "match x { well => 1, _ => 2 }",
    "match": "match x { well => 1, _ => 2 }",
    "distribution": "{ well: 9/10, sick: 1/10 }",
    "set_filter": "{x in S | condition}",
    "set": "{ a, b }",
    "bag": "bag {0, 1, 1}",
    "array": "[a, b]",
    "index": "a[i][j]",
    "projection": "t.0",
    "at": "x@3",
    "with": "v with { who = 2 }",
    "field_update": "v with { who = 2 }",
    "index_update": "a with { [i] = 2 }",
    "array_type": "[n] of T",
    "set_type": "set of T",
    "bag_type": "bag[n] of T",
    "mechanism_type": "mechanism(T) -> U",
}
"""An example of each production that a reader may be in the middle of."""


def form_of(s: Situation) -> str | None:
    """An example of the innermost thing that is being written, or None."""
    return next((_FORMS[name] for name in s.productions() if name in _FORMS), None)


def expected(s: Situation) -> str:
    """What can stand at the place: `an expression`, `a name or ``}```."""
    accepted = s.accepted
    options: list[str] = []
    if "+" in accepted and "forall" not in accepted and s.token and kind(s.token) in OPERAND_STARTS:
        options.append("an operator")
    for mark, whole in _WHOLES:
        if mark in accepted:
            options.append(whole)
            accepted &= _ENDS
    options += sorted({_KINDS[sign] for sign in accepted if sign in _KINDS})
    signs = sorted(accepted - _KINDS.keys(), key=lambda sign: (sign in _ENDS, sign))
    telling = [sign for sign in signs if sign not in _OPERATORS]
    if telling or options:
        options += [f"`{sign}`" for sign in telling]
    else:
        options += ["an operator"] if "+" in signs else [f"`{sign}`" for sign in signs]
    if len(options) > 5:
        options = [*options[:4], "something else"]
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
