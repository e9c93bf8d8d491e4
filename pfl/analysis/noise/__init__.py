"""Exact probabilities of comparisons among samples of noise: real ones for every eps > 0 at once, and integers without
bounds. Source and proof: docs/theory/noise.md.

- `exponential_sum`: what a probability about real samples is, a sum of q * eps^i * e^(-d eps)
- `sample_function`: what functions of one sample can do; `real_function` and `integer_function` are the two kinds
- `differences`: closed systems of constraints x - y <= c
- `joint`: several live samples, compared, cut and summed out; `workspace` remembers what was worked out
- `plain`: the same probabilities once more, by numbers and by definition
"""
