"""Tests that may be watched while scores arrive."""
