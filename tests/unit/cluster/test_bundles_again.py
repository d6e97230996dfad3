"""Bundles after a lost connection: each comes once more, in order, also what is closed while others are sent."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from worker_sessions import session_in

from tui_eval.cluster.worker_host import _in_environment
from tui_eval.runs.folder import LOG


@pytest.mark.parametrize("have", [0, 2])
async def test_none_is_passed_over(have: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle that is closed while earlier ones are on their way to a coordinator that is back goes behind them."""
    monkeypatch.setenv("TUI_EVAL_SPOOLS", str(tmp_path / "spools"))
    session = session_in(tmp_path)
    came: list[int] = []

    def close_one() -> None:
        session.outbox.add(LOG, f"line {len(came)}\n")
        session.outbox.close_bundle()

    async def send(message: dict[str, Any]) -> None:
        came.append(int(message["n"]))
        if len(came) < 4:
            close_one()
        await asyncio.sleep(0)

    for _ in range(3):
        close_one()
    await session.attach(send, have)
    assert came == [*range(have + 1, have + 1 + len(came))]
    assert came[-1] == session.outbox.waiting[-1].number
    session.spool.let_go()
    await session.context.sender.close()


async def test_a_lost_way_takes_no_newer_one_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is found broken after another was made leaves that."""
    monkeypatch.setenv("TUI_EVAL_SPOOLS", str(tmp_path / "spools"))
    session = session_in(tmp_path)

    async def first(message: dict[str, Any]) -> None:
        raise OSError

    async def second(message: dict[str, Any]) -> None:
        await asyncio.sleep(0)

    await session.attach(first, 0)
    await session.attach(second, 0)
    session.detach(first)
    assert session._send == second
    session.detach(second)
    assert session._send is None
    session.spool.let_go()
    await session.context.sender.close()


def test_keys_are_in_the_environment_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes to the worker later finds what was there before."""
    monkeypatch.setenv("THERE_BEFORE", "own")
    monkeypatch.delenv("NOT_THERE", raising=False)
    with _in_environment({"THERE_BEFORE": "theirs", "NOT_THERE": "theirs"}):
        assert (os.environ["THERE_BEFORE"], os.environ["NOT_THERE"]) == ("theirs", "theirs")
    assert os.environ["THERE_BEFORE"] == "own"
    assert "NOT_THERE" not in os.environ
