"""Servers and processes for the fault tests."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from fault_bench import CANARY, CANARY_VARIABLE, MakeDisk, Peer, Served, serving
from http_paths import IS_TRIAL, PATHS, on_path
from nursery import Nursery

ON_BOTH_PATHS = {
    "test_bad_endpoints",
    "test_every_fault",
    "test_floods",
    "test_headers",
    "test_odd_bodies",
    "test_streams",
    "test_unreachable",
}
"""Modules about HTTP: their tests run on each of the two paths of requests. All other tests run on the path that is taken."""
A_LITTLE = 0.1
"""Of the time that simulated models take: enough for calls to be in flight together, and their order stays."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests about HTTP on both paths."""
    if metafunc.module.__name__.rpartition(".")[2] in ON_BOTH_PATHS:
        metafunc.parametrize("http_path", PATHS, indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def http_path(request: pytest.FixtureRequest) -> Iterator[None]:
    """Send requests on this path, in a module that is about HTTP."""
    path = getattr(request, "param", "direct" if IS_TRIAL else None)
    with contextlib.nullcontext() if path is None else on_path(path):
        yield


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A simulator in the test's own loop."""
    async with serving(latency_scale=A_LITTLE) as found:
        yield found


@pytest.fixture
def peers() -> Iterator[Callable[..., Peer]]:
    """Makes simulators that live in threads of their own, and ends them."""
    made: list[Peer] = []

    def peer(seed: int = 0, latency_scale: float = A_LITTLE, batch_s: float = 0.0) -> Peer:
        made.append(Peer(seed, latency_scale, batch_s))
        return made[-1]

    yield peer
    for one in made:
        one.close()


@pytest.fixture
def peer(peers: Callable[..., Peer]) -> Peer:
    """A simulator in a thread of its own."""
    return peers()


@pytest.fixture(scope="session")
def _nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with Nursery(tmp_path_factory.mktemp("nursery")) as found:
        yield found


@pytest.fixture
def nursery(_nursery: Nursery) -> Iterator[Nursery]:
    """Starts tui-eval processes quickly; whatever still runs at the end of the test is killed."""
    yield _nursery
    _nursery.kill_all()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[MakeDisk]:
    """Makes a small disk of so many KiB, where this machine lets us."""
    mounted: list[Path] = []

    def mount(kib: int) -> Path:
        place = tmp_path / "disk"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a tmpfs cannot be mounted here")
        mounted.append(place)
        return place

    yield mount
    gc.collect()
    for place in mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment that must never be found anywhere; the name of its variable."""
    monkeypatch.setenv(CANARY_VARIABLE, CANARY)
    return CANARY_VARIABLE


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the checkout is the workspace of a fault test."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True, scope="session")
def _private_files() -> Iterator[None]:
    """Files are for their owner only, as the command line sees to."""
    before = os.umask(0o077)
    yield
    os.umask(before)
