"""Checked expressions become Python functions, compiled once and called for every state.

    compiler = Compiler(program, globals)                      # globals: GlobalValues, from elaborate_globals
    inside = compiler.bind({t: 2, v: 1})                       # the same, with locals (system arguments, `for` variables of
                                                               # a claim) fixed: closed domains are computed once

    compiler.reads(expr) -> tuple[Variable, ...]               # free locals, in order of first mention, without bound ones
    compiler.expression(expr, variables) -> Callable[..., Value]
    compiler.condition(expr, variables) -> Callable[..., bool]             # of a bool expression; a Python bool
    compiler.number(expr, variables) -> Callable[..., Number]              # of an int or real expression; never a Python int
    compiler.distribution(expr, variables) -> Callable[..., DistributionValue]   # remembered by what the expression reads
    compiler.outcome(expr, variables) -> Callable[..., DistributionValue]  # of a value or a distribution (emit, respond, return)
    compiler.domain(type_expr, variables) -> Callable[..., Domain]         # of a type, a domain or a set-valued expression
    compiler.elements(expr, variables) -> Callable[..., Sequence[Value]]   # what `for x in expr` goes through, in order
    compiler.member(type_expr, variables, what) -> Callable[..., Value]    # called with a value, then the variables: the value,
                                                               # or an EvaluationFault that says it lies outside its type
    compiler.initial(expr, type_expr, variables) -> Callable[..., Value]   # a value of a declared type: `empty` by its type,
                                                               # then checked as `member` does
    compiler.update(place, variables) -> Callable[..., Value]  # called with a new value, then the variables: the new value of
                                                               # the variable at the root of `a[i].f` (see `root_of`)
    compiler.matches(patterns, variables) -> Callable[..., bool]           # called with the subject, then the variables
    compiler.epsilon(expr, variables) -> Callable[..., Epsilon]            # the only place where `ln` has a meaning
    compiler.arguments(declaration, arguments, variables) -> Callable[..., tuple[Value, ...]]
                                                               # of a call or a system reference, each checked against the
                                                               # type of its parameter

`variables` are `Local`s (or `Moment(local, 3)` for `x@3`), and the function takes their values as positional arguments
in that order. Every function raises `EvaluationFault`, which holds a diagnostic with the exact place and numbers;
`fault.diagnostic` is complete, `fault.with_path(notes)` adds how the state was reached. `LimitReached` is raised for a
domain that is too large to go through.

Values are those of `pfl.ir.values`. Note that a bool is `TRUE` or `FALSE`, never a Python bool (`True == 1` there), so
use `condition` for what is branched on. Weights and other reals depend on the parameters (`RationalFunction`) unless
`--set` fixes them; what must then hold for all their values (weights >= 0, denominators != 0) is recorded in
`GlobalValues.side_conditions`.
"""
