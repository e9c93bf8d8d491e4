"""Statements become programs: straight code between the points at which something is drawn, shown or received."""
