"""Proofs that others can read and check: written (`proof`), and checked without what found them (`evidence`)."""
