"""What all tests share: no test fails because a machine is slow, or by an example that was thought up in this run alone.

The same examples are tried in every run; `HYPOTHESIS_PROFILE=exploring` thinks up others.
Folders of tests are in memory where the system has such a file system with room, unless a `--basetemp` or a TMPDIR says
otherwise: tests make some hundred thousand small files, which a disk takes a twentieth of a second of system time for each
hundred. What a test that passed has made is gone after it.
Bytecode is kept, also where the environment says otherwise: the workers and some hundred processes that the tests start
would compile the same files again and again. What is there before the first test is for no test to collect: walking
through some hundred modules and thousands of tests each time would take longer than many a test.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

MEMORY = Path("/dev/shm")
ROOM_BYTES = 2**30


def _in_memory() -> bool:
    """Whether folders of tests may lie there; programs are started from some of them."""
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return False
    about = os.statvfs(MEMORY)
    return about.f_bavail * about.f_frsize >= ROOM_BYTES and not about.f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and _in_memory():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("exploring"), derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_collection_finish() -> None:
    """All tests are known: what was made until now stays, and what comes is looked through less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
