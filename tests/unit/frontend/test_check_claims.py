"""Claims and finds: kinds, systems, arguments, clauses."""

from __future__ import annotations

import pytest
from checking import accepted, assert_reports, check, message

from pfl.syntax.tree.ast_declarations import Param, PriorDecl
from pfl.syntax.tree.ast_module import ClaimDecl, Clause, FindDecl, Versus
from pfl.syntax.tree.vocabulary import CLAUSES, FIND, FORMS, REPEATABLE, forms
from pfl.typecheck.bindings import Builtin, Local, Symbol
from pfl.typecheck.claims.claim_errors import EXAMPLES

MODEL = """
enum Health { well, sick }
param p in (0, 1);
param w in (0, 1/2);
hmm A { state x: Health; init x = well; emit { quiet: 1/2, cough: 1/2 }; }
hmm B(n: int) { state x: Health; state y: 0..n; emit y; }
hmm T { states rainy, sunny; init rainy; rainy emits walk; sunny emits shop; }
hmm N { states rainy, sunny; rainy -> sunny; sunny -> rainy; }
prior pa(v: real) for A { john ~ bernoulli(v); jim ~ bernoulli(1/2); start x = if john then sick else well; }
prior pa2 for A { john ~ bernoulli(1/2); jim ~ uniform(0..1); start x = well; }
prior pa3 for A { john ~ bernoulli(1/2); start x = well; }
prior pb for B { x0 ~ bernoulli(1/2); start x = well; start y = 0; }
mechanism f(n: int, q: [n] of bool, const k: 0..3) -> {yes, no} { return if q[0] then yes else no; }
mechanism g(x: 0..2) { forever { emit x; } }
mechanism h(x: 0..2, y: bool) -> bool { return y; }
mechanism r() { receive y: 0..2; emit y; }
mechanism c() -> bool { return bernoulli(1/2); }
automaton M { query y: bool; state s: bool = true; on query y { respond s; } }
adjacency bits(n: int, a: [n] of bool, b: [n] of bool) = count(i for i in 0..n-1 if a[i] != b[i]) <= 1;
adjacency one(a: 0..2, b: 0..2) = abs(a - b) <= 1;
adjacency both(a: 0..2, b: bool, c: 0..2, d: bool) = a == c or b == d;
"""


def test_well_formed_claims() -> None:
    accepted(
        MODEL
        + """
        check pufferfish A { prior pa(p); prior pa3; secrets john vs not john; epsilon ln(2); length any; }
        check pufferfish A { secrets x@2 == well vs x@2 == sick; epsilon 1; length 1..4; delta 1/10; }
        check pufferfish A { prior pa(1/2); secrets john and x@1 == well vs not john; epsilon 1; length 1; }
        check pufferfish A { for a in Health; for b in Health; secrets x@1 == a vs x@1 == b; epsilon 0; length 1; }
        check pufferfish B(2) { between { (well, 0): 1 } and { (sick, 1): 1 }; epsilon 0; length 2; }
        check pufferfish T { secrets rainy@1 vs sunny@1; epsilon 0; length 2; }
        check pufferfish T { between { rainy: 1 } and { sunny: 1/2, rainy: 1/2 }; epsilon 0; length 2; }
        check named: privacy f(2, 1) { adjacent bits(2); epsilon ln(2); delta 0; one way; expect refuted; }
        check privacy g { adjacent one; epsilon 0; length 3; }
        check privacy h { adjacent both; adjacent both; epsilon 0; }
        check privacy r { received one at most 1; epsilon 0; }
        check privacy r { epsilon 0; }
        check pufferfish h { prior ph; secrets john vs not john; epsilon 0; }
        check pufferfish h { between { (0, true): 1 } and { (1, true): 1 }; epsilon 0; }
        prior ph for h { john ~ bernoulli(1/2); start x = 1; start y = john; }
        compute epsilon A { prior pa(1/3); secrets john vs not john; length 2; }
        compute delta f(2, 1) { adjacent bits(2); epsilon ln(2); }
        compute probability f(2, [true, false], 1) { returns yes; }
        compute probability f(2, 1) { returns v where v == yes; }
        compute probability c();
        compute probability c;
        check probability c { terminates; at least 1/2; }
        compute probability A { reach x == sick; within 3; from x == well; }
        compute probability N { reach sunny; from { rainy: 1 }; }
        compute distribution h;
        check distribution h(1, true) equals { true: 1 };
        compute expected steps A { from any; until x == sick; }
        compute expected cost g(1);
        compute likelihood T { observations walk, _, shop; posterior; }
        compute likelihood A { prior pa(1/3); observations quiet, cough; }
        find p such that pufferfish A { prior pa(p); secrets john vs not john; epsilon 1; length 1; minimise p; }
        find solution: w, p such that named { expect none; maximise w + p; }
        """
    )


