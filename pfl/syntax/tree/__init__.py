"""What a text is after parsing: immutable nodes, each with its place."""
