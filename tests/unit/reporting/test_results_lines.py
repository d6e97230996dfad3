"""Laws of what a run folder tells a reader who knows no kind: what was asked, what is right, which scores a number rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from choices import csv_rows, ended, load_choice, question_of, record
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few, load_panel, strict_json
from panels import STAGES, failing, run

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Reply
from tui_eval.core.results import Cell, SampleResult, Table
from tui_eval.reporting.result_lines import result_line
from tui_eval.results.answer_search import counts
from tui_eval.results.stored_samples import parse_sample
from tui_eval.results.tables import table_cells

TEXTS = {"q1": "A", "q2": "The answer is C", "q3": "!refused", "q4": "!timeout"}


def line_of(loaded: Loaded, row: SampleResult) -> Any:
    return strict_json(result_line(loaded.evaluation, row))


def choice_folder(folder: Path, **parts: Any) -> Path:
    loaded = load_choice(folder, **parts)
    record(folder / "run", loaded, lambda call: ended(call, TEXTS[question_of(call)]))
    return folder / "run"


def lines_in(path: Path) -> list[Any]:
    return [strict_json(line) for line in (path / "results.jsonl").read_text().splitlines()]


# ---------------------------------------------------------------------------------------------------- questions and truths


def test_a_choice_is_shown_with_its_options(tmp_path: Path) -> None:
    """The question and its options, a line each, then the right one with its letter, and what the question belongs to."""
    line = lines_in(choice_folder(tmp_path))[2]

    assert line["question"] == "What is q2?\nA) north\nB) east\nC) south\nD) west"
    assert (line["truth"], line["primary"]) == ("B) east", [0])
    assert line["groups"] == {
        "difficulty": ["medium"],
        "domain": ["Numbers", "Parity"],
        "calc_required": ["yes"],
        "topic": ["Counting"],
    }
    assert lines_in(tmp_path / "run")[-1]["groups"] == {"difficulty": ["hard"]}
    assert list(line)[6:12] == ["error", "question", "truth", "groups", "unit", "primary"]


def test_a_shuffled_choice_is_shown_as_the_first_prompt_had_it(tmp_path: Path) -> None:
    """Options and truth have the letters of the first prompt; where the scores call the right one otherwise, it says so."""
    loaded = load_choice(tmp_path, choice="shuffle = true\npermutations = 3")
    prompts: dict[str, str] = {}

    def answer(call: Any) -> Reply:
        if call.call_index == 0:
            prompts[call.item_id] = call.messages[-1].content
        return ended(call, call.example_text)

    record(tmp_path / "run", loaded, answer)
    lines = lines_in(tmp_path / "run")

    for line in lines:
        asked, *options = line["question"].split("\n")
        truth, _, other = line["truth"].partition(" (")
        assert asked in prompts[line["item_id"]] and "\n".join(options) in prompts[line["item_id"]]
        assert truth in options and line["primary"] == [0, 1, 2]
        read = {score["read"] for score in line["scores"]}
        assert read == {other[0] if other else truth[0]}
    assert {bool(line["truth"].endswith("order)")) for line in lines} == {True, False}


def test_a_panel_is_shown_with_the_answers_it_keeps(tmp_path: Path) -> None:
    """The final judges' answers where there are final judges, the doers' elsewhere, whether they came or not."""
    truths = "truths = ['1', '2']\n"
    (tmp_path / "a.txt").write_text("A text.")
    judged = load_panel(tmp_path, panel=truths + "documents = ['a.txt']", **STAGES)
    bare = load_panel(tmp_path, **{**STAGES, "rest": ""})

    whole, failed = line_of(judged, run(judged)[0]), line_of(judged, run(judged, failing("final"))[0])
    doers = line_of(bare, run(bare)[0])

    assert (whole["question"], whole["truth"], whole["groups"]) == ("What is one?", "1", {"document": ["a"]})
    for line in (whole, failed):
        assert [line["replies"][place]["stage"] for place in line["primary"]] == ["final"]
    assert (doers["truth"], doers["groups"], doers["primary"]) == (None, {}, [0, 1, 2, 3])


def test_a_raising_flow_is_shown_too(tmp_path: Path) -> None:
    """An item whose evaluation failed has no replies, and still says what it is about."""
    for loaded in (load_choice(tmp_path), load_panel(tmp_path)):
        item = next(iter(loaded.evaluation.samples()))

        line = line_of(loaded, SampleResult(item, (), (), error="KeyError: 'x'"))

        assert line["question"].startswith("What is ") and line["primary"] == []


# ---------------------------------------------------------------------------------------------------- the report


def test_the_report_begins_with_what_a_person_reads_first(tmp_path: Path) -> None:
    """The headline stands before the tables, in their form; its numbers can be opened like theirs."""
    report = strict_json((choice_folder(tmp_path) / "report.json").read_text())

    assert list(report)[-3:] == ["tables", "verdict", "verdict_in_short"]
    first, difficulty = report["headline"]
    assert first["columns"][:3] == ["rank", "model", "rate"]
    shown = {row[1]["value"]: row[2] for row in first["rows"]}
    accuracy = report["tables"]["accuracy"]
    at = accuracy["columns"].index("accuracy")
    whole = {row[2]["value"]: row[at] for row in accuracy["rows"]}
    assert shown.keys() == whole.keys() == {"one", "two"}
    for name, cell in shown.items():
        assert cell == {**whole[name], "value": "33.3 %"}
    assert (
        first["rests_on"]
        == difficulty["rests_on"]
        == [{"stage": "answer", "model": "one"}, {"stage": "answer", "model": "two"}]
    )
    assert [cell["n"] for cell in difficulty["rows"][0][1:]] == [1, 1, 1]


def test_a_panels_headline_can_be_opened(tmp_path: Path) -> None:
    """Its estimate has n and interval, and its rows name stage and model."""
    text = {"panel": "truths = ['1', '2']", "rest": '[panel.benchmark]\nmode = "exact"'}
    loaded = load_panel(tmp_path, **text)
    record(tmp_path / "run", loaded, lambda call: Reply(call, "ok", text="1"))
    (table,) = strict_json((tmp_path / "run" / "report.json").read_text())["headline"]

    assert table["rests_on"] == [{"stage": "doer", "model": "one"}]
    cell = table["rows"][0][table["columns"].index("rate")]
    assert (cell["value"], cell["n"], len(cell["interval"])) == ("50.0 %", 2, 2)


def test_the_breakdown_is_by_the_groups_of_the_items(tmp_path: Path) -> None:
    """breakdown.csv has the groups that the lines name, all and no others, and their scores are as many as it says."""
    path = choice_folder(tmp_path, run="repeat = 2")
    lines, rows = lines_in(path), csv_rows((path / "breakdown.csv").read_text())

    named = {(by, value) for line in lines for by, values in line["groups"].items() for value in values}
    assert {(row["by"], row["value"]) for row in rows} == named
    for row in rows:
        where = {name: row[name] for name in ("by", "value", "model")}
        values = [value for line in lines for value in values_of(line, where)]
        assert (len(values), len([v for v in values if v is not None])) == (int(row["n_asked"]), int(row["n_replies"]))


def test_single_tables_say_nothing_of_scores(tmp_path: Path) -> None:
    """accuracy.json and accuracy.csv have the columns of the table, and nothing beside them."""
    path = choice_folder(tmp_path)

    assert set(strict_json((path / "accuracy.json").read_text())) == {"simulated", "title", "note", "rows"}
    assert "rests_on" not in (path / "accuracy.json").read_text() + (path / "accuracy.csv").read_text()


def test_a_table_without_scores_says_so() -> None:
    """What rests on no scores has null in their place, for one row or for all."""
    rows = ((Cell(1),), (Cell(2),))

    assert table_cells(Table("t", ("a",), rows))["rests_on"] is None
    assert table_cells(Table("t", ("a",), rows, rests_on=(None, {"model": "m"})))["rests_on"] == [None, {"model": "m"}]


# ---------------------------------------------------------------------------------------------------- which scores


def values_of(line: dict[str, Any], rests_on: Any) -> list[float | None]:
    """The values of a line's scores that a row of a table rests on."""
    sample = parse_sample(json.dumps({"item_id": "q", **line}).encode())
    return [mark.value for mark in sample.marks if counts(mark, sample, rests_on)] if sample else []


