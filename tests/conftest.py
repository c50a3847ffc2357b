"""Hypothesis profiles: fast and repeatable by default, HYPOTHESIS_PROFILE=thorough for a long search, freshly drawn."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("fast", max_examples=30, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
