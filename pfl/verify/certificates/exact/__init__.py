"""Polynomials and their signs by rational arithmetic, written for checks of certificates and used by nothing else."""
