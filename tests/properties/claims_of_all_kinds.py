"""Small models whose claims are of all kinds, most of them about one comparison or one number alone."""

from __future__ import annotations

from functools import cache

from pfl.driver import compile_text
from pfl.model.claims import Claim

HMMS = """
param p in [1/4, 1/2];
hmm Weather {
    states rainy, sunny;
    init  rainy: 3/5, sunny: 2/5;
    rainy -> rainy: 7/10, sunny: 3/10;
    sunny -> rainy: 2/5, sunny: 3/5;
    rainy emits walk: 1/10, shop: 2/5, clean: 1/2;
    sunny emits walk: 3/5, shop: 3/10, clean: 1/10;
}
hmm Flips(w: real) {
    state x: 0..1;
    init  x ~ bernoulli_of(1/3);
    emit  if x == 0 then { low: 3/4, high: 1/4 } else { low: w, high: 1 - w };
    step  x ~ if x == 0 then bernoulli_of(1/5) else bernoulli_of(2/3);
}
hmm Drifts(w: real) {
    state x: 0..1;
    init  x ~ bernoulli_of(1/3);
    emit  if x == 0 then { low: 3/4, high: 1/4 } else { low: 1/3, high: 2/3 };
    step  x ~ if x == 0 then bernoulli_of(w) else bernoulli_of(2/3);
}
dist bernoulli_of(q: real) over 0..1 = { 0: 1 - q, 1: q };
hmm Rests {
    state x: 0..2;
    init  x ~ { 0: 1/2, 1: 1/4, 2: 1/4 };
    emit  match x { 0 => { silent: 1/3, a: 2/3 }, 1 => { a: 1/4, b: 3/4 }, 2 => { silent: 1 } };
    step  x ~ match x { 0 => { 1: 1/2, 2: 1/2 }, 1 => { 0: 3/4, 2: 1/4 }, 2 => { 0: 2/5, 1: 3/5 } };
}
hmm Forgets {
    states one, two, both;
    init  one: 1/2, two: 1/2;
    one -> both: 1;
    two -> both: 1/3, two: 2/3;
    both -> both: 1;
    one emits a: 1/4, b: 3/4;
    two emits a: 2/3, b: 1/3;
    both emits a: 2/3, b: 1/3;
}
prior early(w: real) for Weather { start ~ { rainy: w, sunny: 1 - w }; }
prior told(w: real) for Flips { ill ~ bernoulli(w); start x ~ if ill then { 0: 1/4, 1: 3/4 } else { 0: 2/3, 1: 1/3 }; }

check start_proved:  pufferfish Weather { secrets rainy vs sunny; epsilon ln(10); length 2; }
check start_refuted: pufferfish Weather { secrets rainy vs sunny; epsilon ln(2); length 2; expect refuted; }
check later_proved:  pufferfish Weather { secrets rainy@1 vs sunny@1; epsilon ln(12); length 2; }
check later_refuted: pufferfish Weather { secrets rainy@2 vs sunny@0; epsilon ln(3/2); length 2; expect refuted; }
check between:       pufferfish Weather { between { rainy: 1/3, sunny: 2/3 } and { rainy: 3/4, sunny: 1/4 };
                                          epsilon ln(3); length 1; }
check two_priors:    pufferfish Weather { prior early(1/4); prior early(2/3); secrets rainy@1 vs sunny@1;
                                          epsilon ln(12); length 2; }
check slack_proved:  pufferfish Weather { secrets rainy vs sunny; epsilon ln(2); delta 1/2; length 2; }
check slack_refuted: pufferfish Weather { secrets rainy vs sunny; epsilon ln(2); delta 1/10; length 2; expect refuted; }
check any_proved:    pufferfish Weather { secrets rainy vs sunny; epsilon ln(20); length any; }
check any_refuted:   pufferfish Weather { secrets rainy vs sunny; epsilon ln(2); length any; expect refuted; }
check of_a_world:    pufferfish Flips(1/5) { prior told(1/3); secrets ill vs not ill; epsilon ln(2); length 2; }
check all_flips:     pufferfish Flips(p) { secrets x == 0 vs x == 1; epsilon ln(5); length 2; }
check not_all_flips: pufferfish Flips(p) { secrets x@1 == 0 vs x@1 == 1; epsilon ln(2); length 2; expect refuted; }
check drifts:        pufferfish Drifts(p) { secrets x@1 == 0 vs x@1 == 1; epsilon ln(6); length 2; }
check not_drifts:    pufferfish Drifts(p) { secrets x@1 == 0 vs x@1 == 1; epsilon ln(2); length 2; expect refuted; }
check drifts_far:    pufferfish Drifts(p) { secrets x@2 == 1 vs x == 0; epsilon ln(3); length 2; }
check drifts_slack:  pufferfish Drifts(p) { secrets x@1 == 0 vs x@1 == 1; epsilon ln(2); delta 3/5; length 2; }
check rests:         pufferfish Rests { secrets x == 0 vs x == 1; epsilon ln(9); length 2; }
compute how_much:    epsilon Weather { secrets rainy vs sunny; length 2; }
compute flips_most:  epsilon Flips(p) { secrets x == 0 vs x == 1; length 1; }
compute drifts_most: epsilon Drifts(p) { secrets x@1 == 0 vs x@1 == 1; length 1; }
compute any_much:    epsilon Forgets { secrets one vs two; length any; }
compute slack:       delta Weather { secrets rainy vs sunny; epsilon ln(2); length 2; }
compute with_slack:  epsilon Weather { secrets rainy vs sunny; delta 1/10; length 2; }
compute seen:        likelihood Weather { observations walk, _, clean; }
compute behind:      likelihood Weather { observations walk, shop; posterior; }
compute behind_rest: likelihood Rests { observations a, b; posterior; }
compute seen_of_all: likelihood Flips(p) { observations low, high; }
check seen_rarely:   likelihood Weather { observations clean, clean; at most 1/5; }
compute each_length: epsilon Weather { secrets rainy vs sunny; length 1..2; }
compute each_w:      epsilon Flips(w) { for w in {1/5, 2/5}; secrets x == 0 vs x == 1; length 1; }
find value: p such that pufferfish Flips(p) { secrets x == 0 vs x == 1; epsilon ln(5/2); length 1; }
find nothing: p such that pufferfish Flips(p) { secrets x == 0 vs x == 1; epsilon ln(3/2); length 1; expect none; }
find drift: p such that pufferfish Drifts(p) { secrets x@1 == 0 vs x@1 == 1; epsilon ln(5/2); length 1; }
find least: p such that pufferfish Flips(p) { secrets x == 0 vs x == 1; epsilon ln(5/2); length 1; minimise p; }
"""

