"""The explorer: a page that answers while one drags, and the answers behind it.

``explore`` serves the page, or writes it into a file; ``answer`` is all that the page asks: a question in JSON, a
certified answer in JSON.

>>> from neyman.explorer import answer
>>> found = answer({"v": 1, "ask": "promise", "settings": {"kind": "gaussian", "noise_multiplier": 1}})
>>> found["numbers"]["mu"]["text"], found["numbers"]["epsilon"]["text"]
('1', '4.378')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
    from neyman.explorer.answers import Answers, answer
    from neyman.explorer.exploring import Explorer, explore

__all__ = ["Answers", "Explorer", "answer", "explore"]

__getattr__, __dir__ = on_first_use(
    __name__,
    {"neyman.explorer.answers": ("Answers", "answer"), "neyman.explorer.exploring": ("Explorer", "explore")},
)
