"""PFL: a modelling language for privacy, and its compiler `pflc`."""

__version__ = "0.1.0"
