"""Hypothesis profiles: fast and repeatable by default, HYPOTHESIS_PROFILE=thorough for a long search, freshly drawn.

One thread of linear algebra in each process, unless asked otherwise: workers share the cores, and matrices here are
small. Two threads each took twice the processor time for nothing.

What is compiled once is kept, even where PYTHONDONTWRITEBYTECODE says otherwise: workers and the processes that tests
start would each compile all of the package and all of the tests anew, every time.
"""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # of the workers, and of what they start
sys.dont_write_bytecode = False
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # read once, when NumPy is imported
    os.environ.setdefault(_threads, "1")

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile("fast", max_examples=10, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
