"""From model to model: each file one pass, or a few that belong together.

`ORDER` are the passes in the order in which they are applied: what one of them makes is given to later ones alone.
Which of them a claim needs is said where its question is made, in `pfl/lower`; tests/passes has a page for each, and
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
    "pending",
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
