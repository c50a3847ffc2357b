"""The transform of the loss of random allocation, by Mellin integrals along rays."""
