"""Laws of a config that is begun from a file: what is certain is chosen and can be run, what is not is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.from_columns import ColumnChoices
from tui_eval.configuring.drafting.new_configs import as_config, fill_by_columns, short_config
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_list import change_selection, read_set
from tui_eval.kinds import KINDS
from tui_eval.kinds.qa import QA
from tui_eval.workspace.places import Workspace

Given = ColumnChoices
LONG = "The harbour of Skerrow was flooded in spring, and its people were moved to the hills for weeks. "
FORMS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "numbers": (
        [{"question": "3 and 4?", "answer": "It is 7.\n#### 7"}, {"question": "2 and 2?", "answer": "#### 4"}],
        {"target": "answer", "text": "{question}", "scorers": ["number"]},
    ),
    "a list of answers, and none": (
        [
            {
                "title": "Ardle",
                "context": "Oda keeps it.",
                "question": "Who?",
                "answers": {"text": ["Oda"], "answer_start": [0]},
            },
            {"title": "Ardle", "context": "Oda keeps it.", "question": "When?", "answers": {"text": [], "answer_start": []}},
        ],
        {"target": "answers.text", "text": 'reply with "" alone', "scorers": ["f1", "em"], "group": "title"},
    ),
    "one short text": (
        [{"problem": "Who keeps the mill?", "target": "Oda Finch"}],
        {"target": "target", "text": "{problem}", "scorers": ["contains", "f1"]},
    ),
    "summaries": (
        [{"article": LONG * 3, "highlights": LONG}],
        {"target": "highlights", "text": "Summarize this text in about 20 words", "scorers": ["rouge_l"]},
    ),
    "JSON": (
        [{"text": "Invoice 7", "expected": {"number": 7, "what{ever": None}}],
        {"target": "expected", "text": "Its keys: number, what\\{ever.", "scorers": [{"use": "json", "equal": True}]},
    ),
    "a schema": (
        [{"text": "Invoice 7", "schema": {"type": "object"}, "expected": {"number": 7}}],
        {"target": "expected", "text": "{schema}", "scorers": [{"use": "json", "equal": True}]},
    ),
}


def written(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> Path:
    """A file of these samples."""
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def begun(tmp_path: Path, path: Path, given: ColumnChoices = Given()) -> tuple[dict[str, Any], str, Loaded]:  # noqa: B008 (frozen)
    """The kind's table of the short form with the scorers, what it says of it, and the config loaded."""
    space = Workspace(tmp_path)
    made = short_config(space, QA, [str(path)], ["sim-scholar"], [], "", [], given)
    content = made.file.content
    return {"scorers": content.get("scorers"), **content["qa"]}, made.chosen, complete(made.file, space)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_certain_is_chosen(form: str, tmp_path: Path) -> None:
    """Target, group, prompt and scorers; it is said in one line, and the config that comes of it is sound."""
    rows, expected = FORMS[form]
    table, chosen, loaded = begun(tmp_path, written(tmp_path, rows))
    (prompt,) = table["prompts"]

    assert expected.pop("text") in prompt["text"]
    assert {key: table.get(key) for key in expected} == expected
    assert "\n" not in chosen and str(expected["target"]) in chosen
    assert len(loaded.evaluation.task.rows) == len(rows)


def test_a_person_chooses_otherwise(tmp_path: Path) -> None:
    """What is said goes before what the columns tell, and several prompts are several versions."""
    path = written(tmp_path, [{"foo": "Who?", "bar": "Oda", "baz": "7"}])
    table, chosen, _ = begun(tmp_path, path, ColumnChoices("bar", ("{foo}", "{foo} {baz}"), ("exact", "length")))

    assert (table["target"], table["scorers"]) == ("bar", ["exact", "length"])
    assert [prompt["text"] for prompt in table["prompts"]] == ["{foo}", "{foo} {baz}"]
    assert "2 prompts" in chosen and "scored by exact and length" in chosen


