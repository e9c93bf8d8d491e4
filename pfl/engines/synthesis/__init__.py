"""Values of parameters for which a claim holds."""
