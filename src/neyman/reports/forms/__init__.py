"""The forms that a report is written in, and what its page shows."""
