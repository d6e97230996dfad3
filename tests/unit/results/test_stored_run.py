"""Laws of reading results.jsonl: rows are lines whatever is in them, growth and replacement are seen, what counts is found."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.errors import FolderError
from tui_eval.core.units import Unit
from tui_eval.results.answer_search import Basis, MatchingRows, ScoreSums, counts, words_of
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import parse_sample
from tui_eval.results.stored_scores import parse_line, parse_scores
from tui_eval.tui.background.slices import Job, go_on
from tui_eval.tui.screens.result.answer_list import COLUMNS, AnswerRow
from tui_eval.tui.screens.result.basis import resting
from tui_eval.tui.screens.result.sample_text import answer_line, sample_sections, sample_title, verdict_cell
from tui_eval.tui.widgets.list_view import ListView


def line(
    number: int = 0, model: str = "one", text: str | None = "four", value: float | None = 1, **changes: Any
) -> dict[str, Any]:
    """An item with one reply and its score."""
    reply = {"stage": "answer", "model": model, "call_index": 0, "status": "ok", "latency_ms": 5, "text": text}
    score = {"stage": "answer", "model": model, "call_index": 0, "name": "correct", "value": value, "read": "A", "pattern": "p"}
    item = {"item_id": f"{model}/q{number}", "doc_id": f"q{number}", "question": f"What is {number}?", "truth": "four"}
    return {
        **item,
        "groups": {"level": ["easy"]},
        "primary": [0],
        "replies": [reply],
        "scores": [score],
        "finished": True,
        **changes,
    }


def write(path: Path, *lines: Any) -> None:
    path.write_bytes(b"".join(json.dumps(entry).encode() + b"\n" for entry in lines))


def matching(answers: StoredRun, typed: str) -> MatchingRows:
    """The rows that a filter finds, as the list of answers looks for them."""
    view = ListView(COLUMNS, lambda row: words_of(row.sample)).with_query(typed)
    asks = (lambda sample: view.holds(AnswerRow(sample, sample))) if view.query.terms else None
    return MatchingRows(answers, asks, view.needed_words)


def done(*jobs: Job) -> None:
    go_on(lambda: jobs, lambda: False)


def read(path: Path) -> StoredRun:
    answers = StoredRun(path)
    done(answers)
    return answers


def counted(tally: ScoreSums) -> dict[tuple[str, str, str, str], tuple[int, int, int]]:
    """By stage, model, variant and metric: right, scored, without a value."""
    return {key: (sums.right, sums.scored, sums.lacking) for key, sums in tally.sums.items()}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=8,
)
names = st.sampled_from(
    ["item_id", "doc_id", "question", "truth", "primary", "replies", "scores", "groups", "error", "finished"]
)
parts = st.sampled_from(
    ["stage", "model", "call_index", "value", "text", "why", "status", "latency_ms", "read", "pattern", "about"]
)


@few
@given(
    st.dictionaries(names, values), st.lists(st.dictionaries(parts, values), max_size=3), st.dictionaries(st.just("by"), values)
)
def test_a_strangers_line_is_read_or_refused(fields: Any, inner: Any, rests_on: Any) -> None:
    """Values of any type make an item or none, and nothing that is shown of it raises."""
    for entry in (fields, {"item_id": "x", **fields}, {"item_id": "x", "replies": inner, "scores": inner, **fields}):
        line = json.dumps(entry).encode()
        item, found = parse_sample(line), parse_line(line)
        assert (item is None) == (not isinstance(entry.get("item_id"), str))
        if item is not None and found is not None:
            words_of(item), sample_title(item), verdict_cell(item), answer_line(item), sample_sections(item, None, (), True)
            short = parse_scores(line)
            assert short is not None and len(item.marks) == len(found["scores"]) == len(short.scores)
            assert (short.item_id, short.repeat, short.groups, short.unit) == (
                item.item_id,
                item.repeat,
                item.groups,
                item.unit,
            )
            assert all(counts(mark, item, {**rests_on, "stage": mark.stage}) in (True, False) for mark in item.marks)


@few
@given(lines=st.lists(st.binary(max_size=30).filter(lambda text: b"\n" not in text), max_size=20), rest=st.binary(max_size=10))
def test_every_line_is_a_row(tmp_path: Path, lines: list[bytes], rest: bytes) -> None:
    """Rows are the whole lines, whatever they hold; a last line that is not whole is left out."""
    rest = rest.replace(b"\n", b"")
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"".join(entry + b"\n" for entry in lines) + rest)
    answers = read(path)
    assert [answers.line(row) for row in range(answers.count)] == lines
    assert not answers.behind()


def test_a_growing_file_is_read_on(tmp_path: Path) -> None:
    """What is appended becomes rows; a file in another's place begins anew, and a job on it, too."""
    path = tmp_path / "results.jsonl"
    answers = StoredRun(path)
    tally, chosen = ScoreSums(answers), matching(answers, "one")
    done(answers, tally, chosen)
    assert (answers.count, answers.behind()) == (0, False)

    write(path, line(0), line(1, value=0))
    assert answers.behind()
    done(answers, tally, chosen)
    assert counted(tally) == {("answer", "one", "", "correct"): (1, 2, 0)} and chosen.count == 2

    with path.open("ab") as stream:
        stream.write(json.dumps(line(2, value=None)).encode())
    done(answers)
    assert answers.count == 2
    with path.open("ab") as stream:
        stream.write(b"\n")
    done(answers, tally, chosen)
    assert (answers.count, counted(tally), chosen.count) == (3, {("answer", "one", "", "correct"): (1, 2, 1)}, 3)

    other = tmp_path / "other"
    write(other, line(7, model="two"))
    other.replace(path)
    done(answers, tally, chosen)
    item = answers.sample(0)
    assert item is not None and item.item_id == "two/q7"
    assert (counted(tally), chosen.count) == ({("answer", "two", "", "correct"): (1, 1, 0)}, 0)


