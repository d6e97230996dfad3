"""Laws of a folder's documents in kind qa: a question that names none is asked of all; what models are not shown is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tui_eval.configuring.drafting.from_columns import ColumnChoices
from tui_eval.configuring.drafting.new_configs import short_config
from tui_eval.configuring.loading import Loaded, complete, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Reply
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.notes import Noted, note
from tui_eval.kinds import KINDS
from tui_eval.kinds.qa.resolving import QaTask
from tui_eval.workspace.places import Workspace

SHOWS = [{"name": "p", "text": "{documents}\n\n{question}"}]
BLIND = [{"name": "p", "text": "{question}"}]
OF_ALL = "1. Who keeps the log?\n   Answer: Oda\n2. How deep is it?\n   Answer: 310 m\n"
SCOPED = (
    "1. Who keeps the log?\n   Documents: log\n   Answer: Oda\n2. How deep is it?\n   Documents: well.txt\n   Answer: 310 m\n"
)
TEXTS = {"log.txt": "Oda keeps the log.", "well.txt": "The well is 310 m deep."}


def folder_of(space: Path, questions: str = OF_ALL, texts: Mapping[str, str] = TEXTS, name: str = "set") -> Path:
    """A folder of documents with their questions."""
    folder = space / name
    folder.mkdir(parents=True)
    (folder / "Questions.md").write_text(questions)
    for each, text in texts.items():
        (folder / each).write_text(text)
    return folder


def config_of(space: Path, prompts: list[dict[str, str]], dataset: str = "set", **more: Any) -> Loaded:
    """A config by hand that asks such a folder, loaded."""
    table = {"dataset": dataset, "target": "answer", "prompts": prompts, "models": ["a"], **more}
    models = [{"name": "a", "wire": "simulator", "model": "sim-scholar"}]
    (space / "c.toml").write_text(tomli_w.dumps({"kind": "qa", "scorers": ["contains"], "models": models, "qa": table}))
    return load(space / "c.toml", Workspace(space))


def asked_of(loaded: Loaded) -> list[str]:
    """What the user's message says, sample by sample."""
    texts: list[str] = []

    def answer(call: Any) -> Reply:
        texts.append(call.messages[-1].content)
        return Reply(call, "ok", text="?")

    for sample in loaded.evaluation.samples():
        loaded.evaluation.driven(sample, answer)
    return texts


def shown_in(text: str, texts: Mapping[str, str] = TEXTS) -> set[str]:
    """The documents whose words stand in a text."""
    return {name for name, words in texts.items() if words in text}


def not_shown(loaded: Loaded) -> list[str]:
    return [each for each in loaded.notes if "models are not shown" in each]


def begun(space: Path, set_name: str = "set") -> tuple[str, Loaded]:
    """The short form of a set: what it says, and its config loaded."""
    made = short_config(Workspace(space), KINDS["qa"], [str(space / set_name)], ["sim-scholar"], [], "", [], ColumnChoices())
    return made.chosen, complete(made.file, Workspace(space), sends=False)


def test_a_question_that_names_no_documents_is_shown_all_of_its_folder(tmp_path: Path) -> None:
    """By the short form, which names them, and in a config whose prompt has their slot; a run on file asks the same."""
    folder_of(tmp_path)
    chosen, short = begun(tmp_path)
    by_hand = config_of(tmp_path, SHOWS)
    prepare(by_hand, tmp_path / "runs" / "one", lambda text: text, [])
    again = load(tmp_path / "runs" / "one" / "config.toml", Workspace(tmp_path))
    bare = config_of(tmp_path, [{"name": "p"}])

    assert "2 documents of the folder (log.txt, well.txt)" in chosen
    for loaded in (short, by_hand, bare):
        assert [shown_in(text) for text in asked_of(loaded)] == [{*TEXTS}, {*TEXTS}]
        assert any("shown to models: 2 documents (log.txt, well.txt)" in each for each in loaded.notes)
        assert not not_shown(loaded)
    assert asked_of(again) == asked_of(by_hand)


