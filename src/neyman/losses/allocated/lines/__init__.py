"""E (K - S)_+ of a sum of likelihood ratios, from its Laplace transform on lines and hyperbolas."""
