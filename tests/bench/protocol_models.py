"""Randomised protocols as the literature on model checking writes them, in PFL and in PRISM's language."""

from __future__ import annotations

PFL_LEADER = """
enum Phase {{ pick, read, decide, done }}

/// Itai and Rodeh's election of a leader in a synchronous ring: who has a number that nobody else has is elected.
hmm Leader(n: int, k: int) {{
    state phase: Phase = pick;
    state c: 1..n-1 = 1;                 // how far numbers were passed on
    state unique: [n] of bool = [false for i in 0..n-1];
    state own: [n] of 0..k-1 = [0 for i in 0..n-1];
    state seen: [n] of 0..k-1 = [0 for i in 0..n-1];
    step {{
        match phase {{
            pick => {{
                for i in 0..n-1 {{ own[i] ~ uniform(0..k-1); }}
                seen = own;
                unique = [true for i in 0..n-1];
                phase = read;
            }},
            read => {{
                seen = [seen[(i + 1) mod n] for i in 0..n-1];
                unique = [unique[i] and own[i] != seen[i] for i in 0..n-1];
                own = [if unique[i] then own[i] else 0 for i in 0..n-1];
                if c < n - 1 {{ c = c + 1; }} else {{
                    c = 1;
                    own = [0 for i in 0..n-1];
                    seen = own;
                    phase = decide;
                }}
            }},
            decide => {{
                phase = if (exists i in 0..n-1: unique[i]) then done else pick;
                unique = [false for i in 0..n-1];
            }},
            done => {{ phase = done; }}
        }}
    }}
}}
compute expected steps Leader({n}, {k}) {{ until phase == done; }}
"""


def prism_leader(n: int, k: int) -> str:
    """The model of PRISM's case studies: synchronous processes, renamed copies of the first."""
    picks = " + ".join(f"1/{k} : (s1'=1) & (p1'={v}) & (v1'={v}) & (u1'=true)" for v in range(k))
    copies = "\n".join(
        f"module process{i} = process1 [ s1=s{i}, p1=p{i}, v1=v{i}, u1=u{i}, v2=v{i % n + 1} ] endmodule"
        for i in range(2, n + 1)
    )
    anyone = " | ".join(f"u{i}" for i in range(1, n + 1))
    done = " & ".join(f"s{i}=3" for i in range(1, n + 1))
    return f"""
dtmc
const int N = {n};
module counter
  c : [1..N-1];
  [pick] true -> (c'=1);
  [read] c<N-1 -> (c'=c+1);
  [read] c=N-1 -> (c'=1);
  [done] {anyone} -> true;
  [retry] !({anyone}) -> true;
  [loop] s1=3 -> true;
endmodule
module process1
  s1 : [0..3]; u1 : bool; v1 : [0..{k - 1}]; p1 : [0..{k - 1}];
  [pick] s1=0 -> {picks};
  [read] s1=1 & u1 & p1!=v2 & c<N-1 -> (v1'=v2);
  [read] s1=1 & u1 & p1=v2 & c<N-1 -> (u1'=false) & (v1'=v2) & (p1'=0);
  [read] s1=1 & !u1 & c<N-1 -> (v1'=v2);
  [read] s1=1 & u1 & p1!=v2 & c=N-1 -> (s1'=2) & (v1'=0) & (p1'=0);
  [read] s1=1 & u1 & p1=v2 & c=N-1 -> (s1'=2) & (u1'=false) & (v1'=0) & (p1'=0);
  [read] s1=1 & !u1 & c=N-1 -> (s1'=2) & (v1'=0) & (p1'=0);
  [done] s1=2 -> (s1'=3) & (u1'=false) & (v1'=0) & (p1'=0);
  [retry] s1=2 -> (s1'=0) & (u1'=false) & (v1'=0) & (p1'=0);
  [loop] s1=3 -> true;
endmodule
{copies}
rewards "cost" true : 1; endrewards
label "goal" = {done};
"""


