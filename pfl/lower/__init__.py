"""From a checked program to what its claims ask: one file a kind of claim, one folder a kind of system."""
