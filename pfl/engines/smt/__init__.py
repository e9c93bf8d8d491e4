"""Comparisons as SMT-LIB, for Z3 and for programs of others."""
