"""One sampled Gaussian step parted: its bulk, its rare jumps, and how fast their transforms fall."""
