"""The law of one step: a value that names it, and its numerics."""
