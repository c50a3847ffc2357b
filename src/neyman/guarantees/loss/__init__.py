"""The privacy loss L = log dP/dQ as a random variable: its law under P and under Q, from delta(eps) alone."""