@pytest.mark.parametrize(
    ("row", "given", "told"),
    [
        ({"foo": "Who?", "bar": "Oda"}, Given(), "has the right answers: name it by --target COLUMN; the columns are foo, bar"),
        ({"foo": "Who?", "bar": "Oda"}, ColumnChoices("bar"), "write it as --prompt 'TEXT', with columns in braces, as {foo}"),
        ({"question": "Who?", "answer": ""}, ColumnChoices(), "the columns are question, answer"),
        ({"question": "Who?", "answer": "Oda"}, ColumnChoices("anser"), "--target anser: no column; did you mean 'answer'?"),
        ({"question": "Which?", "choices": ["a", "b"], "answer": 1}, Given(), "has options; choice asks such questions"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_an_error(tmp_path: Path, row: dict[str, Any], given: ColumnChoices, told: str) -> None:
    """With the file, the columns and the option that decides it; nothing is guessed."""
    with pytest.raises(ConfigError) as error:
        begun(tmp_path, written(tmp_path, [row]), given)
    assert told in str(error.value) and ("rows.jsonl" in str(error.value) or "…" in str(error.value))


def test_lettered_questions_without_a_header_are_known(tmp_path: Path) -> None:
    """The kind that shows options is named with its command."""
    path = tmp_path / "mmlu.csv"
    path.write_text("Which is a metal?,iron,helium,neon,argon,A\nWhich is a gas?,iron,helium,lead,tin,B\n")
    with pytest.raises(ConfigError, match=r"has options; choice asks such questions: tui-eval choice .*mmlu\.csv --models A,B"):
        begun(tmp_path, path)
    assert as_config(Workspace(tmp_path), path)["kind"] == "choice"


# ------------------------------------------------------------ files beside the set


def asked_with_files(tmp_path: Path, *names: str) -> Loaded:
    """A set whose column `image` names these files, in a folder of the workspace."""
    folder = tmp_path / "scans"
    folder.mkdir(exist_ok=True)
    rows = [{"question": "What is it?", "answer": "a cat", "image": name} for name in names]
    return begun(tmp_path, written(folder, rows), ColumnChoices())[2]


def test_files_beside_the_set_are_found(tmp_path: Path) -> None:
    """A column whose files lie beside the set is known, they are attached, and they are told of before they leave."""
    (tmp_path / "scans").mkdir()
    for name in ("one.png", "two[1].png"):
        (tmp_path / "scans" / name).write_bytes(PICTURE)
    loaded = asked_with_files(tmp_path, "one.png", "two[1].png")

    assert [len(row.attachments) for row in loaded.evaluation.task.rows] == [1, 1]
    assert {Path(file.path).name for file in loaded.evaluation.files} >= {"one.png", "two[1].png"}


PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d"
    "49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


@pytest.mark.parametrize("name", ["gone.png", "../outside.png", "link.png"])
def test_a_file_that_is_not_beside_the_set_is_an_error(name: str, tmp_path: Path) -> None:
    """By its name, where it is missing, lies in another folder, or is a link out of it."""
    folder = tmp_path / "scans"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(PICTURE)
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    written(folder, [{"question": "What is it?", "answer": "a cat", "image": name}])
    content = {
        "kind": "qa",
        "name": "n",
        "models": [{"name": "m", "wire": "simulator", "model": "sim-scholar"}],
        "qa": {"dataset": "scans/rows.jsonl", "images": "image", "models": ["m"], "prompts": [{"name": "p"}]},
    }
    with pytest.raises(ConfigError, match=name.rpartition("/")[2]):
        complete(Draft(content, tmp_path).file(), Workspace(tmp_path))


# ------------------------------------------------------------ what is selected, the app


def test_a_table_of_the_workspace_is_asked_as_selected(tmp_path: Path) -> None:
    """Though it is in no form that other kinds read: its rows keep their numbers, and it says how many are left out."""
    (tmp_path / "datasets").mkdir()
    path = written(tmp_path / "datasets", [{"question": f"{n} and {n}?", "answer": str(2 * n)} for n in range(1, 6)])
    space, found = Workspace(tmp_path), read_set(path)
    change_selection(space, path, found, {found.questions[1].id: False})

    made = short_config(space, QA, ["rows"], ["sim-scholar"], [], "", [], ColumnChoices())
    loaded = complete(made.file, space)
    assert made.file.content["qa"]["rows"] == ["1", "3", "4", "5"]
    assert [row.id for row in loaded.evaluation.task.rows] == ["1", "3", "4", "5"]
    by_hand = {**made.file.content, "qa": {key: value for key, value in made.file.content["qa"].items() if key != "rows"}}
    noted = complete(Draft(by_hand, tmp_path).file(), space)
    assert "rows: 4 of 5 samples (1 deselected)" in noted.notes
    with pytest.raises(ConfigError, match="all 1 ids that rows names are deselected"):
        complete(Draft({**by_hand, "qa": {**by_hand["qa"], "rows": ["2"]}}, tmp_path).file(), space)


def test_the_form_is_filled_by_a_file_that_is_picked(tmp_path: Path) -> None:
    """Where nothing stands yet; what a person wrote stays, and no form of another kind is touched."""
    written(tmp_path, FORMS["numbers"][0])
    draft = Draft({"kind": "qa", "name": "n", "qa": {"dataset": "rows.jsonl", "scorers": ["exact"]}}, tmp_path)

    assert "target answer" in fill_by_columns(Workspace(tmp_path), draft)
    assert draft.get(("qa", "target")) == "answer" and draft.get(("qa", "scorers")) == ["exact"]
    before = draft.content
    assert fill_by_columns(Workspace(tmp_path), draft) == "" and draft.content == before
    other = Draft({"kind": "panel", "name": "n", "panel": {"dataset": "rows.jsonl"}}, tmp_path)
    assert fill_by_columns(Workspace(tmp_path), other) == "" and "prompts" not in other.content["panel"]


def test_every_kind_with_columns_has_the_keys_that_it_names() -> None:
    """A key that is declared for columns is one of the table, and such a kind begins from a set."""
    kinds = [kind for kind in KINDS.values() if kind.starts.columns is not None]
    assert kinds
    for kind in kinds:
        columns = kind.starts.columns
        assert columns is not None and kind.starts.from_set is not None
        named = {columns.target, columns.prompts, columns.group, *columns.files, columns.found} - {""}
        assert named <= {*kind.Config.model_fields} and columns.target and columns.prompts
