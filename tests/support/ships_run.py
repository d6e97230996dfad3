"""A stored run of a panel on which scorers differ: questions about ships, answered in numbers and in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli_w
from choices import record

from tui_eval.configuring.loading import load
from tui_eval.core.calls import Call, Reply
from tui_eval.workspace.places import Workspace

N = 24
MODELS = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter")]


def in_words(call: Call) -> Reply:
    """A sentence of one model, which holds every number; the bare answer of the other, wrong in one of four."""
    number = int("".join(sign for sign in call.messages[-1].content.partition("ship ")[2] if sign.isdigit()))
    every = " ".join(map(str, range(3, 3 + N)))
    text = f"Of {every} I would say {number}." if call.model == "scholar" else str(number + (number % 4 == 0))
    return Reply(call, "ok", text=text)


def stored_ships(folder: Path, out: Path, **more: Any) -> Path:
    """Store the run, graded letter by letter, whose config stays in the folder; its path."""
    panel = {
        "questions": [f"How many masts has ship {n}?" for n in range(3, 3 + N)],
        "truths": [str(n) for n in range(3, 3 + N)],
        "doers": [{"model": "scholar"}, {"model": "sprinter"}],
        "benchmark": {"mode": "exact"},
    }
    config = {"kind": "panel", "name": "ships", "scorers": ["number", "f1"], "models": MODELS, "panel": panel, **more}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ships.toml").write_text(tomli_w.dumps(config))
    out.parent.mkdir(parents=True, exist_ok=True)
    record(out, load(folder / "ships.toml", Workspace(folder)), in_words)
    return out