def test_a_filter_finds_what_has_its_words(tmp_path: Path) -> None:
    """Words are looked for in document, question, model and answer, without regard to capitals or to how JSON writes them."""
    path = tmp_path / "results.jsonl"
    write(
        path, line(0, text="Größe"), line(1, model="two", value=0), line(2, text=None), {"no": "item"}, line(3, text='say "A"')
    )
    answers = read(path)

    def found(words: str) -> list[int]:
        chosen = matching(answers, words)
        done(chosen)
        return [chosen.row(place) for place in range(chosen.count)]

    assert found("") == [0, 1, 2, 3, 4]
    assert found("GRÖSSE") == found("größe") == [0]
    assert found("two") == [1] and found("!two one") == [0, 2, 4]
    assert found("wrong") == [1] and found("answer:say") == found('"say ""a"""') == [4]
    assert found("score<1") == found("score=0") == [1] and found("model=two") == [1] and found("score>0") == [0, 2, 4]
    assert found("one !two right") == [0, 2, 4]


@few
@given(marks=st.lists(st.tuples(st.sampled_from(["one", "two"]), st.sampled_from([0, 1, None])), max_size=20))
def test_a_row_rests_on_the_scores_its_filter_names(tmp_path: Path, marks: list[tuple[str, int | None]]) -> None:
    """As many scores are found as there are of the model, and those with a value are counted apart."""
    path = tmp_path / "results.jsonl"
    write(path, *(line(number, model, value=value) for number, (model, value) in enumerate(marks)))
    basis = Basis(read(path), {"model": "one", "by": "level", "value": "easy"})
    done(basis)
    own = [value for model, value in marks if model == "one"]
    assert (basis.count, basis.valued, basis.right) == (len(own), len([v for v in own if v is not None]), own.count(1))
    found = [basis.at(place) for place in range(basis.count + 1)]
    assert found == [*((i, 0) for i, (model, _) in enumerate(marks) if model == "one"), None]


SCALES: dict[str, Any] = {
    "faithful": {"low": 1, "high": 5, "threshold": 3},
    "delay": {"low": 0, "high": 60, "better": "lower", "threshold": 10},
    "style": {"low": 1, "high": 5},
}


def marked(number: int, **values: float | None) -> dict[str, Any]:
    """An item whose reply has these marks."""
    found = line(number, truth=None, metrics=SCALES)
    return {**found, "scores": [{**found["scores"][0], "name": name, "value": value} for name, value in values.items()]}


