"""A checked program with its numbers filled in: constants, parameters, types as domains."""
