"""Laws of the privacy loss of single steps, as lines and paths ask for them."""
