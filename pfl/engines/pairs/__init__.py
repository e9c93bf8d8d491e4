"""Pairs of states of automata: unwinding families, relations, refinement."""