PFL_EGL = """
/// Even, Goldreich and Lempel's protocol for signing contracts. Each party learns one secret of each of the other's n
/// pairs, by oblivious transfer; then they send the bits of all secrets in turn. Who has both of a pair is bound.
hmm Egl(n: int, bits: int) {{
    state phase: 1..4 = 1;               // oblivious transfer, first secrets, second ones, the end
    state party: 1..2 = 1;               // who sends
    state bit: 1..bits = 1;
    state pair: 0..n-1 = 0;
    state a: [2 * n] of 0..bits = [0 for i in 0..2*n-1];      // how many bits A knows of each secret of B
    state b: [2 * n] of 0..bits = [0 for i in 0..2*n-1];
    step {{
        let at = if phase == 3 then pair + n else pair;
        if phase == 1 {{
            let first ~ bernoulli(1/2);
            let learned = if first then pair else pair + n;
            if party == 1 {{ b[learned] = bits; }} else {{ a[learned] = bits; }}
            if pair < n - 1 {{ pair = pair + 1; }} else {{
                pair = 0;
                if party == 1 {{ party = 2; }} else {{ party = 1; phase = 2; }}
            }}
        }} else if phase < 4 {{
            if party == 1 {{ b[at] = min(bits, b[at] + 1); party = 2; }} else {{
                a[at] = min(bits, a[at] + 1);
                party = 1;
                if pair < n - 1 {{ pair = pair + 1; }} else {{
                    pair = 0;
                    if bit < bits {{ bit = bit + 1; }} else {{ bit = 1; phase = phase + 1; }}
                }}
            }}
        }}
    }}
}}
fn holds(n: int, bits: int, x: [2 * n] of 0..bits): bool = exists i in 0..n-1: x[i] == bits and x[i + n] == bits;
compute probability Egl({n}, {bits}) {{ reach holds({n}, {bits}, b) and not holds({n}, {bits}, a); }}
"""


def prism_egl(n: int, bits: int) -> str:
    """The model of PRISM's case studies, with one variable for each secret, in modules that move together."""

    def known(party: str) -> str:
        return " | ".join(f"({party}{i}=L & {party}{i + n}=L)" for i in range(n))

    def receiver(party: str, other: int) -> str:
        lines = [f"  {party}{i} : [0..L];" for i in range(2 * n)]
        for i in range(n):
            lines.append(f"  [to{party}] phase=1 & n={i} -> 1/2 : ({party}{i}'=L) + 1/2 : ({party}{i + n}'=L);")
            for phase, at in ((2, i), (3, i + n)):
                lines.append(f"  [to{party}] phase={phase} & n={i} -> ({party}{at}'=min(L,{party}{at}+1));")
        return "\n".join([f"module receiver{other}", *lines, "endmodule"])

    return f"""
dtmc
const int N = {n};
const int L = {bits};
module counter
  phase : [1..4] init 1; party : [1..2] init 1; bit : [1..L] init 1; n : [0..N-1] init 0;
  [tob] phase=1 & party=1 & n<N-1 -> (n'=n+1);
  [tob] phase=1 & party=1 & n=N-1 -> (n'=0) & (party'=2);
  [toa] phase=1 & party=2 & n<N-1 -> (n'=n+1);
  [toa] phase=1 & party=2 & n=N-1 -> (n'=0) & (party'=1) & (phase'=2);
  [tob] (phase=2 | phase=3) & party=1 -> (party'=2);
  [toa] (phase=2 | phase=3) & party=2 & n<N-1 -> (party'=1) & (n'=n+1);
  [toa] (phase=2 | phase=3) & party=2 & n=N-1 & bit<L -> (party'=1) & (n'=0) & (bit'=bit+1);
  [toa] (phase=2 | phase=3) & party=2 & n=N-1 & bit=L -> (party'=1) & (n'=0) & (bit'=1) & (phase'=phase+1);
  [] phase=4 -> true;
endmodule
{receiver("b", 1)}
{receiver("a", 2)}
label "goal" = ({known("b")}) & !({known("a")});
"""
