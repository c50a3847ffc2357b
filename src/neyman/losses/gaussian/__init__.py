"""Gaussian noise: plain, Poisson-sampled, with exchanged records; transforms, bins, parts."""
