"""A run folder that a test writes as an engine would, attempt by attempt, while the app watches it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Usage
from tui_eval.core.records import Attempt
from tui_eval.runs.folder import LOCK, LOG, PROGRESS, create_folder
from tui_eval.runs.record import line_of

RUN_ID = "20260101_000000_abcd_exam"
CONFIG = 'kind = "choice"\n\n[run]\nmax_calls = 300\nmax_cost_usd = 2.5\n'


def attempt(number: int, **changes: Any) -> Attempt:
    """A good attempt of model `scholar`, or what is wanted."""
    fields: dict[str, Any] = {
        **dict.fromkeys(Attempt.__dataclass_fields__),
        "attempt_id": f"life-{number:06}",
        "call_key": f"{number:032x}",
        "status": "ok",
        "final": True,
        "attempt": 0,
        "run_id": RUN_ID,
        "stage": "answer",
        "item_id": f"q{number}",
        "repeat": 0,
        "doc_id": "d",
        "q_index": number,
        "model": "scholar",
        "model_id": "sim-scholar",
        "call_index": 0,
        "about": "",
        "started_at": "2026-01-01T00:00:00.000Z",
        "ended_at": f"2026-01-01T00:00:{number % 60:02}.000Z",
        "latency_ms": 500 + number,
        "usage": Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12, cost_usd=0.001),
        "cost_source": "reported",
        "cached": False,
        "simulated": True,
        "response_text": "B",
    }
    return Attempt(**{**fields, **changes})


def failing(number: int, message: str, kind: str = "rate_limit", model: str = "thinker") -> Attempt:
    """A failed attempt."""
    return attempt(number, status="error", error_kind=kind, error_message=message, model=model, latency_ms=None)


class Folder:
    """A run folder that a test holds as an engine would."""

    def __init__(self, path: Path) -> None:
        create_folder(path)
        self.path = path
        self.lock: int | None = None
        self.told: dict[str, Any] = {"state": "running", "simulated": True, "planned": 100, "max_calls": 300, "limit": 20}
        (path / "config.toml").write_text(CONFIG)
        self.write(
            "manifest.json", {"name": "exam", "kind": "choice", "started_at": "2026-01-01T00:00:00Z", "planned_calls": 100}
        )
        plan = [{"stage": "answer", "model": model, "calls": 50} for model in ("scholar", "thinker")]
        self.write("plan.json", {"stages": plan})
        self.log(*(attempt(number) for number in range(60)), *(failing(60 + n, "the server said no: 529") for n in range(3)))

    def write(self, name: str, table: dict[str, Any]) -> None:
        """A JSON file, replaced as a whole."""
        (self.path / "new").write_text(json.dumps(table))
        (self.path / "new").replace(self.path / name)

    def log(self, *attempts: Attempt) -> None:
        """More attempts at the end of the log."""
        with (self.path / LOG).open("a") as stream:
            stream.writelines(line_of(one, '{"messages": []}') for one in attempts)

    def progress(self, **changes: Any) -> None:
        """Where the run stands now."""
        self.told |= {"heartbeat": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **changes}
        self.write(PROGRESS, self.told)

    def hold(self) -> None:
        """Be the process that works on it."""
        self.lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        os.write(self.lock, b'{"pid": 1, "host": "here", "since": null}')

    def let_go(self) -> None:
        """End."""
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None
