"""Guarantees that are stated, not computed."""
