"""How losses compose: closed forms, contours, the lattice, and the one place that chooses."""
