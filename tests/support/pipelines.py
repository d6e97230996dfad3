"""Small runs of the kind pipeline, driven by replies that a test says, and their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.configuring.evaluation import Contributions, row_files
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import SampleResult
from tui_eval.workspace.places import Workspace

NAMES = {
    "maker": "sim-scholar",
    "cheap": "sim-longest",
    "asker": "sim-grounded",
    "reader": "sim-inventive",
    "judge": "sim-arbiter",
}
MODELS = [{"name": name, "wire": "simulator", "model": model} for name, model in NAMES.items()]
NOTE = "The mill of Ardle grinds rye on Mondays. Its wheel was built in 1874 and turns nine times a minute.\n"
QUESTIONS = [
    ("What does the mill grind?", "rye"),
    ("When was the wheel built?", "1874"),
    ("Who owns it?", "The text does not tell."),
]
SCHEMA = {"categories": [{"name": "easy", "count": 2}, {"name": "hard", "count": 1}]}
STARTED = "2026-01-22T20:15:07Z"
Say = Callable[[Call], Any]
"""The text of a call's reply; None: it fails; a Reply as it is."""


def config(**table: Any) -> dict[str, Any]:
    """A whole pipeline; `table` as in [pipeline], None leaves a stage out."""
    usual = {
        "process": {"models": ["maker", "cheap"], "runs": 2}, "questions": {"model": "asker", "schema_file": "schema.json"},
        "answers": {"models": ["reader"]}, "judge": {"models": ["judge"]}, "costs": {},
    }  # fmt: skip
    found = {**usual, **table}
    own = {name: value for name, value in found.items() if value is not None}
    return {"kind": "pipeline", "name": "pages", "run": {"max_calls": 5000}, "models": MODELS, "pipeline": own}


def loaded(folder: Path, files: Mapping[str, str | bytes], **table: Any) -> Loaded:
    """A run about these files, prepared so far that it can be driven."""
    folder.mkdir(exist_ok=True)
    for name, text in {"schema.json": json.dumps(SCHEMA), **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "made.toml").write_text(tomli_w.dumps(config(**table)), encoding="utf-8")
    return load(folder / "made.toml", Workspace(folder))


def say(call: Call) -> str:
    """What sound models say."""
    if call.stage == "process":
        return NOTE
    if call.stage == "questions":
        sorts = ("easy", "easy", "hard")
        asked = [
            {"category": sort, "question": q, "reference_answer": a, "answerable": sort == "easy"}
            for sort, (q, a) in zip(sorts, QUESTIONS, strict=True)
        ]
        return json.dumps({"questions": asked})
    if call.stage == "answers":
        return json.dumps({"answers": [{"id": n, "answer": a} for n, (_, a) in enumerate(QUESTIONS, start=1)]})
    return json.dumps({"reason": "It is what the reference says.", "score": 5})


def driven(run: Loaded, say: Say = say) -> list[SampleResult]:
    """Every sample, driven."""

    def answer(call: Call) -> Reply:
        text = say(call)
        if isinstance(text, Reply):
            return text
        return Reply(call, "error", error_kind="transient") if text is None else Reply(call, "ok", text=text)

    rows = [run.evaluation.driven(sample, answer) for sample in run.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return rows


def files_of(run: Loaded, rows: list[SampleResult], started_at: str = STARTED) -> dict[str, str]:
    """Every file that the rows and what adds up come to, by path."""
    evaluation = replace(run.evaluation, started_at=started_at)
    added, found = Contributions(evaluation), dict[str, str]()
    for row in rows:
        added.add(row)
        found |= row_files(evaluation, row)
    return found | dict(added.files())
