"""Laplace noise, whole or Poisson-sampled."""
