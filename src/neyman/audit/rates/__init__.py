"""Error rates of an attack from what it got wrong: bounds at one threshold, or at all at once."""
