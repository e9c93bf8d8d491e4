"""Checked expressions become Python functions, compiled once and called for every state.

Comes in: a `CheckedProgram` (names and types are known, nothing is evaluated) and its `GlobalValues`. Goes out: Python
functions, and trees of Python's `ast` for whoever joins them with other code (`pfl.programs`). What the numbers of a
model need that does not depend on a run (constants, parameters, assumptions) is found first, in `globals/`.

Read first `compiler` (what is offered), then `translator` (the scope in which an expression is translated; it knows no
kind of expression), `expressions` (the one place that knows every kind) and `fragment` (what an expression becomes).
Below them the kinds of expression, each on those before it: `domains`, `arithmetic`, `choices`, `moments`,
`collections`, `builtins`, `calls`. What the generated code calls while it runs is in `operations`,
`number_operations` and `limited_operations`; what it says where there is no value, in `faults`.

What always holds:

* An expression has no effects, so what it gives may be remembered, and computed early where its parts are known.
* It means the same for all values of the parameters, or it is a fault: nothing branches on a parameter. What must hold
  for them is collected, never assumed (docs/theory/evaluation.md, docs/theory/side-conditions.md).
* Nothing recurses on Python's stack as deep as the source nests: whoever translates is a `Task`, and a tree that gets
  deep becomes a function of its own.
* A fault belongs to the run that comes to it: it is raised where the expression is evaluated, not where it is compiled.

Two ways in, both from a `Compiler`:

* functions of the values of `variables`, given in that order as positional arguments:

      compiler = Compiler.of(program, globals, mechanism_distribution=explore)   # globals: from `elaborate_globals`
      inside = compiler.bind({t: 2, v: 1})          # the same, with locals bound to values (arguments of a system,
                                                    # `for` variables of a claim): closed parts are computed once
      compiler.reads(node)                          # the locals that a node reads, in order of first mention
      compiler.expression(e, variables)             # -> Value
      compiler.typed(e, type_, variables)           # -> Value, for a place of a written type: `empty` finds its size
                                                    #    there, and a value outside the type is a fault
      compiler.condition(e, variables)              # -> bool (Python's), of a bool expression
      compiler.secret(e)                            # -> variables, and bool of their values: e may have `x@t` in it
      compiler.number(e, variables)                 # -> Number, never a Python int
      compiler.distribution(e, variables)           # -> DistributionValue, remembered by what e reads; of a value, all
                                                    #    weight on it (`emit`, `respond` and `return` take either)
      compiler.domain(type_, variables)             # -> Domain, of a written type or a set-valued expression
      compiler.elements(e, variables)               # -> tuple of Values: what `for x in e` goes through, in order
      compiler.member(type_, what, variables)       # (value, ...) -> the value, or a fault where it is no member
      compiler.update(place, variables)             # (new value of `a[i].f`, ...) -> new value of `a`; see `root_of`
      compiler.fits(patterns, static, variables)    # (value, ...) -> bool
      compiler.arguments(parameters, es, what, variables)    # -> tuple of Values, each checked against its type
      compiler.epsilon(e, variables)                # -> Epsilon; the only expressions in which `ln` has a meaning

* trees of Python's `ast` for code that is joined with other code:

      code = compiler.code({x: "x", y: "y_2"})      # identifiers of variables; must not begin with an underscore
      code.value(e), code.test(e), code.distribution(e), code.elements(e), code.member(tree, type_, what, span), ...
      compiler.namespace                            # the globals in which that code runs

A variable is a `Local`, or `Moment(local, 3)` for `x@3`. `left` and `right` of a relation read as a `RecordValue` of
the state variables.

Everything raises `EvaluationFault` where an expression has no value: `fault.diagnostic` has the exact place and the
numbers, `fault.with_path(notes)` adds how the state was reached. `LimitReached` says that a domain is too large to go
through.

Values are those of `pfl.model.values`. A bool is `TRUE` or `FALSE`, never a Python bool (there, True == 1): branch on
`condition` and `test`. Reals depend on the parameters (`RationalFunction`) unless `--set` fixes them; what must then
hold for all their values (weights >= 0, divisors != 0) is collected in `GlobalValues.side_conditions`.
"""
