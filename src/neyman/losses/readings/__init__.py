"""What may be read of a law: its outcomes, its transform, its bins; contracts and what several laws share."""
