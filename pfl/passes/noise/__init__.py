"""Noise without bounds leaves the graph of a program: `eliminate_noise` is the pass, the others are parts of it."""
