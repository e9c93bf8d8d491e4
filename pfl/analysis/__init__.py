"""The mathematics behind the engines: what a vector, a system, a polynomial or a chain is like, exactly.

It reads `pfl.model`, poses no question and answers none. Each file names the source of its formulas, or the page of
docs/theory that has them.
"""
