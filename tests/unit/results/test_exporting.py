"""Laws of exports: nothing scored goes missing, what failed is told from what is not known, foreign text acts in no format."""

from __future__ import annotations

import json
from contextlib import nullcontext, suppress
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from exported import HOSTILE, exported_run, line, outcome, read_csv, read_json, read_junit, read_lines, reader_of, written
from hypothesis import given
from hypothesis import strategies as st
from junitparser import TestCase
from makers import any_text, few

from tui_eval.core.errors import FolderError
from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exported_run import ExportedRun, opened_run
from tui_eval.results.stored_samples import parse_sample
from tui_eval.runs.folder import RunFolder

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
MARKS = {
    "fluency": {"low": 1, "high": 5, "better": "higher", "threshold": 3},
    "length": {"low": 0, "high": 9, "better": "lower"},
}
"""A metric with a threshold, and one without."""


def cases(*lines: dict[str, Any], **changes: Any) -> list[TestCase]:
    return list(read_junit(written("junit", exported_run(*lines, **changes)))[0])


@pytest.mark.parametrize("folder", ["choice", "panel", "stopped"])
def test_every_score_of_a_run_is_a_test_case_and_a_row(folder: str) -> None:
    """Counted from results.jsonl itself: scores of 0 fail, whether read or not; what has no value is skipped."""
    lines = [json.loads(text) for text in (GOLDEN / folder / "results.jsonl").read_text().splitlines()]
    with opened_run(GOLDEN / folder) as run:
        (suite,) = read_junit(written("junit", run))
        rows, replies = read_csv(written("csv", run)), read_lines(written("jsonl", run))

    scores = [score for entry in lines for score in entry["scores"]]
    unscored = [] if scores else [entry["replies"][i] for entry in lines for i in entry["primary"]]
    missing = [score for score in scores if score["value"] is None]
    wrong = [score for score in scores if score["value"] == 0]
    assert suite.tests == len(rows) == len(scores) + len(unscored)
    assert (suite.failures, suite.skipped, suite.errors) == (len(wrong), len(missing) + len(unscored), 0)
    assert [row["value"] for row in rows if row["metric"]] == [str(score["value"]) for score in scores]
    assert len(replies) == sum(len(entry["replies"]) for entry in lines)
    assert sum(len(reply["scores"]) for reply in replies) == len(scores)
    owners = {(e["item_id"], s["stage"], s["model"], s["call_index"]) for e in lines for s in (e["scores"] or e["replies"])}
    took = [
        reply["latency_ms"] or 0
        for e in lines
        for i, reply in enumerate(e["replies"])
        if (e["item_id"], reply["stage"], reply["model"], reply["call_index"]) in owners and (scores or i in e["primary"])
    ]
    assert suite.time == pytest.approx(sum(took) / 1000)
    assert suite.timestamp == "2026-01-02T03:04:05"
    assert {one.name: one.value for one in suite.properties()}["simulated"] == "true"


def test_how_a_score_ends_as_a_test_case() -> None:
    """Below its threshold it fails, be it a refusal; without a value it is skipped with its reason; what raised is an error."""
    refused = {"stage": "answer", "model": "mini", "call_index": 0, "name": "correct", "value": 0, "why": "refusal"}
    missing = {**refused, "value": None, "why": "no reply: timeout"}

    found = cases(
        line(0),
        line(1, values=[0]),
        line(2, scores=[refused]),
        line(3, scores=[missing]),
        line(4, scores=[], replies=[], primary=[], error="KeyError: 'x'"),
        line(5, scores=[]),
        line(6, scores=[], replies=[], primary=[], finished=False),
    )

    assert [outcome(case) for case in found] == [
        ("passed", ""),
        ("failure", "correct: 0 on a scale of 0 to 1; passes: 1 or more; read: B"),
        ("failure", "correct: 0 on a scale of 0 to 1; passes: 1 or more; refusal"),
        ("skipped", "no reply: timeout"),
        ("error", "KeyError: 'x'"),
        ("skipped", "not scored"),
        ("skipped", "not finished"),
    ]
    assert "What is 1?" in found[1].result[0].text and "It is B." in found[1].result[0].text
    assert [case.time for case in found] == [0.25, 0.25, 0.25, 0.25, None, 0.25, None]


