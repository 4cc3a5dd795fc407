"""How hard properties are tried: the same way each run, or at random for long.

`HYPOTHESIS=explore pytest tests/property` looks for what nobody has thought of.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from tests.samples import count

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "same",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=count(100, 2),
    suppress_health_check=SLOW,
)
settings.register_profile(
    "explore", deadline=None, max_examples=3000, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS", "same"))
