"""Laws on a lattice under an exponential (Esscher) tilt, composed by FFT."""
