"""Foundations: source text, diagnostics, exact numbers. Imports nothing of the rest of pfl."""