def test_a_score_without_a_criterion_is_no_test_case_and_a_reply_takes_its_time_once() -> None:
    """A mark fails by its own threshold; one of a metric without neither passes nor fails, and stands in the other formats."""
    found = cases(*({**line(n, values=[mark, 7], metrics=list(MARKS)), "metrics": MARKS} for n, mark in enumerate((2, 3))))

    assert [(case.name, outcome(case)[0], case.time) for case in found] == [
        ("q0 [fluency]", "failure", 0.25),
        ("q1 [fluency]", "passed", 0.25),
    ]
    assert found[1].system_out == "fluency: 3 on a scale of 1 to 5; passes: 3 or more; read: B"
    (row, *_) = read_csv(written("csv", exported_run({**line(values=[7], metrics=["length"]), "metrics": MARKS})))
    assert (row["value"], row["passed"], row["low"], row["high"]) == ("7", "", "0", "9")


def test_a_model_that_refuses_everything_is_not_green() -> None:
    """Where refusals are wrong each fails; where they have no score the model fails once; other models are not touched."""
    refused = {"stage": "answer", "model": "mini", "call_index": 0, "name": "correct", "value": 0, "why": "refusal"}
    missing = {**refused, "value": None, "why": "no reply: refused"}

    wrong = cases(*(line(n, scores=[refused]) for n in range(3)))
    without = cases(*(line(n, scores=[missing]) for n in range(3)), line(0, "sound"))
    untold = cases(line(scores=[{**missing, "why": "no truth for this question"}]))

    assert [outcome(case)[0] for case in wrong] == ["failure"] * 3
    assert [outcome(case)[0] for case in without] == ["skipped"] * 3 + ["passed", "failure"]
    assert without[-1].classname.endswith(".mini") and outcome(without[-1])[1] == "none of its 3 scores has a value"
    assert [outcome(case)[0] for case in untold] == ["skipped"]


def test_names_are_the_same_in_the_next_run_and_never_given_twice() -> None:
    """Neither the run's id nor the place of a sample is in a name; repeats, like names and like suites are told apart."""
    lines = [line(n, model) for n in range(3) for model in ("gpt-4.1", "gpt-4_1")]
    lines += [{**entry, "repeat": 1} for entry in lines]

    first, again = cases(*lines), cases(*reversed(lines), run_id="20270101_another")

    names = {(case.classname, case.name) for case in first}
    assert ("wells.answer.gpt-4_1", "q0 repeat 2") in names and ("wells.answer.gpt-4_1", "q0 (2)") in names
    assert names == {(case.classname, case.name) for case in again}
    suites = read_junit(written("junit", exported_run(line()), exported_run(line())))
    assert [suite.name for suite in suites] == ["wells", "wells (2)"]


def test_gates_are_test_cases() -> None:
    """One that failed fails; one that is inconclusive does unless the report says that it passed."""
    gates = [
        {"name": "correct", "metric": "correct", "model": "mini", "verdict": "FAIL", "passed": False},
        {"name": "max_missing", "metric": "correct", "verdict": "INCONCLUSIVE", "text": "n is too small", "passed": True},
        {"name": "max_cost_usd", "verdict": "PASS", "passed": True},
        {"name": "against", "verdict": "INCONCLUSIVE", "text": "about 40 more", "passed": False},
    ]
    gates = [{**gate, "found": "0.5", "wanted": ">= 0.8"} for gate in gates]

    found = [case for case in cases(line(), report={"gates": gates}) if case.classname == "wells.gates"]

    assert [outcome(case)[0] for case in found] == ["failure", "skipped", "passed", "failure"]
    assert [case.name for case in found] == ["correct of mini", "max_missing correct", "max_cost_usd", "against"]
    assert outcome(found[0])[1] == "FAIL: 0.5, wanted >= 0.8" and outcome(found[1])[1].endswith("wanted >= 0.8; n is too small")
    (alone,) = read_junit(written("gates", exported_run(line(), report={"gates": gates})))
    assert (alone.tests, alone.failures) == (4, 2)
    assert "INCONCLUSIVE" in written("md", exported_run(report={"gates": gates}))
    assert read_json(written("json", exported_run(report={"gates": gates})))["runs"][0]["gates"] == gates


