"""What people hand over when they mean a mechanism or a guarantee: objects, lists, files, and a few letters."""

from __future__ import annotations

from neyman.understanding.subject import Subject, understood

__all__ = ["Subject", "understood"]