def test_kinds_and_systems() -> None:
    assert_reports(
        MODEL
        + """
        check pufferfsh A { }  //~ PFL0501
        compute privacy g { }  //~ PFL0501
        check pufferfish Missing { }  //~ PFL0204
        check pufferfish pa { }  //~ PFL0204
        check privacy A { epsilon 0; }  //~ PFL0505
        check pufferfish M { epsilon 0; }  //~ PFL0505
        compute likelihood g { observations 1; }  //~ PFL0505
        compute distribution A;  //~ PFL0505
        """
    )


def test_what_a_claim_of_another_kind_of_system_would_be() -> None:
    assert message(MODEL + "check privacy A { epsilon 0; }")[1] == "for an hmm, write `check pufferfish A ..`"
    assert (
        message(MODEL + "check privacy M { epsilon 0; }")[1] == "for an automaton, write `check noninterference M ..`"
    )
    assert message(MODEL + "compute privacy g { }")[1] == "write `check privacy ..`"


def test_arguments() -> None:
    assert_reports(
        MODEL
        + """
        check privacy f { adjacent bits(2); epsilon 0; }  //~ PFL0507
        check privacy f(2) { adjacent bits(2); epsilon 0; }  //~ PFL0507
        check privacy f(2, [true, true], 1) { adjacent bits(2); epsilon 0; }  //~ PFL0507
        check privacy f(1/2, 1) { adjacent bits(2); epsilon 0; }  //~ PFL0301
        check privacy f(2, 1) { adjacent bits; epsilon 0; }  //~ PFL0507
        check privacy f(2, 1) { adjacent bits(true); epsilon 0; }  //~ PFL0301
        compute probability f(2, [true, true]) { returns yes; }  //~ PFL0301
        compute probability f(2) { returns yes; }  //~ PFL0507
        compute probability f(2, [1], 1) { returns yes; }  //~ PFL0301
        check pufferfish A(1) { prior pa; secrets john vs not john; epsilon 0; length 1; }  //~ PFL0507 PFL0507
        check pufferfish A { prior pa(true); secrets john vs not john; epsilon 0; length 1; }  //~ PFL0301
        compute likelihood T { for i in 0..2; for j in 0..i; observations walk; }
        check pufferfish B(m) { for m in 0..2; prior pb; secrets x0 vs not x0; epsilon m; length 1; }
        """
    )
    assert message(MODEL + "check privacy f { adjacent bits(2); epsilon 0; }")[0] == "`f` is not given `n`, `k`"


