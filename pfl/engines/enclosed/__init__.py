"""The engine for probabilities that are known by enclosures alone, those of Gaussian noise. Source and proof:
docs/theory/gaussian.md."""
