"""Constants, parameters and assumptions get their values; what must hold of parameters is asked."""
