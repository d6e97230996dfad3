"""A run that is stopped: every worker says that it is done, whatever it waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from worker_sessions import session_in


@pytest.mark.parametrize("n", [0, 1, 2])
async def test_a_stop_ends_every_wait(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it waits for samples, for room or for credit: with two samples there is no room for a third."""
    monkeypatch.setenv("TUI_EVAL_SPOOLS", str(tmp_path / "spools"))
    session = session_in(tmp_path, share=1)
    done = asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        events = message.get("changes", {}).get("events", ())
        if any(event[0] == "first" for event in events):
            session.receive({"do": "first", "model": "one", "go": True})
        if ["done"] in events:
            done.set()
        session.receive({"do": "heard", "t": message.get("t", 0.0), "n": message.get("n", 0), "spare": True})

    await session.attach(send, 0)
    running = asyncio.create_task(session.run())
    session.receive(
        {"do": "samples", "queue": next(iter(session.loaded.evaluation.queues)), "places": [(i, [], False) for i in range(n)]}
    )
    await asyncio.sleep(0.3)

    session.receive({"do": "rules", "stopped": "by a person", "aborted": False})
    async with asyncio.timeout(10):
        await done.wait()

    session.receive({"do": "end"})
    await running
