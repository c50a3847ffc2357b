"""Contour integrals (Bromwich) of the characteristic function: saddle points, lines, hyperbolas, what each loses."""
