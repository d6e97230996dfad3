"""Laws of reading results.jsonl: rows are lines whatever is in them, growth and replacement are seen, what counts is found."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.results.answer_search import Basis, Chosen, Job, Tally, go_on
from tui_eval.results.answers import Answers, entry_of, item_of, words_of
from tui_eval.results.tables import counts
from tui_eval.tui.item_text import answer_line, item_text, item_title, verdict_cell


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


def done(*jobs: Job) -> None:
    go_on(lambda: jobs, lambda: False)


def read(path: Path) -> Answers:
    answers = Answers(path)
    done(answers)
    return answers


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
        item, found = item_of(line), entry_of(line)
        assert (item is None) == (not isinstance(entry.get("item_id"), str))
        if item is not None and found is not None:
            words_of(item), item_title(item), verdict_cell(item), answer_line(item), item_text(item, whole=True)
            assert len(item.marks) == len(found["scores"])
            assert all(
                counts(score, found, {**rests_on, "stage": score.get("stage")}) in (True, False) for score in found["scores"]
            )


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
    answers = Answers(path)
    tally, chosen = Tally(answers), Chosen(answers, "one")
    done(answers, tally, chosen)
    assert (answers.count, answers.behind()) == (0, False)

    write(path, line(0), line(1, value=0))
    assert answers.behind()
    done(answers, tally, chosen)
    assert tally.sums == {("answer", "one"): (1, 2, 0)} and chosen.count == 2

    with path.open("ab") as stream:
        stream.write(json.dumps(line(2, value=None)).encode())
    done(answers)
    assert answers.count == 2
    with path.open("ab") as stream:
        stream.write(b"\n")
    done(answers, tally, chosen)
    assert (answers.count, tally.sums, chosen.count) == (3, {("answer", "one"): (1, 2, 1)}, 3)

    other = tmp_path / "other"
    write(other, line(7, model="two"))
    other.replace(path)
    done(answers, tally, chosen)
    item = answers.item(0)
    assert item is not None and item.item_id == "two/q7"
    assert (tally.sums, chosen.count) == ({("answer", "two"): (1, 1, 0)}, 0)


def test_a_filter_finds_what_has_its_words(tmp_path: Path) -> None:
    """Words are looked for in document, question, model and answer, without regard to capitals or to how JSON writes them."""
    path = tmp_path / "results.jsonl"
    write(
        path, line(0, text="Größe"), line(1, model="two", value=0), line(2, text=None), {"no": "item"}, line(3, text='say "A"')
    )
    answers = read(path)

    def found(words: str) -> list[int]:
        chosen = Chosen(answers, words)
        done(chosen)
        return [chosen.row(place) for place in range(chosen.count)]

    assert found("") == [0, 1, 2, 3, 4]
    assert found("GRÖSSE") == found("größe") == [0]
    assert found("two") == [1] and found("!two one") == [0, 2, 4]
    assert found("wrong") == [1] and found('"a"') == [4]
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


def test_primary_answers_come_first_and_marks_last() -> None:
    """The replies of an item stand in the order in which a person wants them, whatever its stages are called.

    A line without `primary` has the answers of the first stage; one that was asked for again is still an answer.
    """
    about = {"rate": "ask:m#0", "again": "~again"}
    replies = [
        {"stage": stage, "model": "m", "call_index": i, "text": stage, "about": about.get(stage, "")}
        for i, stage in ((0, "rate"), (0, "ask"), (0, "again"), (0, "weigh"), (0, "close"), (1, "ask"))
    ]
    told = item_of(json.dumps(line(replies=replies, primary=[4])).encode())
    old = {name: value for name, value in line(replies=replies).items() if name != "primary"}
    guessed = item_of(json.dumps(old).encode())
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
