"""Renyi divergences of compositions, certified."""
