"""What all tests share: no test fails because a machine is slow, or by an example that was thought up in this run alone.

The same examples are tried in every run, the first third of them by the quick suite and all by the soak tests (`-m soak`);
`HYPOTHESIS_PROFILE=exploring` thinks up others.
Folders of tests are in memory where the system has such a file system with room, unless a `--basetemp` or a TMPDIR says
otherwise: tests make some hundred thousand small files, which a disk takes a twentieth of a second of system time for each
hundred. What a test that passed has made is gone after it.
Bytecode is kept, also where the environment says otherwise: the workers and some hundred processes that the tests start
would compile the same files again and again. What is there before the first test is for no test to collect: walking
through some hundred modules and thousands of tests each time would take longer than many a test.
With TESTS_FREEZE_RECORDS=1 a record that is changed raises.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
import slices
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tui_eval.core import record_class

record_class.FROZEN = os.environ.get("TESTS_FREEZE_RECORDS") == "1"  # before any class is decorated

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

HOME = tempfile.TemporaryDirectory(prefix="tui-eval-home-", dir=MEMORY if _in_memory() else None)
"""What a person says yes to lies at home: tests have one of their own, and so has every process that they start."""
os.environ["XDG_CONFIG_HOME"] = HOME.name

settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("exploring"), derandomize=True, database=None)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
settings.load_profile(PROFILE)
QUICK, LEAST = 3, 10
"""The quick suite tries one of so many examples of each test, but not fewer than so many."""
_EXAMPLES = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps the settings of a test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """CI runs a slice of the soak tests with each commit (`.ci/run`)."""
    slices.add_option(parser)


class OtherEnd(pytest.Dir):
    """A folder whose parts each worker begins with at another one: on a fresh checkout none compiles what another has."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Its parts, from another one on."""
        found, worker = list(super().collect()), self.config.workerinput  # type: ignore[attr-defined]
        first = len(found) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        return [*found[first:], *found[:first]]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Workers have such folders."""
    return OtherEnd.from_parent(parent, path=path) if hasattr(parent.config, "workerinput") else None


WAITING = {"faults", "screens"}
"""Folders whose tests wait for servers and for screens half of the time; those of the others compute."""


def in_turn(items: list[pytest.Item]) -> None:
    """Order tests by file, those that wait between those that compute: a worker that waits leaves its core to another."""
    items.sort(key=lambda item: item.path.parts)
    files, places = list(dict.fromkeys(item.path for item in items)), dict[Path, float]()
    for waits in (True, False):
        half = [path for path in files if (not WAITING.isdisjoint(path.parts)) == waits]
        places.update({path: place / len(half) for place, path in enumerate(half)})
    items.sort(key=lambda item: places[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage meanwhile: modules and tests stay, and walking through them took a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every worker has the same order. Tests that try examples belong to both suites: the quick one is content with the first
    ones.
    """
    slices.keep_slice(config, items)
    in_turn(items)
    wanted = config.option.markexpr
    if PROFILE != "same" or wanted not in ("soak", "not soak"):
        return
    tests = [item for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)]
    tried = [item for item in tests if hasattr(item.obj, _EXAMPLES)]  # a machine of states has them elsewhere
    if wanted == "soak":
        for item in tried:
            item.add_marker(pytest.mark.soak)
        return
    for test in {item.obj for item in tried}:
        whole = getattr(test, _EXAMPLES)
        fewer = min(whole.max_examples, max(LEAST, whole.max_examples // QUICK))
        setattr(test, _EXAMPLES, settings(whole, max_examples=fewer))


def pytest_collection_finish() -> None:
    """All tests are known: what was made until now stays, and what comes is looked through less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
