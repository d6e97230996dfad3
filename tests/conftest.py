"""What all tests share: no test fails because a machine is slow, or stands still for seconds, while examples are thought up."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
