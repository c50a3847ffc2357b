"""Sums that turn, transforms and products, with what rounding does to them."""
