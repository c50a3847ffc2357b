"""What a report says: its claims and its words, from a guarantee to a document."""
