"""From model to model: each file one pass, or a few, whose docstrings say in which sense they keep what is asked.

Comes in, and goes out: what `pfl.model` holds, nothing of syntax. Where a pass divides, its result is `Divided`: it
holds where no divisor is 0, and whoever takes it has to say where the divisors go.

`exploration` decides how much of a program is explored, by what is asked of it.

Closing the steps that nobody sees, which gives a run's next visible step and where it leaves the run:

* `close_silent`: of a transition graph. `labelled` makes the labelled system of the graph with it, `run_chain` the
  Markov chain of its runs, `interactive` the interactive system of an automaton with handlers;
* `close_plts`: of a table of transitions, as an interactive system;
* `observe`: of a hidden Markov model, as a labelled system.

Bringing a question into a form that engines know:

* `condition`: a chain on what happens at some moments; `about_to_show`: starts put off to the letter that comes next;
* `limits`: a system that counts by itself what a length cannot. Two runs, and two systems, become one system in
  `pfl/model/two_runs.py` and `pfl/model/two_systems.py`, when something reads it;
* `substitute`: parameters with values; `equations`: equations between them, put in; `own_units`: exponentials that are
  parameters, in the coarsest units.

Making it smaller: `lump` (states that no word tells apart), `reached` (the part that two starts reach), `alike`
(comparisons that ask the same).

Read first `close_silent`, then `labelled`. What always holds: letters keep their names and, where nothing else is said,
their order; states keep the order in which they were found; weights stay exact, and none that is written is 0.

`ORDER` are the passes in the order in which they are applied: what one of them makes is given to later ones alone.
Nothing runs over the list: which of them a claim needs is said where its question is made, in `pfl/lower`. Those that
put two runs, or two systems, side by side lie in `pfl/model`; tests/passes has a page for each, and
holds this list against what is done.
"""

from __future__ import annotations

ORDER = (
    # a program that was explored, or a table
    "close_silent",
    "run_chain",
    "interactive",
    "hidden_steps",
    "close_plts",
    "close_plts_apart",
    # an hmm
    "condition",
    "observe_showing",
    "observe",
    # what an adversary sees
    "labelled",
    "about_to_show",
    "lump",
    "limit_outputs",
    # runs of an automaton, or two automata
    "side_by_side",
    "take_apart",
    "next_to_each_other",
    "limit_inputs",
    # a question
    "without_repetitions",
    "reached",
    "substitute",
)
