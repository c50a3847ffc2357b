"""Looks for witnesses: lines, grids, places by which ``neyman_check`` accepts a statement. All of it may be wrong."""
