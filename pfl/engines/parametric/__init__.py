"""Comparisons whose numbers depend on parameters."""
