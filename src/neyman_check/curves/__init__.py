"""What deltas at some eps, and cells between them, tell of the whole curve."""
