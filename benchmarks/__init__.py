"""Ours beside the published accountants, on the same cases, in one run."""
