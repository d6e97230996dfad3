"""Makes the small run folders in tests/golden: simulated runs through the command line, freed of what differs by machine."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import small_runs
import tomli_w

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
EXAMPLES = ROOT / "examples"
RUN_IDS = {
    "panel": "20260102_030405_a1a1_harbour",
    "choice": "20260102_030405_b2b2_lighthouse",
    "stopped": "20260102_030405_c3c3_troubles",
    "chat": "20260102_030405_d4d4_talks",
    "pipeline": "20260102_030405_e5e5_pages",
    "graph": "20260102_030405_f6f6_drafts_draft_v1",
}
"""What each run is called in its own files; a workspace for the app holds it under this name."""
BEGIN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FIXED = {"git_commit": None, "python": "3.11.0", "platform": "golden"}
"""What the manifest says of the machine."""
LIFE = "golden"
"""Stands for the first part of every attempt's id."""
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z")
DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")
SERVER = re.compile(r'"server": "[^"]*"')
ADDRESS = re.compile(r"127\.0\.0\.1:[0-9]+")
QUESTIONS = (
    "navigation_004", "navigation_005", "navigation_009", "weather_005", "weather_006", "sea_and_tides_001",
    "sea_and_tides_003", "light_and_measurement_006",
)  # fmt: skip
"""Of the exam's questions: some that the guarded persona refuses, some that the rambling one cannot decide."""
ASKED = (
    "Who keeps the harbour log of Skerrow?",
    "What was the first load of the new crane?",
)
TRUTHS = ("Oda Finch", "a bell")
STOP_AFTER = 38
"""Lines of the log after which the run with troubles is stopped."""
LONGEST_S = 180.0


def main() -> int:
    """Rebuild the reports, or make everything anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anew", action="store_true", help="make the runs again, not only their reports")
    parser.add_argument("names", nargs="*", choices=[[], *RUN_IDS], help="only these; without any, all of them")
    options = parser.parse_args()
    for name in options.names or RUN_IDS:
        with tempfile.TemporaryDirectory() as folder:
            make(name, Path(folder)) if options.anew else rebuild(name, Path(folder))
    return 0


def rebuild(name: str, workspace: Path) -> None:
    """Bring a golden folder's derived files up to date; what a report no longer has is to be deleted by hand."""
    path = workspace / "runs" / RUN_IDS[name]
    shutil.copytree(GOLDEN / name, path)
    tui_eval(workspace, "rescore", str(path))
    keep(path, name)


def make(name: str, workspace: Path) -> None:
    """Run it, free it of this machine, and put it where the tests look."""
    (workspace / "runs").mkdir()
    path = workspace / "runs" / RUN_IDS[name]
    config = workspace / f"{name}.toml"
    config.write_text(tomli_w.dumps(CONFIGS[name](workspace)), encoding="utf-8")
    command = ("--run", str(config), "--out", str(path), "--no-preflight")
    if name == "stopped":
        tui_eval_until(workspace, path, STOP_AFTER, *command)
    else:
        tui_eval(workspace, *command)
    free_of_machine(path, name)
    tui_eval(workspace, "rescore", str(path))
    keep(path, name)


def keep(path: Path, name: str) -> None:
    """Put a run folder among the golden ones, without the lock that rebuilding it left."""
    (path / "lock").unlink(missing_ok=True)
    shutil.rmtree(GOLDEN / name, ignore_errors=True)
    shutil.copytree(path, GOLDEN / name)
    for file in (GOLDEN / name).rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)
    size = sum(file.stat().st_size for file in (GOLDEN / name).rglob("*") if file.is_file())
    print(f"{GOLDEN / name}: {size / 1000:.0f} kB")


# the runs


def models(**ids: str) -> list[dict[str, Any]]:
    """Simulated models by name."""
    return [{"name": name, "wire": "simulator", "model": model} for name, model in ids.items()]


def documents(workspace: Path) -> list[str]:
    """Two days of the harbour log, each a document."""
    head, *days = (EXAMPLES / "quickstart" / "harbour.txt").read_text(encoding="utf-8").split("\n\n")
    for name, part in (("monday", days[:1]), ("tuesday", days[1:2])):
        (workspace / f"{name}.txt").write_text("\n\n".join([head, *part]) + "\n", encoding="utf-8")
    return ["monday.txt", "tuesday.txt"]


def panel(workspace: Path) -> dict[str, Any]:
    """A panel with documents: three doers, a judge, a final judge, and a model that scores."""
    return {
        "kind": "panel",
        "name": "harbour",
        "run": {"max_calls": 100, "max_cost_usd": 0.5, "max_output_tokens": 200, "max_concurrency": 8},
        "models": models(
            scholar="sim-scholar", sprinter="sim-sprinter", rambler="sim-rambler", arbiter="sim-arbiter",
            scorer="sim-scorer",
        ),
        "panel": {
            "questions": list(ASKED),
            "truths": list(TRUTHS),
            "documents": documents(workspace),
            "doers": [{"model": "scholar"}, {"model": "sprinter"}, {"model": "rambler"}],
            "judges": [{"model": "arbiter"}],
            "finals": [{"model": "arbiter"}],
            "benchmark": {"mode": "llm", "scorer": {"model": "scorer"}},
        },
    }  # fmt: skip


