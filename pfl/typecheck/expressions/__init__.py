"""The type of every expression."""
