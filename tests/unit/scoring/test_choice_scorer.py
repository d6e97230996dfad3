"""Scorer `choice` reads the same letter as kind choice on the same reply: value, letter, pattern and reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from choices import entry, items, load_choice
from scorer_cases import CALL
from soaking import quick_first

from tui_eval.core.calls import Call, Reply
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.evaluation.scoring.scoring import score

REPLIES = Path(__file__).resolve().parents[1] / "reading" / "replies"


@pytest.mark.parametrize("extraction", ["robust", "formationeval-v0.1"])
@pytest.mark.parametrize("file", quick_first(["aside", "open", "stranger"]))
def test_the_same_letter_as_kind_choice(file: str, extraction: str, tmp_path: Path, fence: Fence) -> None:
    """On every reply that the letter rules are tested by, whole, cut, thinking, refused or not there."""
    rows = [json.loads(line) for line in (REPLIES / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()]
    row = row_of({"use": "choice", "extraction": extraction})
    different = []
    for n_options in {case["n_options"] for case in rows}:
        options = [f"Option text {n}" for n in range(n_options)]
        loaded = load_choice(
            tmp_path / str(n_options), [entry("q1", 1, choices=options)], names=("one",), choice=f'extraction = "{extraction}"'
        )
        (sample,) = items(loaded)
        for case in (case for case in rows if case["n_options"] == n_options):
            for more in ({}, {"finish_reason": "length"}, {"finish_reason": "stop"}):
                for text in (case["text"], f"<think>Is it C?</think>{case['text']}"):
                    ours, theirs = _both(loaded, sample, Reply(CALL, "ok", text, **more), row, fence)
                    if ours != theirs:
                        different.append((text, more, ours, theirs))
        for kind in ("refused", "truncated", "empty", "timeout", "transient"):
            ours, theirs = _both(loaded, sample, Reply(CALL, "error", error_kind=kind), row, fence)  # type: ignore[arg-type]
            if ours[:2] != theirs[:2]:
                different.append((kind, {}, ours, theirs))

    assert different == []


def _both(loaded, sample, reply, row, fence):  # type: ignore[no-untyped-def]
    """(value, letter, why) by the scorer and by the kind."""

    def answer(call: Call) -> Reply:
        return Reply(call, reply.status, reply.text, reply.error_kind, finish_reason=reply.finish_reason)

    (theirs,) = loaded.evaluation.driven(sample, answer).scores
    ours = score(row, reply, Expected.of(sample), fence)
    return (ours.value, ours.read, ours.why), (theirs.value, theirs.read, theirs.why)
