"""Proofs of what is claimed, in ball arithmetic: found here, checked by ``neyman_check``."""

from neyman.proving.proof import Proof, prove

__all__ = ["Proof", "prove"]
