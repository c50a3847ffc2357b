"""What an attacker can do at most: operational risks of a guarantee, each with the sentence that explains it.

Success is bounded from above, error from below. ``prior`` is always P(record absent), ``membership_prior`` always
P(record present).

>>> import neyman as ny
>>> print(ny.risk.accuracy(ny.GDP(1.0), prior=0.5))
An attacker who guesses whether a record was used, when it was left out with a chance of 50 %, is right with a
chance of at most 69.2 % (without the output: 50 %).
"""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.risk.membership import accuracy, advantage, bayes_error, posterior, tpr
from neyman.risk.pair import AgainstPair, Beside, against_pair
from neyman.risk.target import attribute_inference, reconstruction, relative_risk, singling_out
from neyman.risk.value import Risk

__all__ = [
    "AgainstPair",
    "Beside",
    "Risk",
    "accuracy",
    "advantage",
    "against_pair",
    "attribute_inference",
    "bayes_error",
    "posterior",
    "reconstruction",
    "relative_risk",
    "singling_out",
    "tpr",
]

sys.modules[__name__].__class__ = Room


def __getattr__(name: str) -> object:
    """Answer a name that is not there with the one that is meant."""
    from neyman._answering import answered  # read where something went wrong
    from neyman._guesses import room_name

    raise answered(room_name("risk", name, tuple(__all__)), name)
