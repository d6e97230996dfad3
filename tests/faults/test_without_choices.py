"""A server that sends a reply without choices has failed: the model is not wrong for it, and can be asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Life, resume_here, run_here, spoken_by
from invariants import check
from scripted import answering, as_bytes, completion, reply

QUESTIONS = 6
ANSWERS = {"server fails": completion(choices=[]), "model says nothing": completion("")}


def exam(folder: Path, url: str) -> dict[str, Any]:
    """A multiple-choice config; its models are asked at temperature 0."""
    asked = [{"id": f"q{n}", "question": f"Which is {n}?", "choices": ["1", "2"], "answer_index": 0} for n in range(QUESTIONS)]
    (folder / "exam.json").write_text(json.dumps(asked), encoding="utf-8")
    models = [spoken_by(url, name, name) for name in ANSWERS]
    run = {"retries": 2, "max_concurrency": 20, "stop_model_after": 0, "max_calls": 1000, "max_output_tokens": 10}
    return {"kind": "choice", "run": run, "models": models, "choice": {"benchmark": "exam.json", "models": list(ANSWERS)}}


@pytest.fixture
async def lives(tmp_path: Path) -> tuple[Life, Life]:
    """A run, and the same taken up with --failed when the server is well again."""
    answers = {name: reply(as_bytes(body)) for name, body in ANSWERS.items()}
    async with answering(answers) as (server, url):
        first = await run_here(exam(tmp_path, url), tmp_path)
        assert first.records, "read before there are more"
        answers["server fails"] = reply(as_bytes(completion("A")))
        second = await resume_here(first.path, reopen_failed=True)
        check(first.path, server.stats(), reopened=True)
    return first, second


async def test_only_what_a_model_says_counts_against_it(lives: tuple[Life, Life]) -> None:
    first, second = lives

    kinds = {(record["model"], record["error_kind"]) for record in first.records if record["final"]}

    assert kinds == {("server fails", "protocol"), ("model says nothing", "empty")}
    assert (first.ended.exit_code, second.ended.exit_code) == (3, 0)
    rows = {row["model"]: row for row in json.loads((second.path / "accuracy.json").read_bytes())["rows"]}
    assert (rows["server fails"]["accuracy"], rows["model says nothing"]["accuracy"]) == (1.0, 0.0)
