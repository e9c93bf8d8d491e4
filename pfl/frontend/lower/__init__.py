"""From a checked program to what its claims ask: the intermediate representation."""
