"""Passes from intermediate representation to intermediate representation, one a file, each preserving all word masses."""
