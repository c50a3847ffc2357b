"""Several promises that hold at once."""
