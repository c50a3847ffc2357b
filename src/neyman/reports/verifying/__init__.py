"""Whether a report holds: read without trust, computed again, compared; and two reports side by side."""
