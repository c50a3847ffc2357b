"""Where the integral along a line may be cut, and what lies beyond."""
