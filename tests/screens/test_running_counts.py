"""Law of the counts on show while an engine works: whatever is printed at a tick is the log up to one offset, counted apart."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from chats import chat, conversations
from fault_bench import Life, resume_here, run_here, serving, simulated_by
from screen import press, quick_app, screen_text, wait_for
from textual.pilot import Pilot

from tui_eval.engine import watch
from tui_eval.runs import steering
from tui_eval.runs.folder import LOG, RESULTS
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.live import screen as live
from tui_eval.tui.screens.live.screen import LiveScreen
from tui_eval.tui.screens.result.screen import ResultScreen
from tui_eval.tui.screens.runs.screen import RunsScreen

SIZE = (240, 50)
QUESTIONS, HALF = 40, 60
"""Of the exam; and the calls after which a run is stopped."""
TICKS = 8
"""So many ticks at least are looked at in a life of a run, each with another part of the log."""
Head = dict[str, Any]


@dataclass
class Counts:
    """What a part of a log holds, counted call by call."""

    ends: Counter[str] = field(default_factory=Counter)
    """Calls by how they ended."""
    extra: int = 0
    """Calls beyond the plan that were asked."""
    sent: int = 0
    failed: int = 0
    usd: float = 0.0
    """Cost of what tells its own."""
    unknown: int = 0
    by_model: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        return sum(self.ends[how] for how in ("ok", "no_text", "error", "timeout"))


def how(head: Head) -> str:
    """The way an attempt ended, as the monitor names it."""
    if head["status"] == "skipped_budget":
        return "skipped"
    if head["error_kind"] == "not_sent":
        return "not_sent"
    return "no_text" if head["error_kind"] in ("refused", "truncated", "empty") else head["status"]


def counted(log: bytes, begun: int, failed_again: bool) -> Counts:
    """Count a part of a log, of which the first bytes are of earlier lives: what was left open there is open."""
    counts, last, at = Counts(), dict[str, tuple[int, Head]](), 0
    for line in log.splitlines(keepends=True):
        head, at = json.loads(line), at + len(line)
        if head["started_at"] is not None:
            counts.sent += 1
            is_failed = head["status"] in ("error", "timeout")
            row = counts.by_model.setdefault((head["stage"], head["model"]), Counter())
            row["ended"] += 1
            row["failed"] += is_failed
            row["n"] += head["status"] == "ok"
            counts.failed += is_failed
            counts.usd += head["usage"]["cost_usd"] or 0.0
            counts.unknown += head["usage"]["cost_usd"] is None
        before = last.get(head["call_key"])
        if before is None or head["final"] or not before[1]["final"]:
            last[head["call_key"]] = at, head
    for end, head in last.values():
        open_again = end <= begun and (not head["final"] or (failed_again and how(head) != "ok"))
        if not open_again and (head["final"] or head["started_at"] is None):
            counts.ends[how(head)] += 1
            counts.extra += head["about"].endswith(" again") and how(head) not in ("skipped", "not_sent")
    return counts


def amounts(text: str) -> set[float]:
    """Amounts of dollars in a text."""
    return {float(amount) for amount in re.findall(r"\$([0-9]+\.[0-9]+)", text)}


def number(pattern: str, text: str) -> int:
    """The number that stands in a text at this place."""
    match = re.search(pattern, text)
    assert match is not None, f"{pattern!r} is not printed\n{text}"
    return int(match[1].replace(",", ""))


def assert_adds_up(text: str, counts: Counts, planned: int, following: int) -> None:
    """Header, status line and table print one count of the log. `following`: how many of the calls in flight no plan has."""
    assert number(r"([\d,]+) of [\d,]+ calls", text) == counts.asked - counts.extra, text
    assert number(r"[\d,]+ of ([\d,]+) calls", text) == planned
    follow_ups = re.search(r"calls, ([\d,]+) follow-up", text)
    assert (int(follow_ups[1]) if follow_ups else 0) == counts.extra, text
    for key, words in (("ok", "answered"), ("error", "failed"), ("timeout", "timed out")):
        assert number(rf"([\d,]+) {words}", text) == counts.ends[key], (words, counts, text)
    without = re.search(r"([\d,]+) without text", text)
    assert (int(without[1]) if without else 0) == counts.ends["no_text"], text
    in_flight, left = number(r"in flight ([\d,]+) of", text), number(r"([\d,]+) still to ask", text)
    rest = planned - (counts.asked - counts.extra) - counts.ends["skipped"]
    assert left == max(rest - (in_flight - following), 0), (rest, in_flight, following, left, text)
    assert number(r"attempts ([\d,]+) of at most", text) == counts.sent + in_flight, (counts, in_flight, text)
    status = next(line for line in text.split("\n") if line.startswith(" ▶ ") and " calls " in line)
    assert number(r"([\d,]+) of [\d,]+ calls", status) == counts.sent + in_flight
    header = next(line for line in text.split("\n") if line.startswith(" cost "))
    unknown = f"{counts.unknown:,} unknown" if counts.usd else "unknown"  # the number stands beside what is known
    for line in (status, header):
        assert (unknown in line) is bool(counts.unknown), (counts, line)
        assert amounts(line.split(" of ")[0]) == {round(counts.usd, 4)} or not counts.usd, (counts.usd, line)
    if counts.failed:
        assert number(r"failed attempts by cause: ([\d,]+) in", text) == counts.failed


def assert_table(text: str, screen: LiveScreen, counts: Counts) -> None:
    """The table's rows print the same part of the log; the first one all of it."""
    rows = text.split("── attempts by stage and model")[1].split("── failed attempts")[0].split("\n")[2:]
    for line, row in zip(screen._taken.lines, rows, strict=False):
        title, cells = line.title.strip(), row.lstrip(" ›").removeprefix(line.title.strip()).split()
        pairs = [
            (stage, model) for stage, model in counts.by_model if line.stage in (None, stage) and line.model in (None, model)
        ]
        sums = sum((counts.by_model[pair] for pair in pairs), Counter())
        if not row.strip():  # not laid out yet
            return
        assert row.lstrip(" ›").startswith(title), (title, row)
        for place, key in ((1, "ended"), (3, "failed"), (7, "n")):
            assert cells[place] == f"{sums[key]}" or (not pairs and cells[place] == "-"), (title, key, cells, sums, text)
        if line.stage is None and counts.usd:
            assert amounts(row) == {round(counts.usd, 4)}, (counts.usd, row)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the engine write its counts often, and the monitor take its figures at every tick."""
    monkeypatch.setattr(live, "TAKE_EVERY_S", 0.0)
    monkeypatch.setattr(live, "REST", 0)
    monkeypatch.setattr(watch, "TICK_S", 0.04)


async def watched(
    pilot: Pilot[Any], path: Path, life: asyncio.Task[Life], least: int, failed_again: bool = False, until: int = 10**9
) -> None:
    """Look at the monitor at every tick of a life of a run, until it ends or so many calls have ended."""
    app, begun, parts = pilot.app, (path / LOG).stat().st_size if (path / LOG).exists() else 0, set[int]()
    assert isinstance(app, EvalApp)
    while not life.done():
        await pilot.pause(0.02)
        screen = app.screen
        if not isinstance(screen, LiveScreen) or app.entry is None or not app.entry.follows_log:
            continue
        app._tick()
        taken, text = screen._taken, screen_text(app)
        if taken.window is None or taken.entry is None or not taken.entry.follows_log or taken.entry.path != path:
            continue
        counts = counted((path / LOG).read_bytes()[: taken.offset], begun, failed_again)
        assert taken.entry.planned is not None
        assert_adds_up(text, counts, taken.entry.planned, app.entry.in_flight_extra)
        assert_table(text, screen, counts)
        parts.add(taken.offset)
        if counts.asked >= until:
            steering.stop(path)
            until = 10**9
    life.result()
    assert len(parts) >= least, f"only {len(parts)} parts of the log were looked at"


def scored(results: bytes) -> dict[tuple[str, str, str], list[float | None]]:
    """The values of all scores in a part of the results, by stage, model and metric."""
    scores: dict[tuple[str, str, str], list[float | None]] = {}
    for line in results.splitlines():
        for score in json.loads(line)["scores"]:
            scores.setdefault((score["stage"], score["model"], score["name"]), []).append(score["value"])
    return scores


def assert_scores(text: str, scores: dict[tuple[str, str, str], list[float | None]]) -> int:
    """The table of scores so far prints these sums, each with its n; return how many it prints."""
    head, *rows = text[text.index("\n stage ") + 1 :].split("\n")
    printed, expected = dict[tuple[str, ...], tuple[str, ...]](), dict[tuple[str, ...], tuple[str, ...]]()
    for row in rows[: next(place for place, row in enumerate(rows) if not row.strip())]:
        cells = row.lstrip(" ›").replace(" %", "%").rstrip("│█┃ ").split()
        printed[(*cells[:2], cells[2] if " metric " in head else "correct")] = (cells[-3], cells[-2], cells[-1])
    for key, values in scores.items():
        known = [value for value in values if value is not None]
        mean = sum(known) / len(known) if known else 0.0
        shape = f"{100 * mean:.1f}%" if printed[key][1].endswith("%") else f"{mean:.2f}"
        expected[key] = (f"{len(known)}", shape if known else "-", f"{len(values) - len(known)}")
    assert printed == expected, text
    return len(printed)


async def listed(pilot: Pilot[Any], path: Path, life: asyncio.Task[Life]) -> None:
    """Look at the list of runs, the line above the results, the scores so far and the number of answers at every tick, until
    the run ends."""
    app, results = pilot.app, path / RESULTS
    assert isinstance(app, EvalApp)
    looks = Counter[str]()
    for keys in (("4",), ("v",), ("tab",), ("tab",), ("escape",)) * 100:
        await press(pilot, *keys)
        await pilot.pause(0.05)
        while isinstance(app.screen, ResultScreen) and app.screen.is_reading:
            await pilot.pause(0.01)
        app._tick()
        entry, text = app.entry, screen_text(app)
        if life.done():
            break
        if entry is None or not entry.follows_log or entry.results_bytes is None:
            continue
        counts = counted((path / LOG).read_bytes()[: entry.log_bytes], 0, False)
        samples = results.read_bytes()[: entry.results_bytes].count(b"\n")
        of_plan = counts.asked - counts.extra
        if isinstance(app.screen, RunsScreen):
            row = next(line for line in text.split("\n") if line.startswith("›▶ running"))
            assert number(r" ([\d]+) %", row) == min(100 * of_plan // (entry.planned or 1), 99 if entry.in_flight else 100), row
            assert f" {counts.ends['error'] + counts.ends['timeout']} " in row, (row, counts)
            looks["list"] += 1
        elif isinstance(app.screen, ResultScreen):
            assert number(r", ([\d,]+) of [\d,]+ calls", text) == of_plan, (counts, text)
            assert number(r"  ([\d,]+) of [\d,]+ samples", text) == samples, text
            looks["results"] += 1
            if "[Summary]" in text and "\n stage " in text and " so far " in text:
                looks["scores"] += assert_scores(text, scored(results.read_bytes()[: entry.results_bytes]))
            for pattern in (r"^ ([\d,]+) samples", r"^ ([\d,]+) finished samples are on file"):
                if (shown := re.search(pattern, text, re.MULTILINE)) and "read so far" not in text:
                    assert int(shown[1]) == samples, text
                    looks["answers"] += 1
    life.result()
    assert all(looks[name] for name in ("list", "results", "answers", "scores")), looks


async def at_the_end(pilot: Pilot[Any], path: Path) -> None:
    """What the monitor and the list of runs print of a run that has ended is its whole log."""
    app = pilot.app
    assert isinstance(app, EvalApp)
    counts = counted((path / LOG).read_bytes(), 0, False)
    await press(pilot, "3")
    await wait_for(pilot, lambda: "✓ done" in screen_text(app) or "incomplete" in screen_text(app))
    ended = f"{counts.asked - counts.extra} "
    size = (path / LOG).stat().st_size
    await wait_for(pilot, lambda: isinstance(app.screen, LiveScreen) and app.screen._taken.offset == size)
    app._tick()
    text = screen_text(app)
    assert re.search(rf" {ended}(of|calls)", text), (counts, text)
    for key, words in (("ok", "answered"), ("error", "failed"), ("timeout", "timed out")):
        assert number(rf"([\d,]+) {words}", text) == counts.ends[key], (words, counts, text)
    assert number(r"attempts ([\d,]+) of at most", text) == counts.sent
    assert_table(text, app.screen, counts)  # type: ignore[arg-type]


def exam(folder: Path, url: str) -> dict[str, Any]:
    """An exam of four models: one that answers, one whose calls fail once, one whose calls all fail, one of unknown price."""
    questions = [
        {"id": f"q{n}", "question": f"Which number is {n}?", "choices": [str(n), str(n + 1)], "answer": "A"}
        for n in range(QUESTIONS)
    ]
    (folder / "exam.json").write_text(json.dumps(questions))
    ids = {"scholar": "sim-scholar", "shaky": "fault:500:1", "broken": "fault:400", "secret": "fault:no-usage"}
    models = [simulated_by(url, name, model) for name, model in ids.items()]
    run = {"max_calls": 1000, "max_concurrency": 4, "timeout_s": 20.0, "stop_model_after": 0, "retries": 2}
    table = {"dataset": "exam.json", "models": list(ids)}
    return {"kind": "choice", "name": "exam", "run": run, "models": models, "choice": table}


def judged(folder: Path, url: str) -> dict[str, Any]:
    """Conversations that a judge scores who fails once, and whose replies cannot be read: each is reminded."""
    models = [simulated_by(url, "alder", "sim-grounded"), simulated_by(url, "judge", "fault:500:1")]
    run = {"max_concurrency": 4, "retries": 2}
    return chat(folder, conversations((4, 3, 2, 3)), models, {"model": "judge", "duplicates": 0.2}, run)


@pytest.mark.parametrize("kind", [exam, judged])
async def test_every_tick_is_one_count(tmp_path: Path, kind: Callable[[Path, str], dict[str, Any]]) -> None:
    """Failures, retries, reminders and money in doubt; stopped, resumed, and what failed asked again."""
    path = tmp_path / "runs" / "20260101_000000_abcd_counts"
    path.parent.mkdir()
    app = quick_app(tmp_path)
    async with serving(latency_scale=0.02) as served, app.run_test(size=SIZE) as pilot:
        served.simulator.slow(0.03)
        life = asyncio.create_task(run_here(kind(tmp_path, served.url), tmp_path, out=path))
        await wait_for(pilot, lambda: app.board.entries)
        await press(pilot, "3")
        await watched(pilot, path, life, TICKS, until=HALF)
        await watched(pilot, path, asyncio.create_task(resume_here(path)), TICKS)
        await at_the_end(pilot, path)
        served.simulator.slow(0.1)
        again = asyncio.create_task(resume_here(path, reopen_failed=True))
        await watched(pilot, path, again, 2 if kind is exam else 0, failed_again=True)  # no call of the other one failed
        await at_the_end(pilot, path)


@pytest.mark.parametrize("kind", [exam, judged])
async def test_the_lists_print_the_same_count(tmp_path: Path, kind: Callable[[Path, str], dict[str, Any]]) -> None:
    """List of runs, results and answers while the run goes on."""
    path = tmp_path / "runs" / "20260101_000000_abcd_counts"
    path.parent.mkdir()
    app = quick_app(tmp_path)
    async with serving(latency_scale=0.02) as served, app.run_test(size=SIZE) as pilot:
        served.simulator.slow(0.06)
        life = asyncio.create_task(run_here(kind(tmp_path, served.url), tmp_path, out=path))
        await wait_for(pilot, lambda: app.board.entries)
        app.open_run(path)
        await listed(pilot, path, life)
