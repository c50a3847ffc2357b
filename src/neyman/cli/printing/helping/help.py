"""The help of a verb: its options in groups, the same in every verb; ``-h`` and ``-V`` wherever one is."""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperCommand

from neyman import __version__

__all__ = ["SETTINGS", "Verb", "print_version"]

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
_GROUPS = {
    "The run": ("noise_multiplier", "sample_rate", "steps", "dataset_size", "batch_size", "epochs"),
    "The promise": ("spec", "epsilon", "mu", "rho", "rdp", "profile", "tradeoff", "between", "error"),
    "The question": (
        "to", "target", "bracket", "delta", "prior", "baseline", "at", "points", "fpr", "membership_prior", "records",
        "only", "level", "changed", "claim",
    ),
    "The test": ("confidence", "method", "threshold", "pilot", "seed", "independent"),
    "The picture": ("label", "scale", "of", "direction", "cumulative"),
    "Who counts as a neighbour": ("adjacency", "unit"),
    "How exactly": ("floor", "tolerance", "effort", "timeout", "proving", "proof"),
    "Where it is computed": ("workers", "scheduler", "at_most"),
    "The page": ("port", "no_open", "audit"),
    "The document": ("title", "context", "date"),
    "Output": ("output", "form", "opening", "cite", "verbose", "quiet", "as_json", "help"),
}  # fmt: skip
_OTHERS = "Options"
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}
_ORDER = (_OTHERS, *_GROUPS)


class Verb(TyperCommand):
    """A verb whose help lists its options by what they are about, and which knows ``-V``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer ``-V`` here too, before anything is asked for that is missing."""
        print_version(not {"-V", "--version"}.isdisjoint(args))
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group."""
        found: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                found.setdefault(_group(param), []).append(record)
        for group in sorted(found, key=lambda name: _ORDER.index(name) if name in _ORDER else 0):
            with formatter.section(_heading(group)):
                formatter.write_dl(found[group])


def print_version(asked: bool) -> None:
    """Say which version this is, and leave."""
    if asked:
        typer.echo(f"neyman {__version__}")
        raise typer.Exit


def _group(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or _GROUP_OF.get(param.name, _OTHERS)


def _heading(group: str) -> str:
    """Bold on a terminal: what is printed elsewhere loses it on the way."""
    return group if os.environ.get("NO_COLOR") else typer.style(group, bold=True)
