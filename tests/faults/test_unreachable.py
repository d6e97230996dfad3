"""Servers that are not there: nothing was sent, so nothing is charged, and nobody else waits."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from fault_bench import (
    Peer,
    Served,
    asked,
    by_model,
    closed_port,
    panel,
    run_here,
    simulated_by,
    spoken_by,
    write_config,
)
from invariants import check
from nursery import Nursery

from tui_eval.core.errors import ConfigError
from tui_eval.engine.http import sockets

PRICE = {"input": 100.0, "output": 1000.0}


def _absent(name: str, url: str) -> dict[str, object]:
    return spoken_by(url, name, "bench", price=PRICE)


async def test_a_refused_connection_is_an_error_that_costs_nothing(served: Served, tmp_path: Path) -> None:
    """A port on which nobody listens: an error that may pass, retried, never charged; a healthy model is unaffected."""
    models = [_absent("absent", f"http://127.0.0.1:{closed_port()}/v1"), spoken_by(served.url, "there", "bench", price=PRICE)]
    run = {"max_cost_usd": 2.0, "max_output_tokens": 50, "retries": 1}

    life = await run_here(panel(models, [asked("absent", 3), asked("there", 3)], run=run), tmp_path)

    own = by_model(check(life.path, await served.stats()))
    assert [(r["error_kind"], r["charged_usd"], r["http_status"]) for r in own["absent"]] == [("transient", 0.0, None)] * 6
    assert sum(r["final"] for r in own["absent"]) == 3
    assert [r["status"] for r in own["there"]] == ["ok"] * 3
    assert life.ended.exit_code == 3


async def test_an_unknown_host_is_an_error_that_costs_nothing(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that does not resolve: an error, never charged, told as what it is."""

    def nobody(*where: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(sockets, "_addresses", nobody)
    models = [_absent("absent", "http://no-such-host.invalid/v1"), spoken_by(served.url, "there", "bench", price=PRICE)]
    run = {"max_cost_usd": 2.0, "max_output_tokens": 50}

    life = await run_here(panel(models, [asked("absent", 2), asked("there", 2)], run=run), tmp_path)

    own = by_model(check(life.path, await served.stats()))
    assert [(r["error_kind"], r["charged_usd"]) for r in own["absent"]] == [("transient", 0.0)] * 2
    assert all("name not found" in r["error_message"] for r in own["absent"])
    assert [r["status"] for r in own["there"]] == ["ok"] * 2


@pytest.mark.parametrize(
    "url",
    [
        f"http://{'a' * 64}.invalid/v1",
        "http://a..b.invalid/v1",
        "http://xn--\u00fc.invalid/v1",
        "http://[::1/v1",
        "http://127.0.0.1:99999/v1",
        "http://host name.invalid/v1",
    ],
)
async def test_an_impossible_address_ends_every_call_of_its_model(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """An address that cannot be one is refused with the config, or ends each of its calls on record; no call waits for ever."""
    whole = sockets._addresses

    def local(host: str, *more: object) -> list[object]:
        host.encode("idna")
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return whole(host, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(sockets, "_addresses", local)
    models = [_absent("absent", url), spoken_by(served.url, "there", "bench")]
    try:
        async with asyncio.timeout(60):
            life = await run_here(panel(models, [asked("absent", 3), asked("there", 3)]), tmp_path)
    except ConfigError:
        assert (await served.stats())["requests"] == 0
        return
    own = by_model(check(life.path, await served.stats()))
    assert [r["error_kind"] not in (None, "internal") for r in own["absent"]] == [True] * 3
    assert [r["status"] for r in own["there"]] == ["ok"] * 3


async def test_a_timeout_includes_the_connect(tmp_path: Path, served: Served) -> None:
    """A peer that accepts nothing (its backlog is full) is a timeout at the time limit, with the others served."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        models = [_absent("full", f"http://127.0.0.1:{port}/v1"), spoken_by(served.url, "there", "bench")]
        rows = [asked("full", 3, timeout_s=0.4), asked("there", 3)]

        life = await run_here(panel(models, rows), tmp_path)

        for filler in fillers:
            filler.close()
    own = by_model(check(life.path, await served.stats()))
    assert [r["status"] for r in own["full"]] == ["timeout"] * 3
    assert all(r["latency_ms"] < 30_000 for r in own["full"]), "the system would try for more than two minutes"
    assert [r["status"] for r in own["there"]] == ["ok"] * 3


SLOW_LOOKUP = """
import socket, time
_known = socket.getaddrinfo
def getaddrinfo(host, *more, **other):
    if str(host).endswith(".invalid"):
        time.sleep(600)
    return _known("127.0.0.1", *more, **other)
socket.getaddrinfo = getaddrinfo
"""


@pytest.mark.soak
def test_a_name_server_that_hangs_holds_up_nothing(peer: Peer, tmp_path: Path) -> None:
    """While the lookup of one name hangs, that call times out, another host is served, and the process ends
    long before it is done."""
    (tmp_path / "sitecustomize.py").write_text(SLOW_LOOKUP)
    port = peer.url.split(":")[2].split("/")[0]
    models = [_absent("dead", f"http://dead.invalid:{port}/v1"), spoken_by(f"http://localhost:{port}/v1", "there", "bench")]
    config = write_config(tmp_path, panel(models, [asked("dead", 2, timeout_s=0.3), asked("there", 3)]))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    process = subprocess.Popen(
        [sys.executable, "-m", "tui_eval", "--run", str(config), "--out", "run", "--no-preflight"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        code = process.wait(120)
    finally:
        process.kill()
        process.wait()

    own = by_model(check(tmp_path / "run", peer.stats()))
    assert code == 3
    assert [r["status"] for r in own["there"]] == ["ok"] * 3
    assert {r["status"] for r in own["dead"]} == {"timeout"}


def test_few_open_files_are_enough_or_refused(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """With a low limit on open files and 150 calls at once: the limit is raised, or the run refused; never failed calls."""
    models = [simulated_by(peer.url, "many", "bench-200ms")]
    config = write_config(tmp_path, panel(models, [asked("many", 200)], run={"max_concurrency": 150}))
    peer.simulator.gather(150)

    child = nursery.run("--run", config, "--out", tmp_path / "run", NOFILE=(100, 20_000))

    assert child.code == 0, child.stderr[-500:]
    stats = peer.stats()
    assert [record["status"] for record in check(tmp_path / "run", stats)] == ["ok"] * 200
    assert stats["peak_in_flight"] == 150


def test_too_few_open_files_are_refused(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Where the limit on open files cannot be raised far enough, the run is refused before it sends anything, in words."""
    models = [simulated_by(peer.url, "many", "bench-200ms")]
    config = write_config(tmp_path, panel(models, [asked("many", 200)], run={"max_concurrency": 150}))

    child = nursery.run("--run", config, "--out", tmp_path / "run", NOFILE=(100, 100))

    assert child.code == 2, child.stderr[-500:]
    assert b"max_concurrency" in child.stderr
    assert peer.stats()["requests"] == 0
