"""Steps that see some of the records: Poisson sampling, allocation, DP-SGD."""
