"""Noise that is added to a query."""
