"""Makes run folders with big logs quickly, and a process that appends to one as a live run does. Everything simulated.

python benchmarks/big_log.py make FOLDER ATTEMPTS
python benchmarks/big_log.py append FOLDER PER_SECOND SECONDS
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui_eval.core.calls import ErrorKind, Status, Usage
from tui_eval.core.records import Attempt
from tui_eval.runs.folder import LOG, PROGRESS, RunFolder, create_folder
from tui_eval.runs.record import line_of

MODELS = ("scholar", "sprinter", "rambler", "arbiter", "contrarian", "scorer")
STAGES = ("doer", "doer", "doer", "judge", "judge", "final", "scorer")
FAILURES: tuple[tuple[Status, ErrorKind | None, str], ...] = (
    ("error", "rate_limit", "429: the server asks to slow down"),
    ("error", "transient", "503: the server is overloaded"),
    ("error", "refused", "the model declined to answer"),
    ("timeout", None, "no reply after 60 s"),
)
SENTENCE = (
    "the tide gauge read four metres at the evening high water and the keeper wrote down the hour and the weather while "
    "rain stood in the rope store; sixty coils were carried to the loft, the lamp on the mole was changed to green, and "
    "nobody was hurt, as the log of the harbour says on the page for Thursday"
)
WORDS = SENTENCE.split()
TEMPLATES = 512
"""How many attempts differ in more than their names and times."""
PROGRESS_EVERY_S = 0.25
FIRST = 1_767_225_600.0
"""When the first attempt of a log ended, seconds since the epoch."""
_PLACES = ("@attempt_id@", "@call_key@", "@item@", "@ended@")
KEYS_APART = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""Between call keys: they differ in their first digits as those of real calls do. By these a call's attempts are found."""
CONFIG = """\
kind = "panel"
name = "{name}"

[run]
max_calls = {calls}
max_cost_usd = 1000.0
max_concurrency = 50

[[models]]
name = "scholar"
wire = "simulator"
model = "sim-scholar"

[panel]
questions = ["What does the log say?"]

[[panel.doers]]
model = "scholar"
"""


def templates(seed: int = 0) -> list[bytes]:
    """Log lines of about 3 kB, each with places (`%b`) for attempt id, call key, item and end."""
    chance = random.Random(seed)
    return [_template(line_of(*_attempt(chance))) for _ in range(TEMPLATES)]


def _template(line: str) -> bytes:
    line = line.replace("%", "%%")
    for place in _PLACES:
        line = line.replace(place, "%b")
    return line.encode("ascii")


