"""Bent contours: branches of hyperbolas, for losses on many scales."""
