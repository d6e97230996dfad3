"""Laws of re-scoring by a newer version of a rule: what it changed in the scores on file is counted, and said."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozen import PLACE, RUNS
from rescored import laid_out

from tui_eval.cli import command_line
from tui_eval.reporting.score_changes import newer_rules
from tui_eval.results.exporting.exported_run import opened_run
from tui_eval.results.read_report import SUMS, by_older_sums

Scores = dict[tuple[Any, ...], dict[str, Any]]


def scores_of(path: Path) -> Scores:
    """Every score of a run by item and name."""
    lines = [json.loads(line) for line in (path / "results.jsonl").read_text().splitlines()]
    return {
        (line["item_id"], line["repeat"], score["stage"], score["model"], score["call_index"]): score
        for line in lines
        for score in line["scores"]
    }


def aged(path: Path) -> None:
    """As if an older rule had read nothing from every third reply."""
    kept = []
    for number, text in enumerate((path / "results.jsonl").read_text().splitlines()):
        line = json.loads(text)
        for score in line["scores"]:
            score["version"] = "robust/0"
            if number % 3 == 0 and score["value"] is not None:
                score.update(value=0, read=None, why="no_letter", pattern="failed")
        kept.append(json.dumps(line) + "\n")
    (path / "results.jsonl").write_text("".join(kept))


def with_unasked(path: Path) -> None:
    """As if it had been written when reports listed what was not asked too, before, between and after the rest."""
    kept = []
    for number, text in enumerate((path / "results.jsonl").read_text().splitlines()):
        unasked = json.loads(text) | {"item_id": f"unasked/{number}", "scores": []}
        kept += [json.dumps(unasked) + "\n"] * (2 if number < 3 else number % 2) + [text + "\n"]
    (path / "results.jsonl").write_text("".join([*kept, kept[0].replace("unasked/0", "unasked/last")]))


def cut(path: Path) -> None:
    """As if it had been written before the first and the last questions were asked."""
    kept = (path / "results.jsonl").read_text().splitlines(keepends=True)[2:-2]
    (path / "results.jsonl").write_text("".join(kept))


@pytest.mark.parametrize("otherwise", [lambda path: None, with_unasked, cut], ids=["same", "listed_more", "listed_less"])
def test_what_a_newer_rule_changed_is_said_model_by_model(
    otherwise: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first re-score after the rule changed counts it on standard error; the next one, by the same rule, says nothing."""
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    path = laid_out(RUNS / "3" / "choice_done", tmp_path)
    aged(path)
    otherwise(path)
    before = scores_of(path)

    assert command_line.main(["--workspace", str(tmp_path), "rescore", str(path)]) == 0
    said, after = capsys.readouterr().err, scores_of(path)
    command_line.main(["--workspace", str(tmp_path), "rescore", str(path)])
    again = capsys.readouterr().err

    changed = Counter(
        key[3]
        for key in after.keys() & before.keys()
        if tuple(map(after[key].get, ("value", "read"))) != tuple(map(before[key].get, ("value", "read")))
    )
    version = next(iter(after.values()))["version"]
    assert f"{version} instead of robust/0 now: {changed.total()} of {len(after.keys() & before.keys())} scores changed" in said
    assert {name: int(n) for name, n in re.findall(r"^  (\S+): (\d+) changed", said, re.MULTILINE)} == changed
    assert changed and "instead of" not in again


def test_a_file_that_has_ended_holds_up_no_lines_of_the_other() -> None:
    """Without scores on file, as at the first report of a large run, the new ones are not read into memory for nothing."""
    line = json.dumps({"item_id": "a", "repeat": 1, "scores": []}).encode()
    for before, after in [(0, 1000), (1000, 0)]:
        old, new = iter([(0, line)] * before), iter([(0, line)] * after)
        assert newer_rules(old, new) is None
        assert len(list(old)) + len(list(new)) >= 998


@pytest.mark.parametrize("sums", [None, 1, True, "2", SUMS - 1, SUMS, SUMS + 1])
def test_newer_sums_are_said_once_though_no_score_changed(
    sums: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a line of standard error, where the report on file names none or lower ones; the next re-score says nothing of it, and
    exports of what stands on file say so until then."""
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    path = laid_out(RUNS / "3" / "choice_done", tmp_path)
    report = json.loads((path / "report.json").read_text())
    (path / "report.json").write_text(json.dumps({**report, **({} if sums is None else {"sums": sums})}))
    older = by_older_sums(json.loads((path / "report.json").read_text()))
    assert older == (type(sums) is not int or sums < SUMS)

    with opened_run(path) as run:
        assert any("older sums" in note for note in run.notes) == older
    for expected in (older, False):
        assert command_line.main(["--workspace", str(tmp_path), "rescore", str(path)]) == 0
        assert ("newer method" in capsys.readouterr().err) == expected
    with opened_run(path) as run:
        assert not any("older sums" in note for note in run.notes)
    assert not by_older_sums({})
