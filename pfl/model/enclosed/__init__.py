"""Questions whose probabilities are known by rational enclosures alone: those of mechanisms with Gaussian noise.

Their numbers are no `Number`, so that no engine that computes exactly can be given one.
"""
