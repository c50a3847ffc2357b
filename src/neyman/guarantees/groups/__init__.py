"""Several records at once, one after another."""
