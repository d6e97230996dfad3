"""Law of the counts on show: header, table, list and status line print what the log holds up to the offset of their tick."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_folder import Folder
from screen import press, quick_app, screen_text, wait_for
from snapshots import GOLDEN

from tui_eval.runs.folder import LOG
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.live import screen as live
from tui_eval.tui.screens.live.screen import LiveScreen

SIZE = (200, 45)
RUN_ID = "20260102_030405_b2b2_lighthouse"
STEPS = (1, 2, 5, 9, 17, 30, 10_000)
"""So many lines of the log stand there at one tick after the other."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """A live run whose log is still empty, with the plan of a finished exam."""
    monkeypatch.setattr(live, "TAKE_EVERY_S", 0.05)
    monkeypatch.setattr(live, "REST", 0)
    growing = Folder(tmp_path / "runs" / RUN_ID)
    (growing.path / LOG).write_bytes(b"")
    for name in ("manifest.json", "plan.json", "config.toml"):
        (growing.path / name).write_bytes((GOLDEN / "choice" / name).read_bytes())
    growing.hold()
    yield growing
    growing.let_go()


def counted(log: bytes) -> dict[tuple[str | None, str | None], Counter[str]]:
    """An independent count of the attempts in a part of a log: by stage and model, and of all."""
    counts: dict[tuple[str | None, str | None], Counter[str]] = {}
    for line in log.splitlines():
        record = json.loads(line)
        keys = ((None, None), (record["stage"], record["model"]))
        for count in (counts.setdefault(key, Counter()) for key in keys):
            count["ended"] += 1
            count["failed"] += record["status"] in ("error", "timeout")
            count["n"] += record["status"] == "ok" and record["latency_ms"] is not None and not record["cached"]
            count["tokens"] += record["usage"]["total_tokens"] or 0
            count["micros"] += round(1e6 * ((record["usage"]["cost_usd"] or 0) + (record["usage"]["upstream_cost_usd"] or 0)))
            count[record["status"] if record["final"] else "again"] += 1
    return counts


def printed_lines(text: str, titles: list[str]) -> dict[str, list[str]]:
    """Cells of the table's rows, by their titles."""
    rows = {}
    for title in titles:
        row = next(line for line in text.split("\n") if line.lstrip(" ›").startswith(f"{title} "))
        rows[title] = row.lstrip(" ›").removeprefix(title).split()
    return rows


def engine_says(count: Counter[str], planned: int) -> dict[str, Any]:
    """What progress.json of a run holds whose log has come so far, with two calls in flight."""
    total = {"ok": count["ok"], "error": count["error"], "timeout": count["timeout"], "skipped": 0, "not_sent": 0}
    done = count["ok"] + count["error"] + count["timeout"]
    return {
        "done": done, "total": total, "planned": planned, "in_flight": 2 if done < planned else 0,
        "calls_used": count["ended"], "charged_usd": count["micros"] / 1e6, "eta_s": 9.0, "max_calls": 300,
    }  # fmt: skip


def assert_header(text: str, count: Counter[str], said: dict[str, Any]) -> None:
    """Header and status line print one count: ended, ok, failed, left, in flight, attempts, cost."""
    planned, done, in_flight = said["planned"], said["done"], said["in_flight"]
    for words in (
        f"{done} of {planned} calls",
        f"✓ {count['ok']} answered",
        f"✗ {count['error']} failed",
        f"◔ {count['timeout']} timed out",
        f"– {max(planned - done - in_flight, 0)} still to ask",
        f"in flight {in_flight} of ",
        f"attempts {count['ended']} of at most",
    ):
        assert words in text, f"{words!r} is not printed\n{text}"
    status = next(line for line in text.split("\n") if line.startswith(" ▶ ") and " calls " in line)
    assert f"{count['ended']} of " in status
    costs = next(line for line in text.split("\n") if line.startswith(" cost "))
    assert all(is_printed(count["micros"], part) for part in (status, costs)), (status, costs)