CHAINS = """
param p in [1/4, 1/2];
hmm Gambler(w: real) {
    state coins: 0..4 = 2;
    step  coins ~ if coins in 1..3 then { coins + 1: w, coins - 1: 1 - w } else point(coins);
}
hmm Paid {
    states new, tried, done;
    init new: 2/3, tried: 1/3;
    new -> tried: 1/2, done: 1/2;
    tried -> new: 1/4, done: 3/4;
    done -> done: 1;
}
mechanism rolls(w: real) -> 0..2 {
    var face = 3;
    while face > 2 { tick 2; face ~ { 0: 1/8, 1: 1/4, 2: w, 3: 5/8 - w }; }
    return face;
}
compute win:       probability Gambler(2/5) { reach coins == 4; }
compute soon:      probability Gambler(2/5) { reach coins == 4; within 4; }
compute any_start: probability Gambler(2/5) { reach coins == 4; from any; }
compute win_all:   probability Gambler(p) { reach coins == 4; }
compute game:      expected steps Paid { until done; }
compute price:     expected cost rolls(1/2);
compute turns:     expected steps rolls(p);
compute results:   distribution rolls(1/2);
compute one_result: probability rolls(1/2) { returns 2; }
check  result:     probability rolls(1/2) { returns 2; equals 4/7; }
check  at_most:    probability rolls(1/2) { returns 2; at most 3/7; expect refuted; }
check  at_least:   expected cost rolls(1/2) { at least 2; }
check  specified:  distribution rolls(1/2) equals { 0: 1/7, 1: 2/7, 2: 4/7 };
check  misspecified: distribution rolls(1/2) equals { 0: 1/7, 1: 3/7, 2: 3/7 } { expect refuted; }
check  for_all:    probability rolls(p) { returns 2; at least 2/5; }
"""