def test_clauses_known_once_and_enough() -> None:
    assert_reports(
        MODEL
        + """
        check privacy g { adjacent one; epsilon 0; length 1; reach 3; }  //~ PFL0502
        check privacy g { adjacent one; epsilonn 0; length 1; }  //~ PFL0502
        check privacy g { adjacent one; epsilon 0; epsilon 1; length 1; }  //~ PFL0503
        check privacy g { adjacent one; epsilon 0; }  //~ PFL0504
        check privacy g { epsilon 0; length 1; }  //~ PFL0504
        check privacy g { adjacent one; length 1; }  //~ PFL0504
        check privacy c { epsilon 0; }  //~ PFL0515
        check privacy c { adjacent one; epsilon 0; }  //~ PFL0511
        compute epsilon c;  //~ PFL0515
        compute delta g { adjacent one; length 1; }  //~ PFL0504
        check pufferfish A { epsilon 0; length 1; }  //~ PFL0504
        check pufferfish A { secrets x == well vs x == sick; }  //~ PFL0504 PFL0504
        check pufferfish h { secrets x == 1 vs x == 2; epsilon 0; }  //~ PFL0504
        check probability c { terminates; }  //~ PFL0504
        check probability c { terminates; equals 1; at most 1; }  //~ PFL0503
        compute probability h { returns true; terminates; }  //~ PFL0503
        compute probability g(1);  //~ PFL0504
        compute probability A;  //~ PFL0504
        compute likelihood T { expect proved; observations walk; }  //~ PFL0502
        compute probability c { equals 1/2; }  //~ PFL0502
        compute likelihood A { prior pa3; prior pa3; observations quiet; }  //~ PFL0503
        """
    )


def test_the_verb_is_named_where_the_other_one_has_the_clause() -> None:
    assert message(MODEL + "compute probability c { equals 1/2; }")[0] == (
        "`compute probability` of a mechanism has no clause `equals`"
    )


def test_values_of_clauses() -> None:
    assert_reports(
        MODEL
        + """
        check privacy g { adjacent one; epsilon true; delta ln(2); length 1/2; }  //~ PFL0301 PFL0315 PFL0301
        check privacy g { adjacent 3; epsilon 0; length 1; expect failed; }  //~ PFL0506 PFL0506
        check privacy g { adjacent pa; epsilon 0; length 1; }  //~ PFL0204
        check privacy g { adjacent oen; epsilon ; length 1; }  //~ PFL0204 PFL0506
        check privacy h { adjacent one; epsilon 0; }  //~ PFL0511
        check privacy f(2, 1) { adjacent one; epsilon 0; }  //~ PFL0511
        check privacy r { received both; epsilon 0; }  //~ PFL0511
        check privacy r { received bits(2); epsilon 0; }  //~ PFL0511
        check privacy r { received one at most true; epsilon 0; }  //~ PFL0301
        check privacy g { adjacent one; received one; epsilon 0; length 1; }  //~ PFL0511
        check pufferfish A { prior 3; secrets john vs 1; epsilon 0; length 1; }  //~ PFL0506 PFL0301
        check pufferfish A { prior pa3; secrets john vs 1; epsilon 0; length 1; }  //~ PFL0301
        check pufferfish A { between { 0: 1 } and well; epsilon 0; length 1; }  //~ PFL0301
        check pufferfish A { between true and well; epsilon 0; length 1; }  //~ PFL0301
        check pufferfish A { between { wel: 1 } and { sick: 1 }; epsilon 0; length 1; }  //~ PFL0201
        check pufferfish T { between { rainy: 1 } and { suny: 1 }; epsilon 0; length 1; }  //~ PFL0215
        compute probability A { reach x; within true; from y == 1; }  //~ PFL0301 PFL0301 PFL0201
        compute probability h { returns 3; }  //~ PFL0301
        compute probability f(2, 1) { returns yess; }  //~ PFL0201
        compute probability f(2, 1) { returns v where v; }  //~ PFL0301
        compute probability g(1) { returns 3; }  //~ PFL0506
        compute distribution r;  //~ PFL0514
        compute likelihood T { observations walk, shpo; }  //~ PFL0201
        compute likelihood N { from any; observations walk; }  //~ PFL0502 PFL0506 PFL0512
        check distribution h() equals { 1: 1 };  //~ PFL0301
        check distribution f(2, 1) equals { yes: 1/2, noo: 1/2 };  //~ PFL0201
        check pufferfish A { for i in 3; secrets x == i vs x == well; epsilon 0; length 1; }  //~ PFL0314
        check pufferfish A { for x in Health; secrets x == well vs x == sick; epsilon 0; length 1; }  //~ PFL0206
        """
    )


