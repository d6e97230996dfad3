"""The public interface for packages of others: the sample in the docs runs by it alone, and it names what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plugged import Interpreter, install, interpreter
from samples import MODELS

import tui_eval.plugin as interface

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "plug-ins.md").read_text(encoding="utf-8")
SAMPLE, SCORER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PROMPTS = {
    "system": "Summarize the text in one sentence.",
    "judge_system": "You mark summaries.",
    "judge": "CONTEXT:\n{text}\n\nANSWER:\n{answer}\n\nHow faithful is the answer? Reply with SCORE: and a number from 1 to 5.",
    "reminder": "Reply with SCORE: and a number from 1 to 5.",
}
CONFIG = f"""kind = "gist"
{MODELS}
[gist]
texts = "texts.txt"
models = ["one", "two"]
judge = "three"
[run]
cache = false
"""


QA = f"""kind = "qa"
{MODELS}
[qa]
dataset = "questions.jsonl"
target = "answer"
models = ["one", "two"]
prompts = [{{ name = "plain", text = "{{question}}" }}]
[run]
cache = false
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """An interpreter in which the sample of the docs is installed."""
    files = {"gist_kind.py": SAMPLE, **{f"prompts/gist/{name}.md": text for name, text in PROMPTS.items()}}
    made = interpreter(tmp_path_factory.mktemp("interpreter"))
    install(made.packages, "gist-kind", files, {"tui_eval.kinds": {"gist": "gist_kind:GIST"}})
    install(made.packages, "near-rule", {"near_rule.py": SCORER}, {"tui_eval.scorers": {"near": "near_rule:NEAR"}})
    return made


def test_the_sample_of_the_docs_runs(python: Interpreter, tmp_path: Path) -> None:
    """As it is printed: planned, asked, judged, and without a warning of an old path."""
    (tmp_path / "config.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "texts.txt").write_text("The bell weighs 310 kilograms.\nThe ferry came late on Monday.\n", encoding="utf-8")

    done = python.tui_eval("--run", "config.toml", "--out", "one", cwd=tmp_path)

    rows = [json.loads(line) for line in (tmp_path / "one" / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    scores = [score for row in rows for score in row["scores"]]
    assert [len(row["scores"]) for row in rows] == [2, 2], done.stderr
    assert all(score["name"] == "faithful" and 1 <= score["value"] <= 5 for score in scores)


def test_the_scorer_of_the_docs_runs(python: Interpreter, tmp_path: Path) -> None:
    """As it is printed, by both forms of the docs; the manifest names its package, and a re-score takes it again."""
    scorers = re.search(r"`(scorers = \[\"near\".*?)`", PAGE)
    assert scorers is not None
    (tmp_path / "config.toml").write_text(f"{scorers[1]}\n{QA}", encoding="utf-8")
    lines = [{"question": f"What is {n}?", "answer": f"number {n}"} for n in range(3)]
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    python.tui_eval("--run", "config.toml", "--out", "one", cwd=tmp_path)

    first = (tmp_path / "one" / "results.jsonl").read_bytes()
    scores = [score for line in first.splitlines() for score in json.loads(line)["scores"]]
    assert {(each["name"], each["version"]) for each in scores if each["name"] != "passed"} == {
        ("near", "near/1"),
        ("near_5", next(each["version"] for each in scores if each["name"] == "near_5")),
    }
    assert all(each["value"] in (0, 1) for each in scores)
    plugins = json.loads((tmp_path / "one" / "manifest.json").read_bytes())["plugins"]
    assert [(each["group"], each["name"], each["distribution"]) for each in plugins] == [
        ("tui_eval.scorers", "near", "near-rule")
    ]
    python.tui_eval("rescore", "one", cwd=tmp_path)
    assert (tmp_path / "one" / "results.jsonl").read_bytes() == first
    off = python.tui_eval("--run", "config.toml", "--no-plugins", cwd=tmp_path, code=2).stderr
    assert "no scorer 'near'" in off and "plug-ins are switched off" in off


def test_the_interface_gives_what_it_lists() -> None:
    """Each name once, and none that is not there; `API` says which interface it is."""
    assert len(interface.__all__) == len(set(interface.__all__))
    assert [name for name in interface.__all__ if not hasattr(interface, name)] == [] and interface.API == 2
