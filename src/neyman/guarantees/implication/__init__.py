"""Does one guarantee imply another."""
