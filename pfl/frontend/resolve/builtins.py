"""The names that are built in."""

BUILTIN_FUNCTIONS = frozenset(
    {
        "size", "contains", "add", "remove", "union", "sum", "count", "min", "max", "abs", "floor", "ceil",
        "uniform", "bernoulli", "binomial", "point", "ln",
    }
)  # fmt: skip
"""What can be called without a declaration. `forall` and `exists` are syntax."""

BUILTIN_VALUES = frozenset({"empty"})
"""What has a value without a declaration; `silent` has one only in what an hmm emits."""
