"""What is answered: the numbers with their brackets, the curve, what was solved for, compared or copied."""
