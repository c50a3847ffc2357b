"""What the command line says beside its answers: help, topics, advice."""
