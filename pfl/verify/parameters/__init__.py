"""Parts of a parameter space that are judged apart, and what is said of all of it."""
