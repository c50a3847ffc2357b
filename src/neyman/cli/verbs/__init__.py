"""The verbs of the command line: their options, and what each asks."""