def is_printed(micros: int, text: str) -> bool:
    """Whether an amount stands in a text, rounded as it is printed."""
    amounts = re.findall(r"\$([0-9]+)(?:\.([0-9]+))?", text)
    return any(round(micros / 1e6, len(cents)) == float(f"{usd}.{cents or 0}") for usd, cents in amounts)


async def test_everything_on_show_is_one_count_of_the_log(folder: Folder, tmp_path: Path) -> None:
    """While the log grows, each tick's table is the log up to the snapshot's offset; at rest header, status line, list of runs
    and results print the same count. ETA and rates are left out."""
    lines = (GOLDEN / "choice" / LOG).read_bytes().splitlines(keepends=True)
    plan = json.loads((folder.path / "plan.json").read_bytes())
    planned = sum(stage["calls"] for stage in plan["stages"])
    app: EvalApp = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await wait_for(pilot, lambda: isinstance(app.screen, LiveScreen))
        for n in STEPS:
            log = b"".join(lines[:n])
            with (folder.path / LOG).open("ab") as stream:
                stream.write(log[(folder.path / LOG).stat().st_size :])
            counts = counted(log)
            said = engine_says(counts[None, None], planned)
            folder.progress(**said)
            screen = app.screen
            assert isinstance(screen, LiveScreen)
            while (
                screen._shown is None or screen._shown.offset < len(log) or app.entry is None or app.entry.done != said["done"]
            ):
                await pilot.pause(0.01)
                shown = screen._shown
                if shown is not None and shown.lines:
                    so_far = counted(log[: shown.offset])
                    for line in shown.lines:
                        expected = so_far.get((line.stage, line.model), Counter())
                        assert (line.figures.get("attempts_total") or 0) == expected["ended"]
                    assert shown.failed == so_far.get((None, None), Counter())["failed"]
            screen.tick()
            await pilot.pause()
            text = screen_text(app)
            assert_header(text, counts[None, None], said)
            titles = {line.title.strip(): (line.stage, line.model) for line in screen._shown.lines}
            for title, cells in printed_lines(text, list(titles)).items():
                expected = counts.get(titles[title], Counter())
                sent = bool(expected)
                assert cells[1] == (f"{expected['ended']}" if sent else "-"), (title, cells)
                assert cells[3] == (f"{expected['failed']}" if sent else "-"), (title, cells)
                assert cells[7] == (f"{expected['n']}" if sent else "-"), (title, cells)
                assert not sent or is_printed(expected["micros"], cells[-2]), (title, cells)
            if failed := counts[None, None]["failed"]:
                assert re.search(rf"failed attempts by cause: {failed} in ", text)
            await press(pilot, "4")
            row = f"{int(100 * said['done'] / planned)} %"
            await wait_for(pilot, lambda row=row: row in screen_text(app), row)
            listed = next(line for line in screen_text(app).split("\n") if line.startswith("›▶ running"))
            assert is_printed(counts[None, None]["micros"], listed) and f" {failed} " in listed, listed
            await press(pilot, "v")
            words = f", {said['done']} of {planned} calls"
            await wait_for(pilot, lambda words=words: words in screen_text(app), words)
            await press(pilot, "escape", "3")
            await wait_for(pilot, lambda: isinstance(app.screen, LiveScreen))


async def test_more_calls_than_were_planned_are_told_as_such_everywhere(folder: Folder, tmp_path: Path) -> None:
    """A run that needs calls beyond its plan is not done while any is in flight, on no screen, for an unknown time."""
    total = {"ok": 300, "error": 8, "timeout": 0, "skipped": 0, "not_sent": 0}
    folder.progress(done=308, total=total, planned=290, in_flight=2, eta_s=0.0)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3")
        await wait_for(pilot, lambda: "99 %   308 calls (290 planned)" in screen_text(app))
        assert "ETA -" in screen_text(app) and "100 %" not in screen_text(app)
        await press(pilot, "4")
        await wait_for(pilot, lambda: "99 %" in screen_text(app))
        await press(pilot, "v")
        await wait_for(pilot, lambda: ", 308 calls (290 planned)" in screen_text(app))
        assert "308 of 290" not in screen_text(app)
