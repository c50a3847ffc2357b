"""The page behind an address of this machine, and who may ask there."""