def choice(workspace: Path) -> dict[str, Any]:
    """An exam for three personas, one of which refuses some questions and one of which cannot always decide."""
    entries = json.loads((EXAMPLES / "choice" / "benchmark.json").read_text(encoding="utf-8"))
    chosen = [entry for entry in entries if entry["id"].removeprefix("lighthouse_v1_") in QUESTIONS]
    (workspace / "benchmark.json").write_text(json.dumps(chosen, indent=1), encoding="utf-8")
    names = {name: f"sim-{name}" for name in ("scholar", "rambler", "guarded")}
    return {
        "kind": "choice",
        "name": "lighthouse",
        "run": {"max_calls": 60, "max_output_tokens": 400, "max_concurrency": 8},
        "models": models(**names),
        "choice": {"benchmark": "benchmark.json", "models": list(names)},
    }


def stopped(workspace: Path) -> dict[str, Any]:
    """A panel in which most models fail, each in its own way, and which is stopped before its end; it has no documents."""
    doers = {
        "scholar": "sim-scholar",
        "busy": "fault:429-retry-after-ms:1",
        "flaky": "fault:503:1",
        "broken": "fault:400",
        "garbled": "fault:garbage",
        "silent": "fault:hang",
        "declining": "fault:refusal",
        "cut-short": "fault:length",
    }
    return {
        "kind": "panel",
        "name": "troubles",
        "run": {
            "max_calls": 200, "max_output_tokens": 200, "max_concurrency": 6, "retries": 1, "timeout_s": 3.0,
            "stop_model_after": 3,
        },
        "models": models(**doers, arbiter="sim-arbiter"),
        "panel": {
            "questions": (EXAMPLES / "quickstart" / "questions.txt").read_text(encoding="utf-8").splitlines()[:4],
            "doers": [{"model": name} for name in doers],
            "judges": [{"model": "arbiter"}],
        },
    }  # fmt: skip


def of_kind(name: str) -> Callable[[Path], dict[str, Any]]:
    """A small run of a kind that reads files of its own."""
    settings = {"max_calls": 200, "max_output_tokens": 1000, "max_concurrency": 8, "cache": False}
    return lambda workspace: {**small_runs.RUNS[name](workspace, models), "run": settings}


CONFIGS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "panel": panel, "choice": choice, "stopped": stopped, **{name: of_kind(name) for name in small_runs.RUNS},
}  # fmt: skip


# the command line


def _command(workspace: Path, arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "tui_eval", "--workspace", str(workspace), *arguments]


def tui_eval(workspace: Path, *arguments: str) -> None:
    """Run a command to its end; an incomplete run (3) is no failure here."""
    done = subprocess.run(_command(workspace, arguments), cwd=ROOT, stdout=subprocess.DEVNULL, check=False, timeout=LONGEST_S)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}")


def tui_eval_until(workspace: Path, path: Path, lines: int, *arguments: str) -> None:
    """Run a command and ask it to stop once the run's log has so many lines."""
    log = path / "call_logs.jsonl"
    with subprocess.Popen(_command(workspace, arguments), cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + LONGEST_S
        while process.poll() is None and time.monotonic() < until:
            if log.is_file() and log.read_bytes().count(b"\n") >= lines:
                tui_eval(workspace, "stop", str(path))
                process.wait(LONGEST_S)
            time.sleep(0.02)
    if process.returncode != 130:
        raise SystemExit(f"the run was to be stopped, and ended with {process.returncode}")


# what differs by machine


def free_of_machine(path: Path, name: str, begin: datetime = BEGIN) -> None:
    """Fixed words in place of the machine's, and all times moved so that the run begins at another one.

    What lies in folders below is derived, and made again with the reports: names of files there tell the time, too.
    """
    for folder in [folder for folder in path.iterdir() if folder.is_dir() and folder.name not in ("inputs", "batches")]:
        shutil.rmtree(folder)
    (path / "lock").unlink()
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    command_line = ["--run", f"{name}.toml"]
    manifest |= {**FIXED, "uid": f"{len(name):016x}", "command_line": command_line}
    (path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    by = begin - datetime.fromisoformat(manifest["started_at"])
    life = json.loads((path / "intents.jsonl").read_text(encoding="utf-8").partition("\n")[0])["attempt_id"].partition("-")[0]
    for file in path.iterdir():
        if file.is_file() and file.name != "config.toml":
            text = file.read_bytes().decode("utf-8")
            text = STAMP.sub(lambda found: moved(found.group(), by), text).replace(f'"{life}-', f'"{LIFE}-')
            text = DATE.sub(lambda found: moved_date(found.group(), by), text)
            text = SERVER.sub('"server": "simulator"', text)
            text = ADDRESS.sub("127.0.0.1:8765", text).replace(f"{os.path.realpath(path.parent.parent)}/", "")
            file.write_bytes(text.encode("utf-8"))


def moved(stamp: str, by: timedelta) -> str:
    """A time stamp, later or earlier, with as many digits."""
    written = (datetime.fromisoformat(stamp) + by).isoformat(timespec="milliseconds" if "." in stamp else "seconds")
    return written.replace("+00:00", "Z")


def moved_date(date: str, by: timedelta) -> str:
    """The same for a date as HTTP writes it."""
    form = "%a, %d %b %Y %H:%M:%S GMT"
    return (datetime.strptime(date, form) + by).strftime(form)


if __name__ == "__main__":
    sys.exit(main())
