"""Automata of a checked program, as interactive systems.

Comes in: an `AutomatonDecl` that a claim names, its arguments, and a compiler. Goes out: a
`pfl.model.interactive.InteractiveSystem`, in which hidden steps are closed and only inputs and responses are left.

Read first `automata`, which finds the automaton that a claim is about, one object for equal arguments, and decides how
much of it is explored. `automaton` makes a program of handlers and explores it; `automaton_table` reads transitions off
a table. Both close hidden steps in `pfl.passes` (`interactive`, `close_plts`).
"""
