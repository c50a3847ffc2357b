"""Reports: a guarantee as a document to hand over, and its verification by another party."""

from __future__ import annotations

from neyman.reports.reporting import Report, report
from neyman.reports.verifying.checks import Check
from neyman.reports.verifying.diff import Diff, diff
from neyman.reports.verifying.reading import json_schema
from neyman.reports.verifying.verification import Verification, verify

__all__ = ["Check", "Diff", "Report", "Verification", "diff", "json_schema", "report", "verify"]
