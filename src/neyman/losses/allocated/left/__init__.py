"""E (S - K)_+ in float64: lines to the left of 0, and the cut there."""
