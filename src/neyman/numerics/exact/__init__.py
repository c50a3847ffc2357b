"""Numbers of more digits than a float has."""
