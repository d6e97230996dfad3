"""Laws of mapped columns: whatever they are called, the same questions come of them as under the usual names."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest

from tui_eval.core.errors import ConfigError
from tui_eval.core.field_roles import ROLES, SEVERAL
from tui_eval.datasets.field_mapping import FieldMapping, columns_in, guess, mapping_of
from tui_eval.datasets.set_list import read_set, unknown_columns
from tui_eval.datasets.sets import QuestionSet, table_of_questions

ODD = ("Aufgabe", "Lösung", "alt 1", "alt 2", "Nr.", "prompt", "answer", "A", "Thema", "label")
"""Names of columns; some of them usually mean something."""


def as_text(records: list[dict[str, str]], form: int) -> str:
    """The same records as JSON, JSONL, and a table with commas or semicolons."""
    if form < 2:
        return json.dumps(records) if form else "\n".join(map(json.dumps, records))
    table = io.StringIO()
    csv.writer(table, delimiter=",;"[form - 2]).writerows([list(records[0]), *(list(record.values()) for record in records)])
    return table.getvalue()


@pytest.mark.parametrize("seed", range(12))
def test_any_names_give_what_the_usual_names_give(seed: int) -> None:
    """Lettered and open, in each form; columns that were not mapped are told, though they have usual names."""
    chance = random.Random(seed)
    names = chance.sample(ODD, 6)
    lettered, form = seed % 2 == 0, seed % 4
    usual = ["question", "answer", "id", *(["A", "B"] if lettered else [])]
    values = [[f"Which is {n}?", "ab"[n % 2], f"q{n}", "a", "b"][: len(usual)] for n in range(1, 5)]
    told = [dict(zip(usual, row, strict=True)) for row in values]
    odd = [{**dict(zip(names, row, strict=False)), names[5]: "unread"} for row in values]
    mapping = FieldMapping(names[0], names[1], tuple(names[3:5]) if lettered else (), names[2])
    found = table_of_questions(as_text(odd, form), "file", mapping)
    wanted = table_of_questions(as_text(told, form), "file")
    assert found.lettered == lettered and found.questions == wanted.questions
    assert any(name.startswith(names[5]) for name in found.unread)
    assert names[0] in found.read_as


@pytest.mark.parametrize("seed", range(8))
def test_a_column_is_one_thing(seed: int) -> None:
    """However it is turned: no column is two things, and only options are several."""
    chance, mapping = random.Random(seed), FieldMapping()
    for _ in range(60):
        column, role = chance.choice(ODD), chance.choice(["", *ROLES])
        mapping = mapping.with_role(column, role)
        assert mapping.role(column) == role
        mapped = [name for one in ROLES for name in mapping.columns(one)]
        assert len(set(mapped)) == len(mapped)
        assert all(len(mapping.columns(one)) <= 1 for one in ROLES if one != SEVERAL)


def test_what_is_guessed() -> None:
    """Usual names, those that have one in them, letters, and texts that ask."""
    assert guess(("Question Text", "gold_answer", "qid")) == FieldMapping("Question Text", "gold_answer", (), "qid")
    assert guess(("stem", "A", "B", "key")).options == ("A", "B")
    assert columns_in("Aufgabe,Lösung\nWhich?,this\n", "f").guessed == FieldMapping("Aufgabe")
    assert not columns_in("Aufgabe,Lösung\nWhich?,this\n", "f").known
    assert columns_in('{"q": "a", "input": "b"}', "f").guessed.question == "input"


def test_only_what_cannot_be_told_is_asked_about(tmp_path: Path) -> None:
    """Not a file that reads, not one that is none of records, not one whose names tell but whose values are wrong."""
    texts = {"odd.csv": "x,y\n1,2\n", "known.csv": "question,answer\n,2\n", "none.json": "[[1]]", "note.md": "Why?\n"}
    texts |= {"turns.jsonl": '{"key": 1, "turns": [""]}\n', "talk.jsonl": '{"key": 1, "messages": [{"role": "user"}]}\n'}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert [name for name in texts if unknown_columns(tmp_path / name)] == ["odd.csv"]


def test_what_is_wrong_names_place_and_column(tmp_path: Path) -> None:
    """A row without its question by its line; a column that is not there by what is; a file without columns."""
    file = tmp_path / "odd.csv"
    file.write_text("x,y\nWhat?,2\n,3\n")
    with pytest.raises(ConfigError, match=r"odd\.csv:3: question: empty"):
        read_set(file, FieldMapping("x", "y"))
    with pytest.raises(ConfigError, match="no column z; the columns are x, y"):
        read_set(file, FieldMapping("z"))
    (tmp_path / "a.md").write_text("Why?\n")
    with pytest.raises(ConfigError, match="not a table"):
        read_set(tmp_path / "a.md", FieldMapping("x"))
    assert [question.truth for question in read_set_of(file, "x,y\nWhat?,\n").questions] == [None]


def read_set_of(file: Path, text: str) -> QuestionSet:
    """The set of a file with this text, its question in x and its answer in y."""
    file.write_text(text)
    return read_set(file, FieldMapping("x", "y"))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["x=y"], "a role is question or answer or options or id"),
        (["question"], "write ROLE=COLUMN"),
        (["question=a", "question=b"], "question is already mapped to a"),
        (["question=a", "id=a"], "already mapped as question"),
        (["answer=a"], "the column with the question"),
    ],
)
def test_a_mapping_on_the_command_line(words: list[str], problem: str) -> None:
    """Anything but roles and columns is refused with what is missing; options may be several, a name may have = in it."""
    with pytest.raises(ConfigError, match=problem):
        mapping_of(words, "--map")
    found = mapping_of(["question=a=b", "options=c", "options=d"], "--map")
    assert found == FieldMapping("a=b", options=("c", "d"))
