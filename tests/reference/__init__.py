"""Slow, independent twins of what the package computes: definitions only, high precision, nothing imported from it."""
