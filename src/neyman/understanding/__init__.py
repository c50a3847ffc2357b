"""What people hand over when they mean a mechanism or a guarantee: objects, lists, files, and a few letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
    from neyman.understanding.subject import Subject, understood

__all__ = ["Subject", "understood"]

__getattr__, __dir__ = on_first_use(__name__, {"neyman.understanding.subject": ("Subject", "understood")})
