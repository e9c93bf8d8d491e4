"""Passes from one intermediate representation to another, one a file, each preserving all word masses."""
