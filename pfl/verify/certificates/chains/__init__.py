"""What is claimed of the numbers of a chain, or of an observed word, checked from a solution or another way."""
