"""Reports of a run that was broken off: they list what was asked, state what was not, and take no longer than that."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answered_log import answer_samples, counting, lines_of, prepared
from choices import entry, load_choice
from makers import load_panel, strict_json
from on_demand import report_file

from tui_eval.configuring.evaluation import SPARED
from tui_eval.configuring.loading import Loaded
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.reporting.derive import derive
from tui_eval.results.comparison.sides import read_run
from tui_eval.runs.reader import Mentioned

QUESTIONS = 1200
KINDS = ("panel", "choice")


def loaded_of(kind: str, folder: Path, questions: int = QUESTIONS, run: str = "") -> Loaded:
    """A panel of one doer, or a benchmark of one model, with so many questions."""
    folder.mkdir(exist_ok=True)
    if kind == "choice":
        return load_choice(folder, [entry(f"q{n}", n % 4) for n in range(questions)], ("one",), run=run)
    texts = json.dumps([f"What is {n} and {n}?" for n in range(questions)])
    return load_panel(folder, run=f"max_calls = {3 * questions}\n{run}", questions=f"questions = {texts}")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_asked_is_stated_and_in_no_file(kind: str, tmp_path: Path) -> None:
    """Whichever samples the log has, just these are listed, in order; all others are counted as not asked."""
    loaded = loaded_of(kind, tmp_path)
    out, wanted = prepared(loaded, tmp_path / "run"), sorted(random.Random(7).sample(range(QUESTIONS), 15))
    answer_samples(out, loaded, wanted)
    outcome = derive(out, loaded.evaluation)
    ids = [sample.id for place, sample in enumerate(loaded.evaluation.samples()) if place in wanted]
    assert [line["item_id"] for line in lines_of(out / "results.jsonl")] == ids
    assert len(strict_json(report_file(out))["items"]) == len(ids)
    items = strict_json((out / "report.json").read_bytes())["items"]
    left = QUESTIONS - len(wanted)
    assert items == {"planned": QUESTIONS, "finished": len(wanted), "unfinished": left, "not_asked": left}
    assert (outcome.unfinished, outcome.not_asked) == (left, left)
    assert "not_asked" not in outcome.report["outcomes"] and "not_sent" not in outcome.report["outcomes"]


@pytest.mark.parametrize("kind", KINDS)
def test_it_takes_no_longer_than_what_was_asked(kind: str, tmp_path: Path) -> None:
    """As many flows are driven as the log speaks of, and as many again, however many samples there are."""
    for questions in (QUESTIONS, 3 * QUESTIONS):
        loaded = loaded_of(kind, tmp_path / str(questions), questions)
        out = prepared(loaded, tmp_path / f"run{questions}")
        answer_samples(out, loaded, range(10))
        evaluation, begun = counting(loaded.evaluation)
        derive(out, evaluation)
        assert 10 <= len(begun) <= 2 * 10 + SPARED + 1
        size = sum(path.stat().st_size for path in out.glob("*") if path.name.startswith(("results", "questions", "report")))
        assert size < 200_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_complete_run_is_listed_whole(kind: str, tmp_path: Path) -> None:
    """Nothing is said of what was not asked where all of it was; every flow is driven once."""
    loaded = loaded_of(kind, tmp_path, 150)
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(150))
    evaluation, begun = counting(loaded.evaluation)
    outcome = derive(out, evaluation)
    assert len(begun) == len(list(lines_of(out / "results.jsonl"))) == 150
    assert outcome.report["items"] == {"planned": 150, "finished": 150, "unfinished": 0}


def test_flows_that_raise_before_they_ask_are_found(tmp_path: Path) -> None:
    """They left nothing in the log, wherever they stand and however many there are; a bug is never taken for a stop."""
    loaded = loaded_of("panel", tmp_path, 400)
    kind = loaded.evaluation.kind

    def flow(task: Task, sample: Sample) -> Flow:
        if sample.q_index >= 100:
            raise RuntimeError("a bug of the kind")
        return (yield from kind.flow(task, sample))

    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(100))
    outcome = derive(out, replace(loaded.evaluation, kind=replace(kind, flow=flow)))
    assert outcome.broken.total() == outcome.failed == 300
    assert (outcome.not_asked, outcome.unfinished) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [(), (0,), (0, 1, 2, 3, 4)])
def test_repeats_that_were_not_begun(kind: str, asked: tuple[int, ...], tmp_path: Path) -> None:
    """Each repeat has its files all the same, and lists what it was asked."""
    loaded = loaded_of(kind, tmp_path, 4, "repeat = 3")
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, asked)
    assert derive(out, loaded.evaluation).not_asked == 12 - len(asked)
    found = [strict_json(report_file(out, f"repeats/{n:02d}/results.json"))["items"] for n in (1, 2, 3)]
    assert list(map(len, found)) == [min(len(asked), 4), max(len(asked) - 4, 0), 0]


def test_no_gate_passes_for_what_was_not_asked(tmp_path: Path) -> None:
    """Few answers and none of them missing is no evidence that few are missing."""
    loaded = loaded_of("choice", tmp_path, 40)
    config = tmp_path / "choice.toml"
    config.write_text(config.read_text() + "\n[gate]\nmax_missing = 0.1\n")
    loaded = load_choice(tmp_path, text=config.read_text())
    out = prepared(loaded, tmp_path / "run")
    for asked, verdict in ((range(5), "INCONCLUSIVE"), (range(5, 40), "PASS")):
        answer_samples(out, loaded, asked)
        gates: Any = derive(out, loaded.evaluation).report["gates"]
        assert [gate["verdict"] for gate in gates] == [verdict]


def test_a_comparison_says_what_is_not_finished(tmp_path: Path) -> None:
    """What has no line is not finished, either."""
    loaded = loaded_of("panel", tmp_path, 30)
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(4))
    derive(out, loaded.evaluation)
    (out / "progress.json").write_text(json.dumps({"state": "stopped", "items": 30}))
    run = read_run(out)
    assert (run.planned, run.unfinished) == (30, 26)


def test_names_that_were_added_are_known() -> None:
    """None is forgotten, and of others few are taken for one."""
    names = [f"document/q{n}" for n in range(20_000)]
    known = Mentioned()
    assert "document/q0" not in known
    for name in names[::2]:
        known.add(name)
    assert all(name in known for name in names[::2])
    assert sum(name in known for name in names[1::2]) < 200
