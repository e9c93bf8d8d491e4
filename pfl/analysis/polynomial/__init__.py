"""Polynomials over boxes of parameters: real roots, signs, points that satisfy conditions, suprema. Exact."""
