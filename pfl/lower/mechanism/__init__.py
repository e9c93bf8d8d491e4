"""Mechanisms of a checked program, as labelled systems of what two runs show.

Comes in: a `MechanismDecl` that a claim names, the values of its given parameters, and an adjacency. Goes out: a
`MechanismSystem`, where each input is a start of one labelled system, or a `SequentialSystem`, where the inputs are
given while the runs go on; and the pairs of inputs that an adjacency relates.

Read first `mechanism`, where a declaration becomes a program and a graph. `mechanism_system` builds the system of all
inputs together. `adjacency` goes through the pairs that are related, `adjacency_sides` tells which inputs lie in its
types, and `adjacency_folds` reads off its text what must be remembered of two arrays to decide it element by element:
then `sequential_pairs` says which pairs of elements may be given next, `sequential_runs` follows two runs through them
where nothing is shown on the way, and `sequential_system` builds the system (docs/theory/sequential-inputs.md).
"""