@pytest.mark.parametrize("suffix", ["", ".txt"])
def test_a_question_is_shown_the_documents_that_it_names_alone(suffix: str, tmp_path: Path) -> None:
    """By their ids, as in a panel, or by their files' names."""
    folder_of(tmp_path, SCOPED.replace("well.txt", f"well{suffix}"))

    for loaded in (begun(tmp_path)[1], config_of(tmp_path, SHOWS)):
        assert [shown_in(text) for text in asked_of(loaded)] == [{"log.txt"}, {"well.txt"}]


def test_documents_that_are_not_shown_are_told_with_the_key(tmp_path: Path) -> None:
    """In the dry run and at the start of a run, wherever the config is wrong: no slot, and no key."""
    folder_of(tmp_path)
    loaded = config_of(tmp_path, BLIND)

    assert [shown_in(text) for text in asked_of(loaded)] == [set(), set()]
    (told,) = not_shown(loaded)
    assert told.startswith("qa.documents: ") and "2 documents (log.txt, well.txt)" in told
    assert 'documents = "documents"' in told and "{documents}" in told
    with pytest.raises(ConfigError, match=r"log\.txt: neither an image nor a PDF; put a slot"):
        config_of(tmp_path, BLIND, documents="documents")


def test_a_folder_without_documents_has_nothing_to_tell(tmp_path: Path) -> None:
    folder_of(tmp_path, texts={})

    assert config_of(tmp_path, BLIND).notes == () and begun(tmp_path)[1].notes == ()


def test_many_documents_are_shown_where_a_person_says_so(tmp_path: Path) -> None:
    """More than a panel takes cost more than anybody expects: then the short form leaves them out, and says so."""
    texts = {f"t{n}.txt": f"Text {n}." for n in range(11)}
    folder_of(tmp_path, texts=texts)
    chosen, short = begun(tmp_path)

    assert "documents" not in chosen and len(not_shown(short)) == 1
    assert shown_in(asked_of(short)[0], texts) == set()
    assert shown_in(asked_of(config_of(tmp_path, SHOWS))[0], texts) == {*texts}


def test_of_a_list_that_is_named_by_itself_the_table_names_the_documents(tmp_path: Path) -> None:
    """As in a panel: what lies beside it may be anything, and is not sent."""
    folder_of(tmp_path)
    alone = config_of(tmp_path, SHOWS, "set/Questions.md")
    listed = config_of(tmp_path, SHOWS, "set/Questions.md", files=["set/log.txt"])

    assert [shown_in(text) for text in asked_of(alone)] == [set(), set()]
    assert [shown_in(text) for text in asked_of(listed)] == [{"log.txt"}, {"log.txt"}]


def test_a_document_that_is_not_there_is_an_error_by_its_name(tmp_path: Path) -> None:
    folder_of(tmp_path, SCOPED.replace("Documents: log", "Documents: diary"))

    with pytest.raises(ConfigError, match="document 'diary': there is no such file beside set"):
        config_of(tmp_path, SHOWS)


def test_what_is_deselected_needs_no_documents(tmp_path: Path) -> None:
    """Of a set of the workspace: the documents of the questions that are asked are read, and no others."""
    folder = folder_of(tmp_path / "datasets", SCOPED)
    first = config_of(tmp_path, SHOWS)
    gone = next(iter(first.evaluation.samples())).doc_id
    note(Workspace(tmp_path), folder.name, lambda noted: Noted(noted.source, frozenset({gone})))
    second = config_of(tmp_path, SHOWS)

    assert [shown_in(text) for text in asked_of(second)] == [{"well.txt"}]
    assert [file.name for file in second.provenance if file.role == "document"] == ["well.txt"]


def test_an_answer_for_one_document_counts_where_that_one_is_shown(tmp_path: Path) -> None:
    """A question of one document has its answer; where it is asked of several at once, that is left out, and told."""
    own = (
        "1. Who?\n   Answer: Oda\n   Answer (well): Wren\n2. Who?\n   Answer: Oda\n   Answer (well): Wren\n   Documents: well\n"
    )
    folder_of(tmp_path, own)
    loaded = config_of(tmp_path, SHOWS)
    task = loaded.evaluation.task

    assert isinstance(task, QaTask)
    assert [row.truth for row in task.rows] == ["Oda", "Wren"]
    assert any("answers for single documents (1 question) are compared with nothing" in each for each in loaded.notes)
