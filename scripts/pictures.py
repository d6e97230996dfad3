"""Draws pictures of the app's best screens in docs/pictures, in two themes, as SVG that names nothing outside itself."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from golden import GOLDEN, LONGEST_S, ROOT, RUN_IDS, free_of_machine, tui_eval
from textual.pilot import Pilot

from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.live import screen as live
from tui_eval.workspace.places import Workspace

PICTURES = ROOT / "docs" / "pictures"
SIZE = (110, 32)
THEMES = ("dark", "light")
RUNNING, EXAM, PANEL = "20260103_141002_d4d4_lighthouse", "20260103_101500_e5e5_lighthouse", "20260103_093000_f6f6_quickstart"
"""A run that is still going (a copy made while it did), an exam and a panel that are done."""
BEGINS = {
    RUNNING: datetime(2026, 1, 3, 14, 10, 2, tzinfo=UTC),
    EXAM: datetime(2026, 1, 3, 10, 15, tzinfo=UTC),
    PANEL: datetime(2026, 1, 3, 9, 30, tzinfo=UTC),
}
COPY_AFTER = 150
"""Lines of the log after which the copy is made."""
FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
PATIENCE_S = 20.0
Shot = tuple[str, str, str, str]
"""A picture's name, the run it is of (empty: none is opened), the keys that lead there, and words that stand there then."""
SHOTS: tuple[Shot, ...] = (
    ("runs", "", "j", "5 runs"),
    ("live", RUNNING, "", "now "),
    ("log", EXAM, "6 n", "attempts"),
    ("attempt", RUN_IDS["panel"], "6 enter z", "ASKED"),
    ("summary", EXAM, "", "95 % interval"),
    ("item", PANEL, "tab tab j enter", "TRUTH"),
    ("grid", EXAM, "shift+tab exclamation_mark comma comma l", "by right, lowest first"),
    ("accuracy", EXAM, "tab tab tab", "‹ 1 of "),
    ("cost", EXAM, "tab tab tab right right", "‹ 3 of "),
    ("setup", "", "s j j enter down down down down down down down down enter down down", "ready: F5 starts it"),
    ("compare", EXAM, "c", "A-B points"),
    ("bench", EXAM, "b t j enter", "are read otherwise"),
)


def main() -> int:
    """Make the runs, then every picture."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, TZ="UTC")
        time.tzset()
        workspace = Path(home) / "evals"
        make_runs(workspace)
        PICTURES.mkdir(parents=True, exist_ok=True)
        with held(workspace / "runs" / RUNNING):
            for theme in THEMES:
                for shot in SHOTS:
                    asyncio.run(draw(shot, theme, workspace))
    return 0


def make_runs(workspace: Path) -> None:
    """The two examples, one of them also as it was midway, and the golden runs with documents and with troubles."""
    runs = workspace / "runs"
    runs.mkdir(parents=True)
    with subprocess.Popen(command(workspace, "choice", runs / EXAM), cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        log = runs / EXAM / "call_logs.jsonl"
        until = time.monotonic() + LONGEST_S
        while not (log.is_file() and log.read_bytes().count(b"\n") >= COPY_AFTER) and time.monotonic() < until:
            time.sleep(0.05)
        shutil.copytree(runs / EXAM, runs / RUNNING, ignore=shutil.ignore_patterns(".*"))
        process.wait(LONGEST_S)
    tui_eval(workspace, "--run", "quickstart", "--out", str(runs / PANEL), "--no-preflight")
    for run_id, begin in BEGINS.items():
        free_of_machine(runs / run_id, run_id.rpartition("_")[2], begin)
    for name in ("panel", "stopped"):
        shutil.copytree(GOLDEN / name, runs / RUN_IDS[name])


def command(workspace: Path, config: str, path: Path) -> list[str]:
    """The command line of a run."""
    program = [sys.executable, "-m", "tui_eval", "--workspace", str(workspace)]
    return [*program, "--run", config, "--out", str(path), "--no-preflight", "--set", "run.max_concurrency=8"]


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """A run folder held as its engine would, and the clock standing a moment after its last sign of life."""
    heartbeat = json.loads((path / "progress.json").read_text(encoding="utf-8"))["heartbeat"]
    now = (datetime.fromisoformat(heartbeat) + timedelta(seconds=1)).timestamp()
    live.time = SimpleNamespace(time=lambda: now, monotonic=time.monotonic)  # type: ignore[assignment]
    with (path / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 1, "host": "here", "since": null}')
        lock.flush()
        yield


async def draw(shot: Shot, theme: str, workspace: Path) -> None:
    """One picture: the app is started, led there by keys, and drawn once it rests."""
    name, run_id, keys, words = shot
    os.environ["TEXTUAL_THEME"] = theme
    app = EvalApp(Workspace(workspace), workspace / "runs" / run_id if run_id else None)
    async with app.run_test(size=SIZE) as pilot:
        await rest(pilot, lambda: text_of(app), "4 Results")
        for key in keys.split():
            await pilot.press(key)
            await rest(pilot, lambda: text_of(app), "")
        await rest(pilot, lambda: text_of(app), words)
        file = PICTURES / f"{name}-{theme}.svg"
        file.write_text(by_itself(app.export_screenshot(simplify=True, title=f"tui-eval · {name}"), name), encoding="utf-8")
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")


def text_of(app: EvalApp) -> str:
    """What stands on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def rest(pilot: Pilot[Any], text: Callable[[], str], words: str) -> None:
    """Wait until these words stand there and nothing has changed for a while."""
    until, since, last = time.monotonic() + PATIENCE_S, time.monotonic(), ""
    while time.monotonic() < until:
        await pilot.pause(0.02)
        if (now := text()) != last:
            last, since = now, time.monotonic()
        if words in last and time.monotonic() - since > 0.4:
            return
    raise SystemExit(f"waited in vain for {words!r}\n{last}")


def by_itself(svg: str, name: str) -> str:
    """A picture without fonts from elsewhere, and with ids that are the same every time."""
    svg = re.sub(r"\s*@font-face \{.*?\n    \}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", FONTS).replace("font-family: arial", "font-family: sans-serif")
    svg = re.sub(r"terminal-\d+", name, svg)
    if re.search(r"url\((?!#)|https?://(?!www\.w3\.org/)", svg):
        raise SystemExit(f"{name}: the picture names something outside itself")
    return svg


if __name__ == "__main__":
    sys.exit(main())
