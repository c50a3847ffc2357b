"""The version of neyman: what stores are held against, and clusters."""

from __future__ import annotations

from importlib import import_module

__all__ = ["VERSION"]

# the package lists the public names of every room, and so stands above them all: here it is asked for one word
VERSION: str = import_module("neyman").__version__
