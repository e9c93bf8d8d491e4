"""Probabilities of comparisons among Gaussian samples, real and integer, as rational enclosures. Source and proof:
docs/theory/gaussian.md.

- `formula_table`: functions of one sample as formulas, in a normal form; `gaussian_function` makes them what
  `pfl.analysis.noise.joint` works with
- `real_values`, `integer_values`: what formulas are worth, as balls of arb, on cells of the line and at integers
- `evaluation`: integrals and sums of them at a precision
"""