def test_reports_come_along_with_rows_by_column() -> None:
    """What report.json says is in the object; tables are addressed by the names of their columns."""
    with opened_run(GOLDEN / "panel") as run:
        (found,) = read_json(written("json", run))["runs"]
        text = written("md", run)

    report = json.loads((GOLDEN / "panel" / "report.json").read_text())
    first = found["tables"]["accuracy"]["rows"][0]
    assert (first["model"]["value"], first["accuracy"]["n"]) == ("scholar", 4)
    assert {name: found[name] for name in ("items", "calls", "outcomes", "models")} == {
        name: report[name] for name in ("items", "calls", "outcomes", "models")
    }
    assert "**Simulated**" in text and "| doer | scholar | 50" in text and "$0.0098 (simulated)" in text


def test_a_run_without_a_report_tells_means_with_their_n() -> None:
    """A run that is under way: what is on file, how much that is, and that it is not all."""
    notes = ("The run is running: 2 of 9 samples are finished.",)
    run = exported_run(line(0), line(1, values=[None]), state="running", notes=notes)

    (found,) = read_json(written("json", run))["runs"]

    (mean,) = found["means"]
    assert mean.items() >= {"stage": "answer", "model": "mini", "metric": "correct", "mean": 1, "n": 1, "missing": 1}.items()
    assert mean["low"] == pytest.approx(0.2065, abs=1e-4) and mean["high"] == 1  # Wilson, of one
    assert found["notes"] == list(notes) and found["state"] == "running"
    assert notes[0] in written("md", run).replace("\\", "") and notes[0] in written("junit", run)
    assert {row["state"] for row in read_csv(written("csv", run))} == {"running"}


def test_a_live_run_is_exported_and_says_so(tmp_path: Path) -> None:
    """What is finished, out of how many, while a process writes the folder; and that a report there is of before."""
    path = folder_of(tmp_path / "run", *(json.dumps(line(n)).encode() + b"\n" for n in range(2)))
    (path / "progress.json").write_text('{"state": "running", "items": 9, "charged_usd": 0.25}')
    writer = RunFolder(path)
    try:
        with opened_run(path) as run:
            assert run.notes == ("The run is running: 2 of 9 samples are finished.",)
            assert (run.state, run.cost_usd) == ("running", 0.25)
        (path / "report.json").write_text('{"items": {"planned": 9}}')
        with opened_run(path) as run:
            assert run.notes[1:] == ("Its report is from before it was resumed.",)
    finally:
        writer.close()


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_samples_are_read_as_they_are_written(name: str) -> None:
    """A run without an end brings its first lines: none is held back until all are read."""
    run = exported_run(items=lambda: (item for n in count() if (item := parse_sample(json.dumps(line(n)).encode()))))

    assert len(list(islice(EXPORTERS[name].write([run]), 100))) == 100


def folder_of(path: Path, *lines: bytes) -> Path:
    """A run folder that holds these lines."""
    path.mkdir()
    (path / "config.toml").write_text("")
    (path / "manifest.json").write_text('{"kind": "choice", "name": "wells"}')
    (path / "results.jsonl").write_bytes(b"".join(lines))
    return path


def test_damaged_torn_and_repeated_lines_are_told_apart(tmp_path: Path) -> None:
    """Of a sample that was written twice the last line counts; what is no sample is counted, a torn end is left alone."""
    whole = [json.dumps(entry).encode() + b"\n" for entry in (line(0), line(1), line(0, values=[0]))]
    path = folder_of(tmp_path / "run", whole[0], b"{no json}\n", b"[1]\n", *whole[1:], whole[1][:40])

    with opened_run(path) as run:
        rows = read_csv(written("csv", run))

        assert [(row["item_id"], row["value"]) for row in rows] == [("mini/q1", "1"), ("mini/q0", "0")]
        assert run.notes == ("Lines of results.jsonl that are no samples, left out: 2.",)
        assert run.samples == 2


