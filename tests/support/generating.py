"""Small runs of the kind generate, driven by replies that a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.configuring.evaluation import latest
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.conversations import ConversationSet
from tui_eval.core.results import About, SampleResult
from tui_eval.kinds.generate.question_report import QuestionReport
from tui_eval.workspace.places import Workspace

MODELS = [
    {"name": "maker", "wire": "simulator", "model": "sim-scholar"},
    {"name": "checker", "wire": "simulator", "model": "sim-arbiter"},
    {"name": "twin", "wire": "simulator", "model": "sim-scholar"},
]
"""Two, and the first under another name."""
Say = Callable[[Call], str | None]
"""The text of a call's reply; None: it fails."""
ABOUT = About("run-1", "uid-1", "made", "2026-01-01T00:00:00Z", "1", True, 1, 0, {})


def config(documents: Sequence[str], **table: Any) -> dict[str, Any]:
    """A config; `table` as in [generate], where None leaves a key out."""
    usual = {"model": "maker", "check": {"model": "checker"}}
    whole = {**usual, "documents": [*documents], **table}
    return {
        "kind": "generate", "name": "made", "run": {"max_calls": 1000}, "models": MODELS,
        "generate": {key: value for key, value in whole.items() if value is not None},
    }  # fmt: skip


def loaded(folder: Path, texts: Mapping[str, str | bytes], **table: Any) -> Loaded:
    """A run about these files, prepared so far that it can be driven."""
    for name, text in texts.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    path = folder / "made.toml"
    path.write_text(tomli_w.dumps(config([*texts], **table)), encoding="utf-8")
    return load(path, Workspace(folder))


def driven(run: Loaded, say: Say) -> list[SampleResult]:
    """Every sample, driven, and those that go on, wave by wave."""

    def answer(call: Call) -> Reply:
        text = say(call)
        return Reply(call, "error", error_kind="transient") if text is None else Reply(call, "ok", text=text)

    rows = [run.evaluation.driven(sample, answer) for sample in run.evaluation.samples()]
    while more := run.evaluation.further(rows):
        rows = latest(rows, [run.evaluation.driven(sample, answer) for sample in more])
    assert [row.error for row in rows if row.error] == []
    return rows


def reported(run: Loaded, rows: Sequence[SampleResult]) -> QuestionReport:
    """What they add up to."""
    found = QuestionReport(run.evaluation.task)
    for row in rows:
        found.add(row)
    return found


def made_set(run: Loaded, rows: Sequence[SampleResult]) -> ConversationSet:
    """The set that they make."""
    return reported(run, rows).conversation_set(ABOUT)


def turn(question: str, answer: str, quote: str | None = None, **more: Any) -> dict[str, Any]:
    """A turn as a model writes it; its quote is its answer where none is given."""
    usual = {"type": "fact", "answerable": True, "depends_on": None}
    return {"question": question, "answer": answer, "quote": answer if quote is None else quote, **usual, **more}


def turns(*found: Mapping[str, Any]) -> str:
    """A conversation as a model writes it."""
    return json.dumps({"turns": found})


def questions(*found: tuple[str, str, str]) -> str:
    """Single questions: (category, question, answer), the answer being the quote."""
    return json.dumps({"questions": [{"category": c, "question": q, "reference_answer": a, "quote": a} for c, q, a in found]})


def answers(call: Call, known: Mapping[int, str] | None = None) -> str:
    """What is answered from memory, by the numbers of the questions; all others are unknown."""
    n = len(json.loads(call.example_text)["answers"])
    return json.dumps({"answers": [{"number": i, "answer": (known or {}).get(i, "unknown")} for i in range(1, n + 1)]})


def opinions(call: Call, other: Mapping[int, Mapping[str, Any]] | None = None) -> str:
    """The second opinion: all is well, but for `other`, by the numbers of the questions."""
    usual = {"own_answer": "x", "agrees": True, "stands_alone": True, "known_without": False, "reason": ""}
    n = len(json.loads(call.example_text)["checks"])
    return json.dumps({"checks": [{"number": i, **usual, **(other or {}).get(i, {})} for i in range(1, n + 1)]})


def agreeing(call: Call) -> str:
    """A checker that has nothing to say against any question, and knows none of the answers."""
    return answers(call) if call.about.startswith("closed_book") else opinions(call)
