"""Laws of lettered questions that are made of their lines: they are those of the whole file, or it is read as a whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import Source
from tui_eval.datasets import documents
from tui_eval.datasets.documents import as_list
from tui_eval.datasets.lettered import lettered_by_place
from tui_eval.datasets.lettered.lettered_by_place import benchmark_by_place
from tui_eval.datasets.lettered.lettered_questions import ChoiceBenchmark, read_benchmark
from tui_eval.evaluation.inputs import text_of

SOURCE = Source("benchmark", "b.jsonl", "choice.benchmark", 2**24)
Row = dict[str, Any]
TEXTS = st.sampled_from(["yes", "no", "2", "0", "1", "both of these", "all of the above", "é 水", "\u2028", "B"])


@pytest.fixture(autouse=True)
def _every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "HELD_BYTES", -1)
    monkeypatch.setattr(lettered_by_place, "LEAST_BYTES", 0)


def both(folder: Path, text: str) -> tuple[ChoiceBenchmark | None, ChoiceBenchmark | str]:
    """What is made of a file by place, and what is made of its whole text, or what is said of that."""
    path = folder / "b.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    file = as_list(path, SOURCE, "inputs/lists/b.jsonl")
    try:
        whole: ChoiceBenchmark | str = read_benchmark(text_of(file, "choice.benchmark"), file.name)
    except ConfigError as error:
        whole = str(error)
    return benchmark_by_place(file), whole


def check_alike(by_place: ChoiceBenchmark | None, whole: ChoiceBenchmark | str) -> None:
    """What is made by place is what is made of the whole; nothing where something is wrong."""
    if by_place is None:
        return
    assert isinstance(whole, ChoiceBenchmark), whole
    assert [*by_place.questions] == [*whole.questions]
    assert (by_place.name, by_place.unread, by_place.read_as) == (whole.name, whole.unread, whole.read_as)
    assert (by_place.mixing, by_place.notes) == (whole.mixing, whole.notes)


def lines(rows: Sequence[Row], end: str = "\n") -> str:
    """Rows as a file has them."""
    return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows)


PLAIN: list[Row] = [
    {"id": "a", "question": "Which?", "choices": ["yes", "no"], "answer": 1, "difficulty": "easy", "version": "v1"},
    {"id": "b", "question": "And é?", "choices": ["no", "yes", "never"], "answer": "A", "topics": ["x", "y"], "version": "v1"},
    {"id": "c", "question": {"stem": "Who?", "choices": [{"text": "me", "label": "A"}, {"text": "you", "label": "B"}]},
     "answerKey": "B", "metadata": {"calc_required": "yes", "source": "s"}, "version": "v1"},
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n \n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_questions_of_any_layout_are_the_same(end: str, mark: str, tmp_path: Path) -> None:
    """With ids, groups, versions, unread fields and options in any of their forms."""
    by_place, whole = both(tmp_path, mark + lines(PLAIN, end))

    assert by_place is not None
    check_alike(by_place, whole)


ROWS = st.lists(
    st.fixed_dictionaries(
        {"question": st.sampled_from(["Which?", "Who?\n"]), "choices": st.lists(TEXTS, min_size=2, max_size=4)},
        optional={
            "id": st.sampled_from(["a", "b", "c", "d", 5]),
            "answer": st.one_of(TEXTS, st.integers(0, 3), st.sampled_from(["A", "b"])),
            "version": st.sampled_from(["v1", "v2"]),
            "metadata": st.sampled_from([{}, {"calc_required": True}, {"source": "s"}, "no"]),
            "more": st.integers(),
        },
    ),
    max_size=5,
)


@given(rows=ROWS)
def test_any_rows_come_to_the_same_or_are_read_as_a_whole(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever answers, ids and conventions there are, right or wrong."""
    check_alike(*both(tmp_path_factory.getbasetemp(), lines(rows)))


@given(answers=st.lists(st.sampled_from(["0", "1", "2", 1, "A"]), min_size=2, max_size=6), labelled=st.booleans())
def test_digits_mean_the_same(answers: list[Any], labelled: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What digits mean is said by all answers of the file together."""
    options = ["1", "2", "3"] if labelled else ["x", "y", "z"]
    rows = [{"question": "How many?", "choices": options, "answer": answer} for answer in answers]
    by_place, whole = both(tmp_path_factory.getbasetemp(), lines(rows))

    assert (by_place is None) == isinstance(whole, str)
    check_alike(by_place, whole)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAIN),
        json.dumps({"questions": PLAIN}, indent=1),
        lines(PLAIN[:1]),
        "question,A,B,answer\nWhich?,yes,no,A\nWho?,yes,no,B\n",
        lines([*PLAIN, {"question": "no options", "answer": 1}]),
        lines([*PLAIN, PLAIN[0]]),
        lines(PLAIN) + "[1]\n",
        lines(PLAIN) + '{"id": "d"\n',
        "\u00a0" + lines(PLAIN),
        lines([{"question": "Q?", "correct_answer": "yes", "incorrect_answer_1": "no", "incorrect_answer_2": "so"}] * 2),
        "",
    ],
)
def test_what_is_no_file_of_lines_is_read_as_a_whole(text: str, tmp_path: Path) -> None:
    """Lists, tables, single objects, rows with faults, options that are to be mixed."""
    assert both(tmp_path, text)[0] is None


def test_a_small_file_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its questions are looked at many times."""
    monkeypatch.undo()
    assert both(tmp_path, lines(PLAIN))[0] is None
