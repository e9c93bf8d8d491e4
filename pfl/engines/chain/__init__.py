"""Questions about one run: probabilities, expectations, distributions."""
