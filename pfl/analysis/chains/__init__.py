"""Chains: absorption, expected costs, probabilities of ever and of within n steps, exact and in floats."""
