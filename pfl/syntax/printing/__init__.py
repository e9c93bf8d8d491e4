"""A tree as text again: ."""
