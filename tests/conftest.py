"""What all tests share: no test fails because a machine is slow, or by an example that was thought up in this run alone.

The same examples are tried in every run; `HYPOTHESIS_PROFILE=exploring` thinks up others.
Bytecode is kept, also where the environment says otherwise: the workers and some hundred processes that the tests start
would compile the same files again and again. What is there before the first test is for no test to collect: walking
through some hundred modules and thousands of tests each time would take longer than many a test.
"""

from __future__ import annotations

import gc
import os
import sys

from hypothesis import HealthCheck, settings

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("exploring"), derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_collection_finish() -> None:
    """All tests are known: what was made until now stays."""
    gc.collect()
    gc.freeze()
