"""The page as one file: its parts, and what is laid over its pictures."""
