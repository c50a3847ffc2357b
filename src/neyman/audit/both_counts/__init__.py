"""Audits at one threshold: one exact test of both error counts together."""
