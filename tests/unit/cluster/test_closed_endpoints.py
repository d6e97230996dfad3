"""A server that refuses everything for a while: whichever worker finds out, all wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from worker_sessions import session_in

from tui_eval.cluster.run_rules import RunRules
from tui_eval.cluster.worker_session import WorkerSession

WAIT_S = 0.6


async def refuse_all(session: WorkerSession) -> None:
    """A worker whose first call is answered at once, and all others are refused."""
    limit, clock = session.context.limiter.endpoint(session.loaded.evaluation.models["one"]), asyncio.get_running_loop()
    limit.accept(await limit.acquire(), clock.time() - 0.01)
    while limit.window.closed_until is None:
        began = clock.time()
        limit.refuse(await limit.acquire(), began, WAIT_S)


async def test_what_one_worker_finds_closed_is_closed_to_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The coordinator is told once, tells every worker once with the time that is left, and the call of another one waits."""
    monkeypatch.setenv("TUI_EVAL_SPOOLS", str(tmp_path / "spools"))
    one, other = (session_in(folder) for folder in (tmp_path / "one", tmp_path / "other"))
    rules, told = RunRules(one.context, one.loaded), dict[str, object]()
    await refuse_all(one)
    ((word, model, seconds),) = one.changes.events
    assert (word, model) == ("closed", "one")
    assert seconds == pytest.approx(WAIT_S, abs=0.05)

    rules.take("aaaaaa", "w1", word, [model, seconds])
    news = rules.news(told)
    assert set(news) - {"met"} == {"closed_for"}
    assert not rules.news(told)
    limit = other.context.limiter.endpoint(other.loaded.evaluation.models["one"])
    other.receive({"do": "rules", **news})
    began = asyncio.get_running_loop().time()
    await limit.acquire()

    assert asyncio.get_running_loop().time() - began == pytest.approx(WAIT_S, abs=0.3)
    assert limit.reason
    assert not other.changes.events, "what it was told it does not tell"
    for session in (one, other):
        session.spool.let_go()
        await session.context.sender.close()
