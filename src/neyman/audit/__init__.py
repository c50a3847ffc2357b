"""Evidence against a claim: certified lower bounds from attacks, and the verdict on what was promised."""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.audit.audit import Audit, RocBand
from neyman.audit.check import check
from neyman.audit.evidence import Evidence, Needed, OperatingPoint
from neyman.audit.one_run.run import OneRun, one_run
from neyman.audit.one_run.scores import one_run_from_scores
from neyman.audit.readers import from_file
from neyman.audit.scores import from_counts, from_scores
from neyman.audit.verdict import Verdict
from neyman.audit.watched.sequential import Sequential

__all__ = [
    "Audit",
    "Evidence",
    "Needed",
    "OneRun",
    "OperatingPoint",
    "RocBand",
    "Sequential",
    "Verdict",
    "check",
    "from_counts",
    "from_file",
    "from_scores",
    "one_run",
    "one_run_from_scores",
]

sys.modules[__name__].__class__ = Room
