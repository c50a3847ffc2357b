"""Losses with a list of outcomes."""
