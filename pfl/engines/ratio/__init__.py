"""Comparisons with constant numbers, exactly."""
