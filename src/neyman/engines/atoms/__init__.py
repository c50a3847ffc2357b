"""Discrete laws outcome by outcome."""
