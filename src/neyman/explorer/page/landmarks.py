"""What others published, as the page puts it on a scale."""

from __future__ import annotations

from neyman.reports.said.landmarks import LANDMARKS

__all__ = ["landmarks"]


def landmarks() -> list[dict[str, object]]:
    """Return the landmarks of reports, with their sources.

    Examples
    --------
    >>> landmarks()[1]["mu"], landmarks()[0]["opinion"]
    ('1.57', True)
    """
    return [
        {
            "letter": one.letter, "name": one.name, "mu": one.mu, "epsilon": one.epsilon, "unit": one.unit,
            "source": one.source, "opinion": not one.unit,
        }
        for one in LANDMARKS
    ]  # fmt: skip
