"""Losses known by distribution functions."""
