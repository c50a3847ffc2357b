"""Profiles made of other profiles: mixtures, fallbacks, infinite mass, bounds that hold besides."""
