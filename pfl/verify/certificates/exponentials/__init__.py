"""What is claimed of numbers that hold a parameter and its exponential, checked from the signs of functions."""
