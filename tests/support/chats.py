"""Sets of conversations and configs of kind chat, made to order, and dialogues driven without a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fault_bench import Table, write_config

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import SampleResult
from tui_eval.workspace.places import Workspace

TEXT = "\n".join(f"Gate {n} of the canal opens at {n} bells. Its keeper is paid {n * 10} crowns a week." for n in range(1, 41))


def turn(name: str, n: int, **more: Any) -> Table:
    """A question about a gate of the canal."""
    asked = {"question": f"When does gate {n} of the canal open?", "ground_truth": f"At {n} bells."}
    return {"id": f"{name}/t{n}", **asked, "quote": f"Gate {n} of the canal opens at {n} bells.", **more}


def conversations(sizes: Sequence[int], text: str = TEXT) -> Table:
    """A set: conversations of so many turns, about one document or, where the text is empty, none."""
    document = {"filename": "canal.txt", "sha256": "0" * 64, "pages": None, "uploaded_at": "", "text": text}
    return {
        "format": 1,
        "name": "canal",
        "documents": [document] if text else [],
        "conversations": [
            {"id": f"c{n}", "document": "canal.txt" if text else "", "turns": [turn(f"c{n}", k) for k in range(1, size + 1)]}
            for n, size in enumerate(sizes, start=1)
        ],
    }


def chat(folder: Path, found: Table, models: Sequence[Table], judge: Table, run: Table | None = None, **table: Any) -> Table:
    """A config that asks a set; the set is written beside it."""
    (folder / "canal.json").write_text(json.dumps(found), encoding="utf-8")
    asked = [model["name"] for model in models if model["name"] not in (judge.get("model"), *judge.get("models", ()))]
    limits = {"max_calls": 10_000, "timeout_s": 120.0, "stop_model_after": 0, **(run or {})}
    table = {"dataset": "canal.json", "models": asked, "judge": judge, **table}
    return {"kind": "chat", "name": "chats", "run": limits, "models": list(models), "chat": table}


def loaded(folder: Path, found: Table, judge: Table | None = None, models: int = 1, **table: Any) -> Loaded:
    """Such a config, loaded; models a, b, ... answer, and `judge` judges."""
    names = [*"abcdefgh"[:models], *dict.fromkeys(["judge", *(judge or {}).get("models", ())])]
    specs = [{"name": name, "wire": "simulator", "model": "sim-scholar"} for name in names]
    whole = {"model": "judge", "duplicates": 0, **(judge or {})}
    return load(write_config(folder, chat(folder, found, specs, whole, **table)), Workspace(folder))


def driven(found: Loaded, answer: Callable[[Call], Reply] | None = None) -> list[SampleResult]:
    """Every dialogue, its calls answered by this; None = by their examples."""
    rows = [found.evaluation.driven(sample, answer or good) for sample in found.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return rows


def good(call: Call) -> Reply:
    """The call's own example."""
    return Reply(call, "ok", text=call.example_text)


def failed(call: Call, kind: Any = "transient") -> Reply:
    """No reply."""
    return Reply(call, "error", error_kind=kind, error_message="it failed")


def answers_in(row: SampleResult) -> list[Reply]:
    """The replies of the stage that answers."""
    return [reply for reply in row.replies if reply.call.stage == "answer"]
