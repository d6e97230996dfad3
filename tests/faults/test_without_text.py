"""A reply without a text is a reply: asked for again where that can help, counted under its own name, and no failure."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import Served, asked, by_model, panel, run_here, simulated_by
from invariants import check


@pytest.mark.parametrize(("retries", "requests"), [(0, 1), (1, 2), (3, 2)])
async def test_nothing_is_asked_for_once_more_and_is_then_final(
    served: Served, tmp_path: Path, retries: int, requests: int
) -> None:
    """However many retries a run has, an empty reply costs one more request; the second one settles the call."""
    models = [simulated_by(served.url, "mute", "fault:empty"), simulated_by(served.url, "shy", "fault:empty:1")]

    life = await run_here(panel(models, [asked("mute", 3), asked("shy", 2)], run={"retries": retries}), tmp_path)

    records = by_model(check(life.path, await served.stats()))
    assert len(records["mute"]) == 3 * requests
    assert [record["error_kind"] for record in records["mute"] if record["final"]] == ["empty"] * 3
    assert sum(record["status"] == "ok" for record in records["shy"]) == (2 if retries else 0)
    assert life.ended.exit_code == 0


@pytest.mark.parametrize("what", ["empty", "refusal", "content-filter", "length-empty"])
async def test_a_reply_without_text_is_no_failure(served: Served, tmp_path: Path, what: str) -> None:
    """A run in which such replies came is done; they are told apart from failures wherever it is counted."""
    models = [simulated_by(served.url, "mute", f"fault:{what}"), simulated_by(served.url, "good", "bench")]

    life = await run_here(panel(models, [asked("mute", 2), asked("good", 2)]), tmp_path)

    check(life.path, await served.stats())
    progress = life.ended.progress
    assert (life.ended.exit_code, progress.state) == (0, "done")
    assert (progress.total.ok, progress.total.no_text, progress.total.error) == (2, 2, 0)
    assert not progress.failures and sum(progress.without_text.values()) == 2
    assert progress.total.asked == progress.planned == 4


async def test_a_model_that_says_nothing_at_all_is_stopped(served: Served, tmp_path: Path) -> None:
    """What was not asked of it can be asked again: that run is not done."""
    models = [simulated_by(served.url, "mute", "fault:empty")]

    life = await run_here(panel(models, [asked("mute", 12)], run={"stop_model_after": 3, "max_concurrency": 1}), tmp_path)

    check(life.path, await served.stats())
    assert life.ended.exit_code == 3
    assert life.ended.progress.total.no_text == 3


@pytest.mark.parametrize("what", ["400", "500", "hang"])
async def test_a_failure_is_one_still(served: Served, tmp_path: Path, what: str) -> None:
    """A call that failed or timed out beside empty replies leaves the run incomplete."""
    models = [simulated_by(served.url, "mute", "fault:empty"), simulated_by(served.url, "bad", f"fault:{what}")]

    life = await run_here(panel(models, [asked("mute"), asked("bad")], run={"timeout_s": 1.0}), tmp_path)

    check(life.path, await served.stats())
    assert life.ended.exit_code == 3
    assert len(life.ended.progress.failures) == len(life.ended.progress.without_text) == 1
