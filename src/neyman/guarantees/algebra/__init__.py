"""Guarantees from guarantees: join, meet, product, reversal, groups."""
