"""Sets in the forms that people download, each from its file to a scored comparison of two models in two commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Peer, Table, simulated_by, strict_lines
from nursery import Nursery
from soaking import quick_first
from victim import Victim

SETS = Path(__file__).resolve().parents[1] / "data" / "sets"
MakePeer = Callable[..., Peer]
EXTRACT = "Extract order, name, item, count and price as JSON.\n\nTEXT:\n{text}"
SHORT = "Summarize the text in one sentence.\n\nTEXT:\n"
QA: dict[str, tuple[list[Any], str]] = {
    "gsm8k.jsonl": (["number"], ""),
    "truthfulqa.csv": (["contains", "f1"], ""),
    "squad_v2.json": (["f1", "em"], ""),
    "squad_v2.jsonl": (["f1", "em"], ""),
    "extraction.jsonl": ([{"use": "json", "equal": True}], EXTRACT),
    "extraction_schema.jsonl": (["json"], EXTRACT),
    "summaries.csv": (["rouge_l"], SHORT + "{article}"),
    "summaries.jsonl": (["rouge_l"], SHORT + "{document}"),
    "promptfoo.json": ([], ""),
}
"""Of each set that kind qa asks: the scorers, the headline first, and the prompt where the columns do not say it."""
CHOICE = ("mmlu.csv", "mmlu.jsonl", "truthfulqa_mc1.json", "truthfulqa_mc1.jsonl", "gpqa.csv")


def config_for(name: str, dataset: str, url: str) -> Table:
    """A run of two models over a set; no column is named."""
    models = [simulated_by(url, "one", "sim-scholar"), simulated_by(url, "two", "sim-contrarian")]
    whole = {"name": "downloaded", "run": {"max_calls": 300, "max_concurrency": 8, "cache": False}, "models": models}
    if name in CHOICE:
        return {**whole, "kind": "choice", "choice": {"dataset": dataset, "models": ["one", "two"]}}
    scorers, text = QA[name]
    prompt = {"name": "plain", **({"text": text} if text else {})}
    table = {"dataset": dataset, "models": ["one", "two"], "prompts": [prompt]}
    return {**whole, "kind": "qa", "scorers": scorers, "qa": table}


def scores_of(out: Path) -> dict[str, dict[str, list[float]]]:
    """The values of each metric by model."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in strict_lines(out / "results.jsonl"):
        for score in row["scores"]:
            assert score["value"] is not None, score
            found.setdefault(score["name"], {}).setdefault(score["model"], []).append(score["value"])
    return found


def test_every_set_is_tried() -> None:
    """One that is added later is, too; each has a line in the README."""
    names = {path.name for path in SETS.iterdir()} - {"README.md"}
    assert names == {*QA, *CHOICE}
    readme = (SETS / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("name", quick_first([*QA, *CHOICE]))
@pytest.mark.parametrize("is_imported", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_a_set_becomes_a_scored_comparison(
    name: str, is_imported: bool, nursery: Nursery, peers: MakePeer, tmp_path: Path
) -> None:
    """As it is, or imported: a value for each model and sample, not all of them zero, and the pair is compared."""
    dataset = shutil.copy(SETS / name, tmp_path / f"set{Path(name).suffix}").name
    if is_imported:
        done = nursery.run("datasets", "import", tmp_path / dataset, "--name", "mine", "--workspace", tmp_path)
        assert done.code == 0, done.stderr
        dataset = "datasets/mine.json" if (tmp_path / "datasets" / "mine.json").exists() else "datasets/mine"
    victim = Victim(nursery, peers(latency_scale=0), tmp_path, config=lambda url: config_for(name, dataset, url))

    done = victim.live_on()

    assert done.code == 0, done.stderr

    found, n = scores_of(victim.out), len(strict_lines(victim.out / "results.jsonl")) // 2
    headline = found[next(iter(found)) if name in CHOICE else _headline(name)]
    assert {model: len(values) for model, values in headline.items()} == {"one": n, "two": n}
    assert sum(headline["one"]) > 0
    pairs = json.loads((victim.out / "pairs.json").read_text(encoding="utf-8"))["rows"]
    assert any(pair["n"] == n for pair in pairs), pairs


def _headline(name: str) -> str:
    """The metric that a set's verdict speaks of: its first scorer, or that of its own rules."""
    first = (QA[name][0] or ["promptfoo"])[0]
    return str(first["use"]) if isinstance(first, dict) else str(first)
