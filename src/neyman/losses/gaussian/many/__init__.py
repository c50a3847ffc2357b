"""Readings of many sampled Gaussian steps at once, with the law as the leading axis of every array."""
