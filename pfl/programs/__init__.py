"""Bodies of statements become programs: mechanisms, `init` and `step` blocks, priors, handlers.

Comes in: statements of a `CheckedProgram`, and a `Compiler` with the arguments bound that a claim gives. Goes out: a
`pfl.model.program.Program`, a graph of a few kinds of node over variable slots, which knows no syntax; `pfl.explore`
runs it.

Read first `statements`: `block` is the one lowering that serves every kind of body. It asks

* `body_scope` for what the body knows: which slot a local has, where `return` goes, which costs are counted;
* `placing` for plain code, without draws and visible steps: where a value goes, and the check that it lies in its type;
* `for_loops` for the header of a `for` loop with draws in its body, whose position is part of the state;
* `inlining` for calls whose steps belong to the run that calls: the callee's body stands in place of the call;
* `sequential` for the one loop of a mechanism, if there is one, that can be given its arrays element by element.

`program_builder` puts the nodes together. A caller makes a builder and a scope, declares the variables, asks for the
block, and finishes the program:

    builder = ProgramBuilder(name, compiler.namespace)
    scope = BodyScope(program=program, compiler=compiler, builder=builder, subject=name)
    scope.declare_all(body)
    entry = run(block(scope, body, builder.add(Stop())))
    program = builder.finish(entry, inputs, results)

What always holds:

* Nodes are added from the end of a body to its beginning, each after those that follow it; only the head of a loop is
  reserved before it is known.
* Every local has a slot of its own before the first statement that reads it is lowered. A slot that may be read before
  it has a value is `late`, and looked at when it is read.
* A value is checked against the written type of its place in the step in which it gets there, so that a fault is told
  of with the path that leads to it.
* Whether a program can end, how many states it has, and whether its draws sum to 1 is not known here: what shows only
  on the states that can be reached is left to exploration. What can be said of the text alone is said in
  `statement_errors`.
* Bodies nest deeper than Python's stack: what recurses on statements is a `Task`.
"""
