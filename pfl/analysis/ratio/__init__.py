"""Ratios of the masses of words, of constants: the largest at a length or at every length, with proofs of bounds.

Read first `question`, then `obligation`, what comes in and goes out; why it is right: docs/theory/ratio-engine.md.
"""
