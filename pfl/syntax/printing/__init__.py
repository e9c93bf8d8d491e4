"""A tree as text again, for the formatter."""