def test_secrets_see_the_world_and_the_state_at_moments() -> None:
    assert_reports(
        MODEL
        + """
        check pufferfish A { secrets john vs not john; epsilon 0; length 1; }  //~ PFL0201
        check pufferfish A { prior pb; secrets john vs not john; epsilon 0; length 1; }  //~ PFL0509
        check pufferfish A { prior pa(p); prior pa3; secrets jim vs not jim; epsilon 0; length 1; }  //~ PFL0201
        check pufferfish A { prior pa(p); prior pa2; secrets jim vs not jim; epsilon 0; length 1; }  //~ PFL0201
        check pufferfish A { prior pa3; secrets john@1 vs not john; epsilon 0; length 1; }  //~ PFL0317
        check pufferfish A { secrets x@1@2 == well vs x@(true) == well; epsilon 0; length 1; }  //~ PFL0317 PFL0301
        check pufferfish A { secrets x@1 == 1 vs x@(1) == well; epsilon 0; length 1; }  //~ PFL0303
        compute probability A { reach x@1 == well; }  //~ PFL0317
        check pufferfish h { prior ph; secrets john@1 vs not john; epsilon 0; }  //~ PFL0317
        prior ph for h { john ~ bernoulli(1/2); start x = 1; start y = john; }
        """
    )
    _, advice = message(MODEL + "check pufferfish A { secrets john vs x == well; epsilon 0; length 1; }")
    assert advice == "secrets about more than the state need a `prior` that draws it"
    text = MODEL + "check pufferfish A { prior pa(p); prior pa3; secrets jim vs john; epsilon 0; length 1; }"
    assert message(text)[1] == "prior `pa3` does not draw `jim`"


def test_a_state_and_the_world_may_share_a_name() -> None:
    program = accepted(
        """
        hmm H { state sick: 0..2; emit sick; }
        prior p for H { sick ~ bernoulli(1/2); start sick = if sick then 2 else 0; }
        check pufferfish H { prior p; secrets sick vs sick@1 == 0; epsilon 0; length 1; }
        """
    )
    claim = program.main.declarations[2]
    assert isinstance(claim, ClaimDecl)
    secrets = claim.clauses[1].value
    assert isinstance(secrets, Versus)
    world = program.target(secrets.left)
    assert isinstance(world, Local)
    assert world.kind == "world"


def test_a_start_is_needed() -> None:
    assert_reports(
        """
        hmm H { state x: bool; emit x; }
        prior p for H { start x = true; }
        compute likelihood H { observations true; }  //~ PFL0512
        compute likelihood H { prior p; observations true; }
        compute probability H { reach x; }  //~ PFL0512
        compute probability H { reach x; from any; }
        check pufferfish H { secrets x vs not x; epsilon 0; length 1; }  //~ PFL0512
        check pufferfish H { between { true: 1 } and { false: 1 }; epsilon 0; length 1; }
        """
    )


def test_names_of_claims_and_finds() -> None:
    assert_reports(
        MODEL
        + """
        check good: privacy g { adjacent one; epsilon 0; length 1; }
        check good: privacy g { adjacent one; epsilon 0; length 1; }  //~ PFL0508
        compute other: epsilon g { adjacent one; length 1; }
        find first: p such that good;
        find p such that goood;  //~ PFL0204
        find p such that g;  //~ PFL0204
        find p such that first;  //~ PFL0513
        find p such that other;  //~ PFL0513
        find p such that probability c { equals 1/2; }  //~ PFL0513
        find q such that good;  //~ PFL0510
        find f such that good;  //~ PFL0510
        find p, p such that good;  //~ PFL0218
        find p such that good { minimise p; maximise p; expect refuted; reach p; }  //~ PFL0503 PFL0506 PFL0502
        find p such that good { minimise true; minimise p; }  //~ PFL0301 PFL0503
        check privacy g { adjacent one; epsilon 0; length 1; minimise p; }  //~ PFL0502
        """
    )


