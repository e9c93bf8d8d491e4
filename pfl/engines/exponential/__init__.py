"""Answers questions whose numbers are functions of one parameter x and of z = e^(-x/n): for all x of an interval, or
at one.

Words are gone through one by one, and every inequality of two probabilities is the sign of an exponential polynomial
(`pfl/analysis/exponential`). Source: docs/theory/exponential-engine.md.
"""
