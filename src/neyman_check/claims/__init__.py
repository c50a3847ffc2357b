"""What is claimed, and what it follows from."""
