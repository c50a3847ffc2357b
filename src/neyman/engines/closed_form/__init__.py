"""Laws whose profile has a formula, or is straight between a few points."""
