"""A table that is a bound: where its sliders stop, and what is certified there."""
