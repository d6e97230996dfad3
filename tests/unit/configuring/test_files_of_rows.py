"""Laws of files that the samples of a set name: whoever wrote the set named them, and a person is told and asked of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_eval.configuring.drafting.from_columns import ColumnChoices
from tui_eval.configuring.drafting.new_configs import short_config
from tui_eval.configuring.egress import egress_problem
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.errors import ConfigError
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_keys import name_secret_files

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nMIIEow\n-----END OPENSSH PRIVATE KEY-----\n"


def begun(kind: str, folder: Path, rows: list[dict[str, Any]], files: list[str]) -> tuple[str, Loaded]:
    """The short form of a set in a folder with these files, made in the workspace beside it: what it says, and the config
    loaded for a real model, which nothing is sent to."""
    folder.mkdir(exist_ok=True)
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"The harbour of {name} was flooded.")
    path = folder / "set.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    space = Workspace(folder.parent / "own")
    space.root.mkdir(exist_ok=True)
    judges = ["openai/gpt-5-mini"] if kind == "chat" else []
    made = short_config(space, KINDS[kind], [str(path)], ["openai/gpt-5-mini"], judges, "", [], ColumnChoices())
    return made.chosen, complete(made.file, space, sends=False)


def row(name: str) -> dict[str, Any]:
    """A question about a file."""
    return {"question": f"What of {name}?", "answer": "Oda", "document": name}


@pytest.mark.parametrize("kind", ["qa", "chat"])
def test_a_set_from_elsewhere_has_no_file_sent_unasked(kind: str, tmp_path: Path) -> None:
    """The set is what the command names; each file that a row names is asked about by its path, and told before."""
    chosen, loaded = begun(kind, tmp_path / "downloads", [row("tax.txt"), row("b.txt")], ["tax.txt", "b.txt", "c.txt"])
    named = [str(tmp_path / "downloads" / name) for name in ("b.txt", "tax.txt")]

    assert loaded.egress.files == (str(tmp_path / "downloads" / "set.jsonl"),)
    assert sorted({one.real for one in loaded.egress.outside}) == named
    problem = egress_problem(loaded.egress, loaded.file, Workspace(tmp_path / "own"))
    assert problem is not None and all(name in str(problem) for name in named)
    told = "2 files that samples name (tax.txt, b.txt)"
    assert any(told in note for note in loaded.notes)
    assert kind != "qa" or told in chosen


@pytest.mark.parametrize("kind", ["qa", "chat"])
def test_a_set_of_the_workspace_is_asked_as_ever(kind: str, tmp_path: Path) -> None:
    """What lies in a person's own folder is theirs; it is told all the same."""
    _, loaded = begun(kind, tmp_path / "own", [row("tax.txt")], ["tax.txt"])

    assert loaded.egress.outside == () and "tax.txt" in loaded.egress.files
    assert any("1 file that samples name (tax.txt)" in note for note in loaded.notes)


@pytest.mark.parametrize("kind", ["qa", "chat"])
@pytest.mark.parametrize("place", ["own", "downloads"])
@pytest.mark.parametrize("name", [".aws/credentials.txt", "sub/.hidden.txt", ".netrc"])
def test_a_hidden_file_is_refused(kind: str, place: str, name: str, tmp_path: Path) -> None:
    """Wherever the set lies: people keep there what they show to nobody."""
    (tmp_path / place / "sub").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"is hidden beside set.jsonl: .* copy it under another name"):
        begun(kind, tmp_path / place, [row("a.txt"), row(name)], ["a.txt", name])


def test_a_link_to_a_hidden_file_is_refused(tmp_path: Path) -> None:
    """A name that is not hidden stands for nothing that is."""
    (tmp_path / "own" / ".aws").mkdir(parents=True)
    (tmp_path / "own" / ".aws" / "key.txt").write_text("hidden")
    (tmp_path / "own" / "a.txt").symlink_to(".aws/key.txt")
    with pytest.raises(ConfigError, match="is a link to a file that is hidden"):
        begun("qa", tmp_path / "own", [row("a.txt")], [])


@pytest.mark.parametrize("kind", ["qa", "chat"])
def test_a_private_key_in_a_file_of_a_row_is_told_by_that_file(kind: str, tmp_path: Path) -> None:
    """With the option that lets that very file be sent; then it is, and no other one that has a key."""
    folder, told = tmp_path / "own", "looks like a private key, and is not sent; to send it anyway: --allow"
    folder.mkdir()
    (folder / "id.txt").write_text(KEY)
    with pytest.raises(ConfigError, match=rf"{folder / 'id.txt'}: {told}-secret-file {folder / 'id.txt'}"):
        begun(kind, folder, [row("a.txt"), row("id.txt")], ["a.txt"])

    name_secret_files([folder / "id.txt"])
    begun(kind, folder, [row("a.txt"), row("id.txt")], ["a.txt"])
    with pytest.raises(ConfigError, match=rf"{folder / 'set.jsonl'}: {told}-secret-file {folder / 'set.jsonl'}"):
        begun(kind, folder, [row("a.txt"), {**row("id.txt"), "question": f"What of {KEY}?"}], ["a.txt"])
