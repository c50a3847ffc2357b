"""What every calibration has to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neyman as ny


def just(found: ny.Calibration, make: Callable[[Any], ny.Mechanism], adjacency: str = "add_or_remove") -> float:
    """The answer meets its target by the certified bound; a relative 2e-6 beyond (or one more) certainly misses it."""
    meets, misses = found.bracket
    assert found.parameter == meets
    assert found.mechanism == make(meets)
    assert found.evaluations >= 2
    assert found.target.met_by(found.guarantee)
    assert found.target.met_by(ny.account(make(meets), adjacency))
    assert not found.target.missed_by(found.guarantee)
    assert found.target.missed_by(ny.account(make(misses), adjacency))
    if isinstance(meets, int):
        assert isinstance(misses, int)
        assert abs(meets - misses) == 1
    else:
        assert abs(meets - misses) <= 1e-6 * max(meets, misses)
        beyond = meets * (1.0 - 2e-6 if misses < meets else 1.0 + 2e-6)
        assert found.target.missed_by(ny.account(make(beyond), adjacency))
    return float(found)
