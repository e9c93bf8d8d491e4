"""Proofs that can be read and checked by others."""
