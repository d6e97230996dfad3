"""Small runs of the kinds that read files of their own, for golden and frozen folders alike."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Table = dict[str, Any]
Models = Callable[..., list[Table]]
"""Simulated models, by name the id of each."""
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LOG = (
    "HARBOUR LOG OF SKERROW, kept by the harbour master, Oda Finch. Monday: the ferry Marigold came in forty minutes late. "
    "Tuesday: the new crane lifted its first load, a bell of 310 kilograms."
)
TALKS = {
    "c1": (
        ("Who keeps the harbour log?", "Oda Finch keeps it.", True),
        ("How late was the ferry on Monday?", "Forty minutes.", True),
        ("What did the ferry carry?", "The log does not tell.", False),
    ),
    "c2": (
        ("What did the new crane lift first?", "A bell.", True),
        ("How heavy was it?", "310 kilograms.", True),
    ),
}
"""Conversations: (question, right answer, whether the log holds it)."""
SCHEMA = {
    "categories": [{"name": "easy", "count": 2, "description": "Single facts"}, {"name": "hard", "count": 1}],
    "output_format": {"require_reference_answer": True, "require_answerable_flag": True},
}


def chat(workspace: Path, models: Models) -> Table:
    """Two conversations with two models, judged by two measures and by claims, a fifth of the answers twice."""
    conversations = [
        {"id": name, "document": "log.txt", "turns": [_turn(f"{name}/t{n}", *turn) for n, turn in enumerate(turns, start=1)]}
        for name, turns in TALKS.items()
    ]
    document = {"filename": "log.txt", "sha256": "0" * 64, "pages": None, "uploaded_at": None, "text": LOG}
    talks = {"format": 1, "name": "log", "documents": [document], "generator": None, "conversations": conversations}
    (workspace / "log.json").write_text(json.dumps(talks, indent=1), encoding="utf-8")
    return {
        "kind": "chat",
        "name": "talks",
        "models": models(grounded="sim-grounded", inventive="sim-inventive", judge="sim-arbiter"),
        "chat": {
            "dataset": "log.json", "models": ["grounded", "inventive"],
            "judge": {"model": "judge", "metrics": ["groundedness", "relevance"], "duplicates": 0.2, "threshold": 3.0},
        },
    }  # fmt: skip


def _turn(name: str, question: str, truth: str, answerable: bool) -> Table:
    return {"id": name, "question": question, "ground_truth": truth, "answerable": answerable}


def generate(workspace: Path, models: Models) -> Table:
    """Questions about three texts by a schema, looked at by a second model."""
    for name in ("lighthouse.md", "cargo.ref.txt", "tides.ref.txt"):
        shutil.copy(EXAMPLES / "pipeline" / name, workspace)
    (workspace / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return {
        "kind": "generate",
        "name": "asked",
        "models": models(maker="sim-grounded", second="sim-arbiter"),
        "generate": {
            "model": "maker", "documents": ["lighthouse.md", "*.ref.txt"], "form": "questions", "schema_file": "schema.json",
            "dataset": "asked", "check": {"model": "second"},
        },
    }  # fmt: skip


def pipeline(workspace: Path, models: Models) -> Table:
    """A picture and a text, every stage, two models that process them."""
    for name in ("cargo.png", "cargo.ref.txt", "lighthouse.md", "lighthouse.ref.txt", "write_down.md"):
        shutil.copy(EXAMPLES / "pipeline" / name, workspace)
    (workspace / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return {
        "kind": "pipeline",
        "name": "pages",
        "models": models(
            scholar="sim-scholar", longest="sim-longest", asker="sim-grounded", reader="sim-inventive", judge="sim-arbiter"
        ),
        "pipeline": {
            "inputs": ["cargo.png", "lighthouse.md"],
            "process": {"models": ["scholar", "longest"], "prompt_file": "write_down.md"},
            "questions": {"model": "asker", "schema_file": "schema.json"},
            "answers": {"models": ["reader"]},
            "judge": {"models": ["judge"]},
            "costs": {},
        },
    }


def graph(workspace: Path, models: Models) -> Table:
    """A brief, two versions of the prompt, two models: graphs that are valid, broken and unreadable."""
    shutil.copytree(EXAMPLES / "graph", workspace, dirs_exist_ok=True)
    return {
        "kind": "graph",
        "name": "drafts",
        "models": models(scholar="sim-scholar", sprinter="sim-sprinter"),
        "graph": {
            "prompts": ["prompts/*.txt"],
            "briefs": ["briefs/04-herring-quota.md"],
            "models": ["scholar", "sprinter"],
        },
    }


def qa(workspace: Path, models: Models) -> Table:
    """Six word problems by two prompts, two models, three scorers."""
    lines = (EXAMPLES / "qa" / "problems.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (workspace / "problems.jsonl").write_text("".join(lines[:6]), encoding="utf-8")
    return {
        "kind": "qa",
        "name": "problems",
        "scorers": ["number", {"use": "regex", "pattern": "[0-9]"}, "length"],
        "models": models(scholar="sim-scholar", sprinter="sim-sprinter"),
        "qa": {
            "dataset": "problems.jsonl", "target": "answer", "group": "topic", "models": ["scholar", "sprinter"],
            "prompts": [
                {"name": "plain", "text": "{question}"}, {"name": "steps", "text": "Think step by step.\n\n{question}"},
            ],
        },
    }  # fmt: skip


RUNS: Mapping[str, Callable[[Path, Models], Table]] = {
    "chat": chat, "pipeline": pipeline, "graph": graph, "generate": generate, "qa": qa,
}  # fmt: skip