def test_marks_are_added_up_by_metric_and_pass_by_its_threshold(tmp_path: Path) -> None:
    """Four marks of 1 on a scale to 5 are four that do not pass, not four that are right; less is better where it says so."""
    path = tmp_path / "results.jsonl"
    write(
        path,
        *(marked(number, faithful=1, delay=1, style=1) for number in range(4)),
        marked(4, faithful=3, delay=30, style=None),
    )
    answers = read(path)
    tally = ScoreSums(answers)
    done(tally)
    right = {}
    for name in SCALES:
        basis = Basis(answers, {"name": name})
        done(basis)
        right[name] = (basis.right, basis.valued, "".join(text for text, _ in resting(basis, 5)))

    found = {name: (sums.right, sums.scored, sums.total, sums.lacking) for (*_, name), sums in tally.sums.items()}
    assert found == {"faithful": (1, 5, 7, 0), "delay": (4, 5, 34, 0), "style": (0, 4, 4, 1)}
    assert right["faithful"] == (1, 5, "rests on 5 scores: 1 pass (3 or more of 1 to 5)")
    assert right["delay"] == (4, 5, "rests on 5 scores: 4 pass (10 or less of 0 to 60)")
    assert right["style"] == (0, 4, "rests on 4 scores; 1 more have no value and count as missing")


def test_items_with_marks_are_found_by_whether_they_pass(tmp_path: Path) -> None:
    """Passed: every mark with a threshold is on its good side; failed: one is not. Neither is right or wrong."""
    path = tmp_path / "results.jsonl"
    lines = [
        marked(0, faithful=5, delay=3),
        marked(1, faithful=5, delay=30),
        marked(2, style=1),
        line(3),
        marked(4, faithful=None),
    ]
    write(path, *lines)
    answers = read(path)

    def found(words: str) -> list[int]:
        chosen = matching(answers, words)
        done(chosen)
        return [chosen.row(place) for place in range(chosen.count)]

    assert (found("passed"), found("failed"), found("right")) == ([0], [1], [3])
    assert found("!passed !failed") == [2, 3, 4]


def test_an_item_says_a_mark_once() -> None:
    """The mark, its scale, whether it passes; no line for a truth that there is none of."""
    item = parse_sample(json.dumps(marked(0, faithful=5, delay=30, style=2)).encode())
    assert item is not None
    text = "\n".join(each.label + each.text for each in sample_sections(item, None, (), False))

    assert "faithful = 5 of 1 to 5 · ✓ passes (3 or more)" in text and "5: faithful" not in text
    assert "delay = 30 of 0 to 60 · ✗ does not pass (10 or less)" in text and "style = 2 of 1 to 5 ·" in text
    assert "TRUTH" not in text


def test_primary_answers_come_first_and_marks_last() -> None:
    """The replies of an item stand in the order in which a person wants them, whatever its stages are called.

    A line without `primary` has the answers of the first stage; one that was asked for again is still an answer.
    """
    about = {"rate": "ask:m#0", "again": "~again"}
    replies = [
        {"stage": stage, "model": "m", "call_index": i, "text": stage, "about": about.get(stage, "")}
        for i, stage in ((0, "rate"), (0, "ask"), (0, "again"), (0, "weigh"), (0, "close"), (1, "ask"))
    ]
    told = parse_sample(json.dumps(line(replies=replies, primary=[4])).encode())
    old = {name: value for name, value in line(replies=replies).items() if name != "primary"}
    guessed = parse_sample(json.dumps(old).encode())
    assert told is not None and guessed is not None
    assert [answer.stage for answer in told.in_order()] == ["close", "ask", "ask", "again", "weigh", "rate"]
    assert [answer.stage for answer in guessed.in_order()] == ["ask", "ask", "again", "weigh", "close", "rate"]
    assert len(guessed.kept()) == 2


def test_a_pipe_is_no_file_of_answers(tmp_path: Path) -> None:
    """What is no plain file has no rows, and nobody waits for it."""
    path = tmp_path / "results.jsonl"
    os.mkfifo(path)
    answers = read(path)
    assert (answers.count, answers.behind()) == (0, False)


