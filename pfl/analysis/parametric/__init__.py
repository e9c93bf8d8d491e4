"""Words of labelled systems whose numbers are functions of parameters."""
