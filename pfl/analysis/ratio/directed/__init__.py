"""Bounds from behind: vectors that are known to be harmless for the letters that remain, made as large as can be.

Read first `search`; why it is right: docs/theory/directed-search.md.
"""
