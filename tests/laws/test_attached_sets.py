"""Laws of documents beside a set: what it names is attached, what is not there is an error; folders are asked as sets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pdf_files import pdf_of

from tui_eval.configuring.drafting.from_columns import ColumnChoices
from tui_eval.configuring.drafting.new_configs import short_config
from tui_eval.configuring.loading import Loaded, complete, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.datasets.set_list import change_selection, read_set
from tui_eval.datasets.set_store import import_set
from tui_eval.kinds import KINDS
from tui_eval.kinds.chat.dialogue_turns import dialogues_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

ROOT = Path(__file__).parents[2]
SAID = "The harbour is nine metres deep at low water."
ROWS = ("c1,1,How deep is it?,9 m,handbook.pdf", "c1,2,Since when?,1874,handbook.pdf")
CSV = "\n".join(["conversation,turn,question,ground_truth,document", *ROWS, ""])
TURN = {"id": "t1", "question": "How deep is it?", "ground_truth": "9 m"}
JSON = json.dumps({"conversations": [{"id": "c1", "document": "handbook.pdf", "turns": [TURN]}]})
FORMS = [("talks.csv", 2), ("talks.json", 1), ("own", 2), ("./own", 2), ("open.csv", 1)]
"""Sets in `room`, with how many questions each asks."""
MODEL = {"name": "m", "wire": "simulator", "model": "sim-scholar"}


def room(folder: Path) -> Path:
    """A folder with a PDF and a set about it in each form."""
    own = folder / "own"
    own.mkdir()
    (own / "handbook.pdf").write_bytes(pdf_of([[SAID]]))
    (own / "Questions.md").write_text("1. How deep is it?\n   Answer: 9 m\n\n2. Since when?\n   Answer: 1874\n")
    (folder / "handbook.pdf").write_bytes(pdf_of([[SAID]]))
    (folder / "talks.csv").write_text(CSV)
    (folder / "talks.json").write_text(JSON)
    (folder / "open.csv").write_text("question,answer,document\nHow deep is it?,9 m,handbook.pdf\n")
    return folder


def chat(folder: Path, dataset: str, **more: Any) -> Loaded:
    table = {"dataset": dataset, "models": ["m"], "judge": {"model": "m"}, **more}
    content = {"kind": "chat", "name": "n", "models": [MODEL], "chat": table}
    return complete(TomlFile(folder / "config.toml", content, {}), Workspace(folder), sends=False)


def shown(loaded: Loaded) -> list[tuple[str, str]]:
    """Each question that is asked, with what is shown of its document."""
    dialogues = [dialogue for sample in loaded.evaluation.samples() for dialogue in dialogues_of(sample)]
    return [(one.turn(n).question, " ".join(one.contexts[n].split())) for one in dialogues for n in one.places]


@pytest.mark.parametrize(("dataset", "n"), FORMS)
def test_a_document_beside_the_set_is_shown(tmp_path: Path, dataset: str, n: int) -> None:
    """Whatever form the set has: the models see what the file says, and no sentence says that nothing is shown."""
    loaded = chat(room(tmp_path), dataset)

    assert [SAID in text for _, text in shown(loaded)] == [True] * n
    assert not [one for one in loaded.warnings if "groundedness" in one]
    assert any(name.endswith("handbook.pdf") for name in loaded.egress.files)


@pytest.mark.parametrize(("dataset", "n"), FORMS)
def test_the_short_form_takes_what_a_config_takes(tmp_path: Path, dataset: str, n: int) -> None:
    """`tui-eval chat SET` asks the same of the same file."""
    workspace = Workspace(room(tmp_path))
    word = str(tmp_path / dataset)
    begun = short_config(workspace, KINDS["chat"], [word], ["sim-scholar"], ["sim-arbiter"], "short", [], ColumnChoices())

    assert shown(complete(begun.file, workspace, sends=False)) == shown(chat(tmp_path, dataset))
    assert len(shown(chat(tmp_path, dataset))) == n


@pytest.mark.parametrize("dataset", ["talks.csv", "talks.json", "open.csv"])
def test_a_document_that_is_not_there_is_an_error(tmp_path: Path, dataset: str) -> None:
    """It is named with where it belongs; where nothing of documents is shown it is not needed."""
    (room(tmp_path) / "handbook.pdf").unlink()

    with pytest.raises(ConfigError, match=rf"chat\.dataset: document 'handbook\.pdf': there is no such file beside {dataset}"):
        chat(tmp_path, dataset)
    if dataset == "open.csv":
        return
    kept = import_set(Workspace(tmp_path), tmp_path / dataset, "brought")
    assert kept.notes == (f"the document 'handbook.pdf' is not beside {dataset}: no run can show it",)
    with pytest.raises(ConfigError, match=r"document 'handbook\.pdf': there is no such file beside brought\.json"):
        chat(tmp_path, "brought")
    if dataset.endswith(".json"):
        assert len(shown(chat(tmp_path, dataset, context="none"))) == 1


def test_a_document_elsewhere_is_refused(tmp_path: Path) -> None:
    """No name of a set leads out of its folder."""
    room(tmp_path)
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "t.json").write_text(JSON.replace("handbook.pdf", "../handbook.pdf"))

    with pytest.raises(ConfigError, match="outside the folder"):
        chat(tmp_path, "sets/t.json")


def test_an_imported_set_holds_what_its_document_says(tmp_path: Path) -> None:
    """What was imported is asked from then on without the file; its questions can be deselected."""
    kept = import_set(Workspace(room(tmp_path)), tmp_path / "talks.csv", "talks")
    found = read_set(kept.path)
    (tmp_path / "handbook.pdf").unlink()
    assert found.documents == ("handbook.pdf",) and [SAID in text for _, text in shown(chat(tmp_path, "talks"))] == [True] * 2

    change_selection(Workspace(tmp_path), kept.path, found, {found.questions[1].id: False})
    loaded = chat(tmp_path, "talks")
    assert [question for question, _ in shown(loaded)] == ["How deep is it?"]
    assert "talks: 1 of 2 samples (1 deselected)" in loaded.notes


def test_a_folder_that_is_a_dataset_obeys_its_selection(tmp_path: Path) -> None:
    """A folder with a Questions.md among the datasets is asked by name, but for what is deselected."""
    room(tmp_path)
    kept = import_set(Workspace(tmp_path), tmp_path / "own", "harbour")
    found = read_set(kept.path)
    assert len(shown(chat(tmp_path, "harbour"))) == 2
    change_selection(Workspace(tmp_path), kept.path, found, {found.questions[0].id: False})

    assert [question for question, _ in shown(chat(tmp_path, "harbour"))] == ["Since when?"]


@pytest.mark.parametrize("dataset", ["talks.csv", "own"])
def test_a_run_has_its_documents(tmp_path: Path, dataset: str) -> None:
    """Once prepared, a run needs the files no more: it resumes and re-scores from its own folder."""
    before = chat(room(tmp_path), dataset)
    prepare(before, tmp_path / "run", lambda text: text, [])
    for path in (tmp_path / "handbook.pdf", tmp_path / "own" / "handbook.pdf", tmp_path / "talks.csv"):
        path.unlink()

    assert shown(load(tmp_path / "run" / "config.toml", Workspace(tmp_path), sends=False)) == shown(before)


def test_the_documented_form_can_be_read(tmp_path: Path) -> None:
    """The example of the docs has twelve lines and is a set as it stands."""
    (text,) = re.findall(r"```json\n(\{\n \"name\".*?)```", (ROOT / "docs" / "datasets.md").read_text(), re.DOTALL)
    assert len(text.strip().split("\n")) == 12
    found = read_conversations(json.loads(text), "docs")

    assert found.turns == 2 and found.conversations[0].document == "handbook.pdf"