SCORE = {"stage": "answer", "model": "one", "value": 1, "why": "", "read": "B", "pattern": "first_char"}
UNREAD = {**SCORE, "value": 0, "why": "refusal", "read": None, "pattern": "failed"}
ITEM = {"doc_id": "q1", "groups": {"topic": ["x", "y"]}}


@pytest.mark.parametrize(
    ("rests_on", "score", "expected"),
    [
        ({}, SCORE, True),
        ({"stage": "answer", "model": "one"}, SCORE, True),
        ({"stage": "answer", "model": "two"}, SCORE, False),
        ({"stage": "doer"}, SCORE, False),
        ({"models": ["two", "one"]}, SCORE, True),
        ({"models": ["two", "three"]}, SCORE, False),
        ({"doc_id": "q1"}, SCORE, True),
        ({"doc_id": "q2"}, SCORE, False),
        ({"by": "topic", "value": "y"}, SCORE, True),
        ({"by": "topic", "value": "z"}, SCORE, False),
        ({"by": "domain", "value": "y"}, SCORE, False),
        ({"pattern": "first_char"}, SCORE, True),
        ({"pattern": "refusal"}, SCORE, False),
        ({"pattern": "refusal"}, UNREAD, True),
        ({"pattern": "failed"}, UNREAD, False),
    ],
)
def test_a_score_counts_where_all_of_it_holds(rests_on: Any, score: Any, expected: bool) -> None:
    """Each part of what a row rests on leaves out what is not so; a score without a letter goes by its reason."""
    assert bool(values_of({**ITEM, "scores": [score]}, rests_on)) is expected


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(any_text, inner, max_size=2),
    max_leaves=4,
)
names = st.sampled_from([*SCORE, *ITEM, "models", "by", "groups"])


@few
@given(*(st.dictionaries(names, anything) for _ in range(3)))
def test_a_strangers_folder_counts_or_does_not(score: Any, item: Any, rests_on: Any) -> None:
    """Whatever stands in the fields of a run folder: an answer, never an exception."""
    values_of({**item, "scores": [json.loads(json.dumps(score))]}, rests_on)
