"""Settings of all tests: Hypothesis measures no time, since machines that run tests are busy."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("pfl", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pfl")
