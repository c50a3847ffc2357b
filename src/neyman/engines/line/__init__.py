"""The trade-off between two laws of one real number, known by their densities and distribution functions."""
