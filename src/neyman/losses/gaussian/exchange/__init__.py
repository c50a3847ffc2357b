"""One sampled Gaussian step when a record is exchanged for another."""
