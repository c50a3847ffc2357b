"""Mechanisms known by a promise, a table or a law, and by nothing else."""
