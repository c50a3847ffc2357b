"""Sampled Gaussian steps with exchanged records."""
