"""From characters to a tree, or to a diagnosis of what is missing or in the way."""
