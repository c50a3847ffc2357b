"""Special functions, to stated errors, and quadrature rules."""
