"""From a claim to what is believed of it: an engine is asked, and what it says is checked before it counts.

Comes in: a `Claim` with its questions, `Options`, a `Budget`; from engines, an `Answer`. Goes out: a `Verdict`, with
its claim a `ClaimResult`, of a whole run `Findings`, told piece by piece if need be and then counted by a `Tally`.

A claim comes by these, each on those after it:

* `parallel`: one claim after the other, or each by a worker: `processes` of this machine, or those of a `cluster`,
  where each claim is judged `apart`;
* `judge`: one claim; limits and faults leave it undecided;
* `parameters`: all values of the parameters, those that are judged apart included (`everywhere`, of a find
  `everywhere_find`); what the verdicts on the parts come to (`apart`, `suprema`);
* `cases`: what a claim ranges over; and whether numbers are as a check requires;
* `conclude`: which engine is asked, and what its answer to one question is worth;
* `replay`: the only place that makes a `Witness` of words that an engine gave, and a `Refuted`; `certificates`:
  proofs, checked without the code that found them, written to files and read back.

Beside them, `carried` says what a proved refinement carries over, and `faults` makes diagnostics of exceptions.

Read first `pfl.engines.answer` (the kinds of verdict) and `verdict` (those that no engine makes), then `conclude`.

What always holds:

* `Refuted`: the words were run through the system itself, exactly, and exceed what is claimed. `Disproved` rests on the
  engine's exact computation, `Contradicted` on an exact number beside the one that is required.
  `Proved` and `checked`: its certificates were checked by other means. A number: the words that are said to attain it
  were run as well.
* A proof or a number holds for all values of the parameters but for those at which one of its `exceptional` conditions
  fails; `parameters` looks at these, so that none is left of what is proved or computed in a `ClaimResult`.
* What an engine said and turns out wrong is `Unknown` and `is_internal`: a fault of ours, and no verdict.
* Checking a certificate calls nothing of what searched for it: an error there can lose a proof, not let a wrong one
  pass. Which values of the parameters are judged apart, and whether any are left, is asked as it is for a verdict.
"""
