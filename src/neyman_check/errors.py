"""What a checker says instead of an answer."""

__all__ = ["NotProved", "Unreadable"]


class Unreadable(Exception):
    """The file is no proof: where, and what was expected there."""


class NotProved(Exception):
    """Nothing follows: the law has no lemma here, or the witness does not satisfy what the lemma asks for."""
