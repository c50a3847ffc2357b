"""One sampled Gaussian step along paths of losses that are turned or bent."""
