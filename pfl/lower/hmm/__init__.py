"""Hidden Markov models, as tables or with bodies, under their priors."""
