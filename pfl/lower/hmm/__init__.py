"""Hidden Markov models of a checked program, as tables of exact rows, and where claims start them.

Comes in: an `HmmDecl` or `PriorDecl` that a claim names, its arguments, and a compiler. Goes out: a `ReachedHmm` (a
`pfl.model.labelled_system.Hmm` with what its states and letters are called), and distributions over its states or over
the world of a prior and them. `pfl.passes.observe` makes the labelled system of it.

Read first `started`, what a prior gives values to, and `hmm`: `HmmModel` is what claims ask of a model, in either form.
`hmm_table` reads the rows of a table, `hmm_body` makes a program of a body and explores it. `hmm_systems` finds the
model and the priors that a claim is about, one object for equal arguments; `hmm_errors` has what shows only once
arguments or states are known.

A table has all the states that it lists, a body those that the starts reach. Of a body, a state is the values of all
state variables, as they are between two moves; letters that are declared come first, in their order.
"""