def test_a_named_claim_and_its_parameters_are_bound() -> None:
    program = accepted(MODEL + "check good: privacy g { adjacent one; epsilon 0; length any; } find p such that good;")
    claim, find = program.claims()
    assert isinstance(claim, ClaimDecl)
    assert isinstance(find, FindDecl)
    assert program.target(find.target) is claim
    assert isinstance(program.target(find.names[0]), Param)
    length = next(clause for clause in claim.clauses if clause.keyword.text == "length")
    assert isinstance(length, Clause)
    assert program.target(length.value) == Builtin(name="any")  # type: ignore[arg-type]


def test_symbols_of_the_system_are_known_in_its_claims() -> None:
    program = accepted(MODEL + "compute probability f(2, 1) { returns yes; }")
    (claim,) = program.claims()
    assert isinstance(claim, ClaimDecl)
    value = claim.clauses[0].value
    assert program.target(value) == Symbol(name="yes")  # type: ignore[arg-type]
    assert not any(isinstance(target, PriorDecl) for target in program._targets.values() if target is value)


def test_the_table_of_kinds_is_consistent() -> None:
    assert set(EXAMPLES) == CLAUSES
    for form in FORMS:
        assert form.clauses <= CLAUSES
        assert not form.required & form.optional
        assert forms(form.verb, form.kind)
    assert REPEATABLE <= CLAUSES
    assert FIND <= CLAUSES
    assert len({(form.verb, form.kind, form.system) for form in FORMS}) == len(FORMS)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.verb} {form.kind} {form.system}")
def test_every_required_clause_is_missed(form: object) -> None:
    assert form in FORMS
    system = {"hmm": "A", "mechanism": "h", "automaton": "M"}[form.system]  # type: ignore[attr-defined]
    relation = {"of": " of M", "by": " by R", None: ""}[form.relation]  # type: ignore[attr-defined]
    text = f"{MODEL} relation R for M {{ balance 0; holds true; }} {form.verb} {form.kind} {system}{relation};"  # type: ignore[attr-defined]
    _, found = check(text)
    messages = " ".join(diagnostic.message for diagnostic in found)
    for keyword in form.required:  # type: ignore[attr-defined]
        assert f"`{keyword}`" in messages


def test_a_system_at_fault_is_reported_once() -> None:
    assert_reports(
        """
        hmm H { states a, b; state x: bool; }  //~ PFL0410
        prior p for H { john ~ bernoulli(1/2); start x = john; }
        prior q for Missing { john ~ bernoulli(1/2); start x = john; start ~ { 1: 1 }; }  //~ PFL0204
        check pufferfish H { prior p; secrets john and x@1 vs y; epsilon 0; length 1; }
        check pufferfish H { prior q; secrets john vs y; epsilon 0; length 1; }
        automaton A { query y: bool; on query y { respond y; } }  //~ PFL0414
        relation r for A { balance 0; holds left.x == right.x; }
        relation s for B { balance 0; holds left.x == right.x; }  //~ PFL0204
        check unwinding A by r { epsilon 0; }
        """
    )


def test_secrets_and_adjacencies_are_two_ways_to_compare() -> None:
    assert_reports(
        MODEL
        + """
        prior ph for h { john ~ bernoulli(1/2); start x = 1; start y = john; }
        compute epsilon h { prior ph; secrets john vs not john; }
        compute epsilon h { adjacent both; }
        compute epsilon h { prior ph; secrets john vs not john; adjacent both; }  //~ PFL0503
        """
    )
