"""Straight lines: which stand where, their nodes and certificates, and how they are read."""