def test_a_file_put_in_its_place_changes_nothing_and_one_cut_short_is_an_error(tmp_path: Path) -> None:
    """An export is of what lay there when it began."""
    path = folder_of(tmp_path / "run", *(json.dumps(line(n)).encode() + b"\n" for n in range(3)))
    with opened_run(path) as run:
        (tmp_path / "other").write_bytes(b"")
        (tmp_path / "other").replace(path / "results.jsonl")
        assert len(read_csv(written("csv", run))) == 3

    path = folder_of(tmp_path / "again", *(json.dumps(line(n)).encode() + b"\n" for n in range(3)))
    with opened_run(path) as run:
        (path / "results.jsonl").write_bytes(b"")
        with pytest.raises(FolderError, match="try again"):
            written("csv", run)


def test_a_run_that_has_nothing_yet_is_exported_in_every_format(tmp_path: Path) -> None:
    """No results, no report, no manifest: files without rows, and no error."""
    path = folder_of(tmp_path / "run")
    (path / "results.jsonl").unlink()
    (path / "manifest.json").unlink()

    with opened_run(path) as run:
        for name in EXPORTERS:
            reader_of(name)(written(name, run))
        assert read_csv(written("csv", run)) == [] and read_lines(written("jsonl", run)) == []


def test_some_models_alone(tmp_path: Path) -> None:
    """The replies and scores of a model, and what was said about its replies."""
    owner = {"stage": "doer", "model": "big", "call_index": 0}
    replies = [
        {"stage": "doer", "model": "mini", "call_index": 0, "text": "a"},
        {**owner, "text": "b"},
        {"stage": "scorer", "model": "judge", "call_index": 0, "about": "doer:mini#0", "text": "1"},
        {"stage": "scorer", "model": "judge", "call_index": 1, "about": "doer:big#0", "text": "0"},
    ]
    scores = [{**owner, "name": "correct", "value": 0}, {**owner, "model": "mini", "name": "correct", "value": 1}]
    entry = line(replies=replies, scores=scores, primary=[0, 1])
    path = folder_of(tmp_path / "run", json.dumps(entry).encode() + b"\n", json.dumps(line(1)).encode() + b"\n")

    with opened_run(path, ["big"]) as run:
        found = read_lines(written("jsonl", run))

    assert [(reply["model"], reply["text"], reply["answer"]) for reply in found] == [("big", "b", True), ("judge", "0", False)]


def test_a_reply_without_a_text_is_no_error() -> None:
    """As the terminal has it: refused, empty and cut replies stand apart from failures, and what was not sent is counted."""
    kinds = {"empty": 2, "refused": 2, "truncated": 1, "http_500": 3}
    row = {"stage": "answer", "model": "mini", "calls_ok": 7, "calls_error": 8, "calls_timeout": 1, "calls_skipped_budget": 1,
           "calls_not_sent": 2, "error_kinds": kinds, "sum_cost_usd": 0.5, "n_cost_unknown": 0}  # fmt: skip
    other = {**row, "model": "sim", "calls_error": 0, "error_kinds": {}}

    alone = table_of_calls(exported_run(line(), report={"calls_by_stage_and_model": [row]}))
    both = table_of_calls(mixed_run(row, other))

    assert alone[0] == ["stage", "model", "ok", "no text", "error", "timeout", "not sent", "cost"]
    assert alone[2] == ["answer", "mini", "7", "5", "3", "1", "3", "$0.5000"]
    assert [cells[-1] for cells in both[2:]] == ["$0.5000", "$0.5000 sim"] and both[3][3:5] == ["0", "0"]


def table_of_calls(run: ExportedRun) -> list[list[str]]:
    """The cells of its table of calls in Markdown."""
    table = written("md", run).partition("### Calls\n\n")[2].partition("\n\n")[0]
    return [[cell.strip().replace("\\", "") for cell in row.strip("|").split("|")] for row in table.splitlines()]


def mixed_run(*rows: dict[str, Any], **changes: Any) -> ExportedRun:
    """A run of the model mini, and of sim, which is simulated."""
    told = {"simulated": True, "models": frozenset({"mini", "sim"}), "simulated_models": frozenset({"sim"}), **changes}
    return exported_run(line(), report={"calls_by_stage_and_model": list(rows)}, **told)