MECHANISMS = """
import std.noise { truncated_geometric };
param p in [1/4, 1/2];
mechanism publish(a: real, count: 0..1) -> 0..1 { return { count: 1 - a, 1 - count: a }; }
mechanism noisy(count: 0..2) -> 0..2 { return truncated_geometric(1/3, count, 0, 2); }
mechanism pair(xs: [2] of 0..1) -> 0..1 {
    let first ~ publish(1/3, xs[0]);
    let second ~ publish(1/4, xs[1]);
    return if first == second then first else 0;
}
mechanism total(xs: [2] of 0..1) -> 0..2 {
    var sum: 0..2 = 0;
    for x in xs { sum = sum + x; }
    return match sum {
        0 => { 0: 1/2, 1: 1/3, 2: 1/6 }, 1 => { 0: 1/4, 1: 1/2, 2: 1/4 }, 2 => { 0: 1/6, 1: 1/3, 2: 1/2 }
    };
}
mechanism each(xs: [2] of 0..1) emits 0..1 { for x in xs { emit { x: 3/4, 1 - x: 1/4 }; } }
adjacency neighbours(a: [2] of 0..1, b: [2] of 0..1) = count(i for i in 0..1 if a[i] != b[i]) == 1;
mechanism answer(rounds: int) emits 0..1 {
    for round in 1..rounds {
        receive count: 0..1;
        emit { count: 2/3, 1 - count: 1/3 };
    }
}
mechanism mixed(rounds: int) emits 0..1 {
    for round in 1..rounds {
        receive count: 0..1;
        if count == 1 { emit { 0: 1/4, 1: 3/4 }; } else { emit { 0: 2/3, 1: 1/3 }; }
        receive other: 0..1;
    }
}
mechanism stream(x: 0..1) emits 0..1 {
    var y = x;
    forever { emit { y: 3/4, 1 - y: 1/4 }; y ~ { y: 2/3, 1 - y: 1/3 }; }
}
adjacency both(a: 0..1, b: 0..1) = a == 0 and b == 1;
adjacency ends(a: 0..2, b: 0..2) = a == 0 and b == 2;
adjacency one(a: [2] of 0..1, b: [2] of 0..1) = a[0] == 0 and b[0] == 1 and a[1] == b[1];
adjacency differ(a: 0..1, b: 0..1) = a != b;
prior drawn for noisy { ill ~ bernoulli(1/3); start count ~ if ill then { 1: 1/4, 2: 3/4 } else { 0: 1/2, 1: 1/2 }; }

check private:        privacy publish(1/4) { adjacent both; epsilon ln(3); }
check not_private:    privacy publish(1/4) { adjacent both; epsilon ln(2); expect refuted; }
check one_way:        privacy noisy { adjacent ends; one way; epsilon ln(9); }
check private_slack:  privacy noisy { adjacent ends; epsilon ln(2); delta 3/5; }
check little_slack:   privacy noisy { adjacent ends; epsilon ln(2); delta 1/3; expect refuted; }
check of_pairs:       privacy pair { adjacent one; epsilon ln(3); }
check of_totals:      privacy total { adjacent neighbours; epsilon ln(2); }
check not_of_totals:  privacy total { adjacent neighbours; epsilon ln(3/2); expect refuted; }
check element_wise:   privacy each { adjacent neighbours; epsilon ln(3); }
compute slack_turns:  delta each { adjacent neighbours; epsilon ln(2); }
check all_private:    privacy publish(p) { adjacent both; epsilon ln(3); }
check receiving:      privacy answer(2) { received differ; epsilon 2*ln(2); }
check receiving_less: privacy answer(2) { received differ; epsilon ln(2); expect refuted; }
check receiving_one:  privacy answer(2) { received differ at most 1; epsilon ln(2); }
check receiving_slack: privacy answer(2) { received differ; epsilon ln(2); delta 1/3; }
check first_output:   privacy mixed(2) { received differ; epsilon ln(3); length 1; }
compute each_output: epsilon mixed(2) { received differ; length 1..2; }
compute slack_each:  delta mixed(2) { received differ; epsilon ln(3/2); length 1..2; }
check streaming:      privacy stream { adjacent both; epsilon ln(5); length 2; }
check given_secret:   pufferfish noisy { prior drawn; secrets ill vs not ill; epsilon ln(8); }
compute private_most: epsilon noisy { adjacent ends; }
compute slack:        delta noisy { adjacent ends; epsilon ln(2); }
compute slack_all:    delta publish(p) { adjacent both; epsilon ln(2); }
compute with_slack:   epsilon noisy { adjacent ends; delta 1/9; }
compute received:     delta answer(2) { received differ; epsilon ln(2); }
find noise: p such that privacy publish(p) { adjacent both; epsilon ln(2); minimise p; }
find slack_noise: p such that privacy publish(p) { adjacent both; epsilon ln(2); delta 1/100; minimise p; }
"""

