"""A checker of privacy proofs, in ball arithmetic, that shares nothing with the engines which found them.

A proof is a JSON file: a mechanism, an adjacency, statements about the privacy that it gives, and witnesses: where
contours lie, how far sums go. Nothing of a witness is believed: a bad one proves nothing. What is trusted is Arb
(through python-flint), Python, the lemmas of docs/proofs/, and the lines of this package.

    neyman-check report.proof.json
"""

from neyman_check.check import Answer, check
from neyman_check.errors import NotProved, Unreadable

__all__ = ["Answer", "NotProved", "Unreadable", "check"]
