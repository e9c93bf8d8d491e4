"""What the positive excesses of words add up to: the delta that a pair of starts needs.

Source: docs/theory/excess.md.
"""
