"""Programs become graphs: all that can be reached, a state at a point with what is still read there."""
