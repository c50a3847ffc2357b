"""Kinds of steps in floats, as far as it takes to choose where lines and paths lie: nothing of it is believed."""
