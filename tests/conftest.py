"""What all tests share: no test fails because a machine is slow, or by an example that was thought up in this run alone.

The same examples are tried in every run; `HYPOTHESIS_PROFILE=exploring` thinks up others.
Bytecode is kept, also where the environment says otherwise: the workers and some hundred processes that the tests start
would compile the same files again and again.
"""

from __future__ import annotations

import os
import sys

from hypothesis import HealthCheck, settings

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("exploring"), derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
