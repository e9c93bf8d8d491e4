"""Automata, as tables or with handlers, as interactive systems."""
