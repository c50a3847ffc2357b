"""Numerics without a word of privacy: NumPy and SciPy only."""