def test_an_iteration_has_each_sample_once(tmp_path: Path) -> None:
    """Of one that was written twice the last line counts, however it is spaced; a damaged line counts as such, and for none."""
    path = tmp_path / "results.jsonl"
    first, other, last = ({"item_id": "", "repeat": 0, **line(item_id='é"q', q_index=place)} for place in range(3))
    other["repeat"] = 1
    lines = [json.dumps(first), "{no json}", "", json.dumps(other), json.dumps(last, separators=(",", ":"))]
    path.write_text("\n".join([*lines, lines[0][:-9] + "}", lines[0][:30]]))
    stored = StoredRun(path)

    assert [(sample.repeat, sample.q_index) for sample in stored.samples()] == [(1, 1), (0, 2)] and stored.damaged == 1
    short = list(stored.scores())
    assert [(scores.repeat, scores.q_index) for scores in short] == [(1, 1), (0, 2)]
    assert [path.read_bytes()[scores.offset :].split(b"\n")[0].decode() for scores in short] == [lines[3], lines[4]]


def test_an_iteration_is_over_what_lay_there_at_first(tmp_path: Path) -> None:
    """Lines that come meanwhile, and another file in its place, change nothing; one cut short is an error, as is a pipe."""
    path = tmp_path / "results.jsonl"
    write(path, line(0), line(1))
    stored = StoredRun(path)
    assert [sample.doc_id for sample in stored.samples()] == ["q0", "q1"]
    with path.open("ab") as stream:
        stream.write(json.dumps(line(2)).encode() + b"\n")
    assert [scores.doc_id for scores in stored.scores()] == ["q0", "q1"]
    path.write_bytes(b"")
    with pytest.raises(FolderError, match="try again"):
        list(stored.samples())
    path.unlink()
    assert list(StoredRun(path).samples()) == []
    os.mkfifo(path)
    with pytest.raises(FolderError, match="named pipe"):
        list(StoredRun(path).scores())


def test_a_line_says_which_unit_it_counts_as() -> None:
    """As it states, else by document and question: options in another order are the same item, another document is not."""
    stated = {"item": "ab", "clusters": ["bank", "question", 3], "variant": "v2"}
    asked = {"groups": {"document": ["page"]}, "question": "Which?\nA) Iron\nB) Copper"}
    turned = {**asked, "question": "Which?\nA) Copper\nB) Iron"}

    units = [unit_of_line(**more) for more in ({"unit": stated}, asked, turned, {**asked, "doc_id": "q1"}, {"question": 3})]

    assert units[0] == Unit("ab", ("bank", "question", ""), "v2")
    assert units[1] == units[2] and units[1].clusters == ("page", units[1].item) and units[1].variant == ""
    assert len(units[1].item) == 32
    assert len({unit.item for unit in units}) == 4 and units[4].clusters == ("q0", units[4].item)
    for odd in (3, {"item": 3}, {"clusters": ["x"]}, []):
        assert unit_of_line(unit=odd, **asked) == units[1]


def unit_of_line(**more: Any) -> Unit:
    """The unit of a line, the same in full and in short."""
    text = json.dumps(line(**more)).encode()
    sample, scores = parse_sample(text), parse_scores(text)
    assert sample is not None and scores is not None and sample.unit == scores.unit
    return scores.unit


def test_scores_that_are_missing_for_one_reason_stand_on_one_line() -> None:
    """All their names and the reason are there; up to two, and those with a reason of their own, have lines of their own."""
    score = {"stage": "answer", "model": "one", "call_index": 0, "value": None, "why": "invalid"}
    lost = [*({**score, "name": f"part_{n}"} for n in range(5)), {**score, "name": "other", "why": "no reply"}]

    def said(scores: list[dict[str, Any]]) -> str:
        sample = parse_sample(json.dumps(line(scores=scores)).encode())
        return "\n".join(each.text for each in sample_sections(sample, None, (), False)) if sample else ""

    assert "– missing 5: part_0, part_1, part_2, part_3, part_4 · invalid" in said(lost)
    assert "– missing: other = - · no reply" in said(lost) and said(lost[:2]).count("– missing: part_") == 2
