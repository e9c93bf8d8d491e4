"""From model to model: each file one pass."""
