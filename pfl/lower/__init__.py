"""From a checked program to what its claims ask: one file a kind of claim, one folder a kind of system.

Comes in: a `CheckedProgram`, the `GlobalValues` of its constants and parameters, and `Options`. Goes out: a
`pfl.model.claims.Claim` for each claim of the main file, its `cases` with a question each (`Compare`, `Measure` or
`Search`) about systems of `pfl.model`, or its `limit`; and every fault and warning found on the way, as `Diagnostics`.

Read first `claims`: `ClaimLowering` takes the claims one after the other, and its table says which function lowers
which. Then `request`: a `Request` is one claim with what it shares with the others (`Session`), a `Setting` one binding
of its `for` variables. Then any one kind:

| claim | about | file | question |
| --- | --- | --- | --- |
| `pufferfish`, `epsilon`, `delta` | hmm | `hmm_pufferfish` | `Compare`: starts, or secrets under a prior |
| the same, with `secrets` or `between` | mechanism | `mechanism_pufferfish` | `Compare`: the same |
| `privacy`, `epsilon`, `delta` | mechanism | `privacy` | `Compare`: inputs that an adjacency relates |
| `noninterference`, `epsilon`, `delta` | automaton | `noninterference` | `Compare`: `TwoRuns` |
| `unwinding .. by` | automaton | `relation` | `Compare`: `TwoRuns`, with a `Family` of relations |
| `implements .. of` | automaton | `relation` | `Compare`: `TwoSystems` |
| `likelihood` | hmm | `likelihood` | `Measure`: `Observed` |
| `probability`, `expected ..` | hmm | `hmm_runs` | `Measure`: `Reach`, `Cost` |
| `probability`, `expected ..`, `distribution` | mechanism | `mechanism_runs` | `Measure`: `Reach`, `Cost`, `Results` |
| `find` | a comparison | `find` | `Search` for values with which it holds |

`hmm`, `mechanism` and `automaton` build the systems, and say so on pages of their own. Of what several kinds share,
`comparing` has the clauses `length`, `epsilon` and `delta`, `pufferfish` priors and pairs of starts, `secrets` the
predicates, `claim_errors` the faults. `unclaimed` looks at what no claim is about.

What always holds:

* One claim at fault does not keep the others from being lowered; one that meets a limit says so in `Claim.limit`.
* A model, and the system of a mechanism on all its inputs, is built once for equal arguments; claims share it by
  identity, and so do all pairs, or runs, of one claim that start in it.
* What numbers were divided by is noted in `Request.divisors`: a claim says nothing where one of them is 0, but for
  `Claim.exceptional`, where it is judged anew.
* A pair that is not compared, as one of its secrets never happens, is warned of and named in `Compare.skipped`: nothing
  is left out in silence.
* Nothing is decided here: a question says what was asked, and engines answer it.
"""