@pytest.mark.parametrize("name", ["junit", "gates"])
def test_a_suite_tells_real_and_simulated_money_apart(name: str) -> None:
    """By its report, or, before there is one, by what was charged so far; a run of one sort has one sum."""
    costs = {"mini": 0.5, "sim": 2.0}
    rows = [{"stage": "answer", "model": model, "sum_cost_usd": usd, "n_cost_unknown": 0} for model, usd in costs.items()]
    runs = (mixed_run(*rows, cost_usd=2.5), mixed_run(cost_usd=2.5, charged_simulated_usd=2.0))

    for run in runs:
        (suite,) = read_junit(written(name, run))
        told = {found.name: found.value for found in suite.properties()}
        assert (told["cost_usd"], told["simulated_cost_usd"], told["simulated_models"]) == ("0.500000", "2.000000", "sim")
    (suite,) = read_junit(written(name, exported_run(line())))
    told = {found.name: found.value for found in suite.properties()}
    assert told["cost_usd"] == "0.500000" and "simulated_cost_usd" not in told


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_hostile_text_acts_in_no_format(name: str) -> None:
    """Control characters, formulas, ends of CDATA, halves of characters, marks that turn the line around, tags and fences."""
    table = {"title": HOSTILE[3], "columns": list(HOSTILE[:2]), "rows": [[{"value": HOSTILE[4]}, {"value": HOSTILE[8]}]]}
    report = {"headline": [table], "outcomes": {HOSTILE[4]: 1}, "gates": [{"name": t, "text": t} for t in HOSTILE]}
    lines = [foreign(text, n) for n, text in enumerate(HOSTILE)]

    reader_of(name)(written(name, exported_run(*lines, name=HOSTILE[9], kind=HOSTILE[4], report=report, notes=(HOSTILE[3],))))


def foreign(text: str, number: int = 0) -> dict[str, Any]:
    """A sample that is made of a text wherever it may be, with one score that failed."""
    owner = {"stage": text, "model": text, "call_index": 0}
    score = {**owner, "name": text, "value": 0, "why": text, "version": text, "read": text, "pattern": text}
    reply = {**owner, "text": text, "status": text, "why": text, "finish_reason": text}
    named = {"item_id": text, "repeat": number, "lane": text, "doc_id": text, "question": text, "truth": text}
    return {**named, "groups": {text: [text]}, "finished": True, "primary": [0], "replies": [reply], "scores": [score]}


@few
@given(st.lists(any_text, min_size=1, max_size=4))
def test_any_text_is_read_again_by_strict_readers(texts: list[str]) -> None:
    """Whatever a model says: every format is whole, and has as many rows as there are scores."""
    run = exported_run(*(foreign(text, n) for n, text in enumerate(texts)), report={"outcomes": dict.fromkeys(texts, 1)})

    found = {name: reader_of(name)(written(name, run)) for name in EXPORTERS}

    assert len(found["csv"]) == len(found["jsonl"]) == found["junit"][0].failures == len(texts)


numbers = st.none() | st.booleans() | st.floats() | st.integers() | st.lists(st.integers(), max_size=2)


@few
@given(
    st.dictionaries(st.sampled_from(["headline", "tables", "gates", "calls", "outcomes", "items"]), numbers | st.lists(numbers))
)
def test_a_strangers_report_is_exported_or_refused(report: dict[str, Any]) -> None:
    """Values of any type in report.json: every format is whole, but JSON where there is a number that JSON has not."""
    for name in EXPORTERS:
        with suppress(FolderError) if name == "json" else nullcontext():
            reader_of(name)(written(name, exported_run(line(), report=report)))


def test_what_persons_said_stands_beside_the_score() -> None:
    """How many marks there are and their mean, of claims the share; an answer that nobody rated has neither. No names."""
    rated = {("answer", "mini/q1", 0, 1, "mini", "correct"): [1, 0], ("", "mini/q1", 0, 1, "mini", "correct"): [1]}
    run = exported_run(line(1), line(2), ratings=rated)
    rows = [(row["person_marks"], row["person_mark"][:5]) for row in read_csv(written("csv", run))]
    assert rows == [("3", "0.666"), ("", "")]
    first, second = (reply["scores"]["correct"] for reply in read_lines(written("jsonl", run)))
    assert first["person_marks"] == 3 and "person_marks" not in second and "person_mark" not in second
