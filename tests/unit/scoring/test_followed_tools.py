"""Scorers that follow another tool give its values, case by case, as `scripts/scorer_vectors.py` had them from the tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scorer_cases import scored

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.overlap_rules import WORDLESS

FILES = sorted((Path(__file__).parent / "vectors").glob("*.json"))


def load_vectors(file: Path) -> dict[str, Any]:
    """A file of vectors: scorer, tool, version, and cases of (reply, targets, value)."""
    vectors: dict[str, Any] = json.loads(file.read_bytes())
    return vectors


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_case_has_the_tools_value(file: Path, fence: Fence) -> None:
    """To the last digits. Only where the tool gives 0 since it sees no word in a target, ours is missing and says so."""
    vectors = load_vectors(file)
    different = []
    for reply, targets, value in vectors["cases"]:
        score = scored(vectors["scorer"], reply, targets, fence)
        if score.value is None and score.why == WORDLESS and value == 0:
            continue
        if score.value is None or abs(score.value - value) > 1e-12:
            different.append((reply, targets, value, score.value, score.why))

    assert len(vectors["cases"]) > 600 and vectors["version"] and different == []


def test_every_followed_tool_has_vectors() -> None:
    """Those whose names are a tool's, and rouge_l_en."""
    assert {file.stem for file in FILES} == {
        "lmeval_gsm8k_flexible", "lmeval_gsm8k_strict", "rouge_l_en", "squad_em", "squad_f1",
    }  # fmt: skip
