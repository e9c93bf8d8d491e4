"""Claims: which clauses they need, and what these may say."""
