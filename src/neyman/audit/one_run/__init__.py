"""One training run with many canaries: what guesses about them prove."""