def _attempt(chance: random.Random) -> tuple[Attempt, str]:
    stage = chance.choice(STAGES)
    name = "scorer" if stage == "scorer" else chance.choice(MODELS[:5])
    prompt, answer = _text(chance, 200), _text(chance, chance.randint(20, 120))
    latency_ms = int(chance.lognormvariate(6.5, 0.7))
    tokens = Usage(prompt_tokens=len(prompt) // 4, completion_tokens=len(answer) // 4, cost_usd=round(latency_ms * 1e-7, 6))
    attempt = Attempt(
        attempt_id=_PLACES[0],
        call_key=_PLACES[1],
        status="ok",
        error_kind=None,
        final=True,
        attempt=0,
        run_id="20260101_000000_0000_big",
        stage=stage,
        item_id=_PLACES[2],
        repeat=0,
        doc_id="harbour",
        q_index=chance.randrange(1000),
        model=name,
        model_id=f"sim-{name}",
        call_index=chance.randrange(3),
        about="",
        started_at="2026-01-01T00:00:00.000Z",
        ended_at=_PLACES[3],
        latency_ms=latency_ms,
        queue_ms=chance.randrange(20),
        ttft_ms=None,
        ttft_visible_ms=None,
        http_status=200,
        finish_reason="stop",
        served_model=f"sim-{name}",
        usage=tokens,
        cost_source="reported",
        charged_usd=tokens.cost_usd,
        cached=False,
        batch_id=None,
        simulated=True,
        error_message=None,
        response_text=answer,
        response_json={"model": f"sim-{name}", "choices": [{"message": {"role": "assistant", "content": answer}}]},
    )
    return (attempt if chance.random() < 0.93 else _failed(attempt, chance)), _request(name, prompt)


def _failed(attempt: Attempt, chance: random.Random) -> Attempt:
    status, kind, message = chance.choice(FAILURES)
    return replace(
        attempt, status=status, error_kind=kind, error_message=message, response_text=None, response_json=None, usage=Usage(),
        charged_usd=None, cost_source=None, finish_reason=None, http_status=None if status == "timeout" else 503,
    )  # fmt: skip


def _request(name: str, prompt: str) -> str:
    turns = [{"role": "system", "content": "Answer from the log."}, {"role": "user", "content": prompt}]
    return json.dumps({"model": f"sim-{name}", "messages": turns, "max_tokens": 200})


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def lines(first: int, count: int, started: float = FIRST, apart_s: float = 0.002) -> Iterator[bytes]:
    """Log lines number `first` to `first + count - 1`; they end one after the other from the moment `started` on."""
    every = templates()
    for number in range(first, first + count):
        ended = stamp(started + (number - first) * apart_s)
        item = b"harbour/q%d" % (number % 1000)
        yield every[number * 7919 % TEMPLATES] % (b"abcd-%07d" % number, b"%032x" % (number * KEYS_APART % 2**128), item, ended)


def stamp(moment: float) -> bytes:
    """A moment as the log has it."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S}.{int(moment * 1000) % 1000:03d}Z".encode()


def make(folder: Path, attempts: int, name: str = "big") -> Path:
    """A finished run folder with so many attempts in its log, made anew."""
    create_folder(folder)
    _write_frame(folder, attempts, name)
    with (folder / LOG).open("wb", buffering=1 << 20) as log:
        for line in lines(0, attempts):
            log.write(line)
    (folder / PROGRESS).write_text(json.dumps(progress(attempts, attempts, "done")))
    return folder


def _write_frame(folder: Path, attempts: int, name: str) -> None:
    (folder / "config.toml").write_text(CONFIG.format(name=name, calls=max(attempts, 1)))
    about = {
        "run_id": folder.name, "uid": "0123456789abcdef", "kind": "panel", "name": name, "simulated": True,
        "started_at": "2026-01-01T00:00:00Z", "tool_version": "0.1.0", "planned_calls": attempts, "config_sha256": "0" * 64,
    }  # fmt: skip
    stages = [{"stage": stage, "model": "scholar", "calls": attempts // 4} for stage in dict.fromkeys(STAGES)]
    plan = {"items": 1000, "repeat": 1, "total_calls": attempts, "base_calls": attempts, "score_calls": 0, "stages": stages}
    (folder / "manifest.json").write_text(json.dumps(about))
    (folder / "plan.json").write_text(json.dumps(plan))


def progress(done: int, planned: int, state: str) -> dict[str, Any]:
    """Where such a run stands, as the engine writes it."""
    failed = done * 5 // 100
    tally = {"ok": done - failed, "error": failed, "timeout": 0, "skipped": 0, "not_sent": 0, "unknown_cost": 0}
    share = {
        name: {**{key: n // 6 for key, n in tally.items()}, "cost_usd": done * 1e-5, "planned": planned // 6} for name in MODELS
    }
    return {
        "run_id": "big", "state": state, "why": "", "simulated": True, "heartbeat": stamp(time.time())[:19].decode() + "Z",
        "planned": planned, "done": done, "items_done": done // 12, "items": planned // 12, "cached": 0,
        "in_flight": 50 if state == "running" else 0, "limit": 50, "limit_reason": "", "calls_used": done, "max_calls": planned,
        "charged_usd": done * 6e-5, "eta_s": max(planned - done, 0) / 500, "models": share,
        "total": {**tally, "cost_usd": done * 6e-5, "planned": planned},
        "failures": [{"model": "scholar", "message": message, "n": failed // 4} for _, _, message in FAILURES if failed],
    }  # fmt: skip


def append(folder: Path, per_second: float, seconds: float) -> int:
    """Append attempts at a steady rate as the live run that holds the folder; how many. It says so once the lock is its own."""
    held = RunFolder(folder)
    print("holds", flush=True)
    first, began, sent, told = _lines_in(folder), time.time(), 0, 0.0
    source = lines(first, int(per_second * seconds) + 1, began, 1 / per_second)
    planned = first + int(per_second * seconds)
    while (passed := time.time() - began) < seconds:
        while sent < passed * per_second:
            held.append(LOG, next(source).decode("ascii"))
            sent += 1
        if passed - told >= PROGRESS_EVERY_S:
            held.replace(PROGRESS, json.dumps(progress(first + sent, planned, "running")))
            told = passed
        time.sleep(0.004)
    held.close()
    return sent


def _lines_in(folder: Path) -> int:
    with (folder / LOG).open("rb") as log:
        return sum(block.count(b"\n") for block in iter(lambda: log.read(1 << 20), b""))


@dataclass(slots=True)
class Appender:
    """An appending process, known by what it is doing."""

    process: subprocess.Popen[str]

    def stop(self) -> None:
        """End it; the folder is then one whose process is gone."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextlib.contextmanager
def appending(folder: Path, per_second: float, seconds: float) -> Iterator[Appender]:
    """A process that appends, from when it holds the folder until the end of the block."""
    arguments = [sys.executable, __file__, "append", str(folder), str(per_second), str(seconds)]
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    appender = Appender(process)
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "holds":
            raise RuntimeError(f"{folder}: the appending process did not get hold of it")
        yield appender
    finally:
        appender.stop()


def main() -> int:
    """Make a folder, or append to one."""
    parser = argparse.ArgumentParser(description="Run folders with big logs, simulated.")
    what = parser.add_subparsers(dest="what", required=True)
    made = what.add_parser("make", help="a finished run folder")
    made.add_argument("folder", type=Path)
    made.add_argument("attempts", type=int)
    appended = what.add_parser("append", help="append to one as a live run does")
    appended.add_argument("folder", type=Path)
    appended.add_argument("per_second", type=float)
    appended.add_argument("seconds", type=float)
    options = parser.parse_args()
    if options.what == "make":
        make(options.folder, options.attempts)
    else:
        append(options.folder, options.per_second, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
