"""Sampled Gaussian steps in which the record hardly ever takes part."""
