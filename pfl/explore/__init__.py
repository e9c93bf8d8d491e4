"""Programs are run on all their choices at once, and become graphs.

Comes in: a `pfl.model.program.Program`, and starts that give its inputs values. Goes out: a
`pfl.model.transition_graph.TransitionGraph` of the states that can be reached, with exact weights and what each step
shows. What is done with a graph is in `pfl.passes`.

Read first `explore`, the breadth-first loop, which is short because the others leave it nothing to interpret:

* `liveness` says which slots are read again after each point, and at which points a run makes a state at all (`Cuts`);
* `regions` makes one Python function for each such point, which takes a state there, runs on through deterministic
  code, and appends the transitions to the arrays of the graph;
* `steps` takes the steps of a chain at once, with functions of their own (`step_code`): its states are those between
  steps. `stretches` and `pieces` are what generated code has in common;
* `noise_graph` explores programs that draw noise without bounds, whose states hold what `held_values` has in place of
  samples;
* `errors` says what a reader is told where it cannot go on: the path to a fault, or the variable that makes the states
  many.

What always holds (docs/theory/exploration.md):

* A state is a point and the values of the slots that are live there: runs that differ only in what is never read again
  are one. So the order of live slots is that in which the program declares them, and never depends on a run.
* States are numbered in the order in which they are found, breadth first from the starts: the path to a state is as
  short as any, and two explorations of one program give one graph, number for number.
* A step shows at most one thing. Between two states a run passes deterministic code, one draw or one input; of a chain,
  all that happens between two moves.
* The weights of a row sum to 1, a state that waits for an input has a row of weight 1 for each, and no weight is 0.
* Nothing is known of parameters: weights are numbers of any kind, and code that would branch on one has raised a fault.
* A fault on a state that can be reached rejects the model; one on any other state does not exist.
"""
