"""Losses known by bounds on their profile alone."""
