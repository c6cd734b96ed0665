"""How hard hypothesis looks: HYPOTHESIS_PROFILE=dev|ci|full, and ci where CI is set."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadlines anywhere: a busy machine is not a defect, and the benchmarks watch speed.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "full", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