AUTOMATA = """
param p in [1/4, 1/2];
automaton last(k: 0..2, w: real) {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 1 - w, 1: w } else { 0: 1/4, 1: 3/4 }; x = 0; }
}
automaton late(k: 0..2, w: real) {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    state left: 0..k = 0;
    on data d { x = d; left = k; }
    on query ask {
        respond if x == 0 then { 0: 1 - w, 1: w } else { 0: 1/4, 1: 3/4 };
        if left == 0 { x = 0; } else { left = left - 1; }
    }
}
automaton draws {
    data d: {pt};  query y: {go};
    state x: 0..1 = 0;
    on data d { x ~ {0: 1/3, 1: 2/3}; }
    on query y {
        let o ~ if x == 0 then {0: 3/8, 1: 3/8, 2: 1/8, 3: 1/8} else {0: 1/2, 2: 1/4, 3: 1/4};
        x = o mod 2;
        respond o div 2;
    }
}
automaton door(w: real) {
    states idle, asked, yes_next, no_next, hurt;
    start { idle: 2/3, hurt: 1/3 };
    data knock;  query ask;  output yes, no;  hidden think;
    idle -- ask --> asked;
    idle -- knock --> { idle: 1/2, hurt: 1/2 };
    hurt -- ask --> { yes_next: 1/5, no_next: 4/5 };
    hurt -- knock --> hurt;
    asked -- think --> { yes_next: w, no_next: 1 - w };
    yes_next -- yes --> idle;
    no_next -- no --> idle;
}
automaton porch {
    states still, rung, lit, dark, numb;
    start { still: 2/3, numb: 1/3 };
    data knock;  query ask;  output yes, no;
    still -- ask --> { lit: 1/2, dark: 1/2 };
    still -- knock --> { still: 1/2, numb: 1/2 };
    numb -- ask --> { lit: 1/5, dark: 4/5 };
    numb -- knock --> numb;
    rung -- knock --> rung;
    rung -- ask --> dark;
    lit -- yes --> still;
    dark -- no --> still;
}
automaton bell {
    states on, off, low_next, high_next;  start on;
    data zero, one;  query mute;  output low, high;
    on  -- zero --> { low_next: 2/3, high_next: 1/3 };
    on  -- one  --> { low_next: 1/3, high_next: 2/3 };
    on  -- mute --> off;
    off -- zero --> off;
    off -- one  --> off;
    off -- mute --> on;
    low_next  -- low  --> on;
    high_next -- high --> on;
}
automaton chimes {
    states idle, first, second, dull;  start idle;
    data d;  query ask;  output ding, dong;
    idle   -- d    --> { idle: 3/4, dull: 1/4 };
    idle   -- ask  --> { first: 1/2, idle: 1/2 };
    dull   -- d    --> dull;
    dull   -- ask  --> { first: 1/3, idle: 2/3 };
    first  -- ding --> second;
    second -- dong --> idle;
}
relation near(j: 0..2) for late(1, 1/3) {
    balance j*ln(8/3);
    holds left.left == right.left and (if left.x == right.x then j == 0 else j == left.left + 1)
        or right.left == 1 and left.left == 0 and j == 2;
}

check family:       noninterference last(0, 1/3) { epsilon ln(8/3); }
check no_family:    noninterference last(0, 1/3) { epsilon ln(2); expect refuted; }
check short:        noninterference last(0, 1/3) { epsilon ln(8/3); length 3; }
check not_short:    noninterference last(0, 1/3) { epsilon ln(3/2); length 3; expect refuted; }
check replaced:     noninterference last(0, 1/3) { epsilon ln(8/3); adjacent replace; }
check not_replaced: noninterference last(0, 1/3) { epsilon ln(2); adjacent replace; expect refuted; }
check slack:        noninterference last(0, 1/3) { epsilon ln(3/2); delta 1/2; length 2; }
check little_slack: noninterference last(0, 1/3) { epsilon ln(3/2); delta 1/10; length 2; expect refuted; }
check words:        noninterference draws { epsilon ln(4); length 3; }
check of_door:      noninterference door(1/2) { epsilon ln(4); }
check not_of_door:  noninterference door(1/2) { epsilon ln(5/4); length 3; expect refuted; }
check rings:        noninterference bell { adjacent replace; epsilon ln(2); }
check rings_few:    noninterference bell { adjacent replace; epsilon ln(2); length 2; }
check not_rings:    noninterference bell { adjacent replace; epsilon ln(3/2); length 2; expect refuted; }
check left_out:     noninterference bell { epsilon ln(1000); expect refuted; }
check two_answers:  noninterference chimes { epsilon ln(3/2); length 3; }
check any_door:     noninterference door(p) { epsilon ln(4); length 2; }
compute most:       epsilon last(0, 1/3);
compute most_short: epsilon last(0, 1/3) { length 2; }
compute door_most:  epsilon door(1/2) { length 2; }
compute least_slack: delta last(0, 1/3) { epsilon ln(3/2); length 2; }
compute most_all:   epsilon last(0, p) { length 2; }
compute most_each:  epsilon last(0, 1/3) { length 1..3; }
compute slack_each: delta last(0, 1/3) { epsilon ln(3/2); length 1..2; }
compute bell_most:  epsilon bell { adjacent replace; length 2; }
check by_relation:  unwinding late(1, 1/3) by near { epsilon 2*ln(8/3); }
check unpaid:       unwinding late(1, 1/3) by near { epsilon ln(3); expect refuted; }
check late_family:  noninterference late(1, 1/3) { epsilon 2*ln(8/3); }
check implements last(0, 1/3) of last(1, 1/3);
check implements last(0, 1/3) of last(1, 1/4) { expect refuted; }
check doors:        implements door(1/2) of porch;
check bells:        implements bell of bell;
check over_sizes:   implements last(k, 1/3) of last(0, 1/3) { for k in 0..2; }
find answers: p such that noninterference last(0, p) { epsilon ln(2); length 2; }
"""

MODELS = {"hmms": HMMS, "chains": CHAINS, "mechanisms": MECHANISMS, "automata": AUTOMATA}


@cache
def claims() -> dict[str, Claim]:
    """The claims by their names, behind the name of their model."""
    found: dict[str, Claim] = {}
    for model, text in MODELS.items():
        compiled = compile_text(text, name=model)
        assert compiled.exit_code == 0, compiled.diagnostics
        found |= {f"{model}.{claim.name}": claim for claim in compiled.claims}
    return found
