"""Claims with noise and exponentials, of which some have proofs and others are false."""

NOISY = """
param y in (0, inf);
param small in [1/10, 2];
mechanism above(q: 0..1) -> bool {
    let noisy ~ laplace(q, 4/y);
    let threshold ~ laplace(0, 2/y);
    return noisy > threshold;
}
mechanism told(q: 0..2) -> 0..2 {
    let noisy ~ laplace(q, 1/y);
    return if noisy < 1/2 then 0 else if noisy < 3/2 then 1 else 2;
}
mechanism toss(x: bool) -> bool {
    let keeps ~ bernoulli(exp(small)/(1 + exp(small)));
    return if keeps then x else not x;
}
mechanism constant(q: 0..1) -> 0..2 {
    let noisy ~ two_sided_geometric(exp(-1/3), q);
    return if noisy < 0 then 0 else if noisy == 0 then 1 else 2;
}
mechanism tried(x: bool) -> bool {
    var more = true;
    while more { more ~ bernoulli(exp(-y)/2); }
    return x;
}
adjacency next(a: 0..2, b: 0..2) = abs(a - b) == 1;
adjacency differs(a: 0..1, b: 0..1) = a != b;
adjacency opposite(a: bool, b: bool) = a != b;

check noisy: privacy above { adjacent differs; epsilon y/2; }
check too_noisy: privacy above { adjacent differs; epsilon y/10; expect refuted; }
check by_logarithms: privacy told { adjacent next; epsilon y + ln(2)/2; }
check noisy_next: privacy told { adjacent next; epsilon y; }
check noisy_less: privacy told { adjacent next; epsilon y/2; expect refuted; }
check each_next: privacy told { for k in 0..1; adjacent next; epsilon (k + 1)*y; }
check noisy_slack: privacy told { adjacent next; epsilon y/2; delta 1/2; }
check noisy_no_slack: privacy told { adjacent next; epsilon y/10; delta 1/10; expect refuted; }
check honest: privacy toss { adjacent opposite; epsilon small; }
check honest_more: privacy toss { adjacent opposite; epsilon small + 1/100; }
check dishonest: privacy toss { adjacent opposite; epsilon 99*small/100; expect refuted; }
check at_once: privacy constant { adjacent differs; epsilon 1/3; }
check not_at_once: privacy constant { adjacent differs; epsilon 1/4; expect refuted; }
check at_once_slack: privacy constant { adjacent differs; epsilon 1/4; delta 1/4; }
check chance_of_noise: probability above(1) { returns true; at least 1/2; }
check less_noise: probability above(1) { returns true; at most 3/4; expect refuted; }
check exact_noise: probability above(1) { returns true; equals (6 - 4*exp(-y/4) + exp(-y/2))/6; }
check wrong_noise: probability above(1) { returns true; equals (6 - 5*exp(-y/4) + exp(-y/2))/6; expect refuted; }
check turns: expected steps tried(true) { at most 3; }
check few_turns: expected steps tried(true) { at most 1; expect refuted; }
check at_one: probability constant(0) { returns 1; at least 1/10; }
check not_at_one: probability constant(0) { returns 1; at least 9/10; expect refuted; }

automaton keeps {
    data d: 0..1;
    query ask: {go};
    output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask {
        let flip ~ bernoulli(exp(-y)/(1 + exp(-y)));
        respond if flip then 1 - x else x;
        x = 0;
    }
}
check kept: noninterference keeps { epsilon y; }
check kept_little: noninterference keeps { epsilon y/2; length 3; expect refuted; }
check kept_for_a_while: noninterference keeps { epsilon y; length 3; }
check kept_slack: noninterference keeps { epsilon y; delta 1/2; length 2; }
"""

NOISY_TRUE = (
    *("noisy", "by_logarithms", "noisy_next", "each_next", "noisy_slack", "honest", "honest_more", "at_once"),
    *("at_once_slack", "chance_of_noise", "exact_noise", "turns", "at_one", "kept", "kept_for_a_while"),
    "kept_slack",
)

NOISY_FALSE = (
    *("too_noisy", "noisy_less", "noisy_no_slack", "dishonest", "not_at_once", "less_noise", "wrong_noise"),
    *("few_turns", "not_at_one", "kept_little"),
)
