"""What is asked of a batch, and the answers that are certified."""
