"""Laws of prompts on file: what a person wrote is never lost, and never used where a run would not take it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.configuring.prompt_files import checker, keep, prompt_file, prompt_files, restore
from tui_eval.core.errors import ConfigError
from tui_eval.core.text_differences import changed_lines, difference
from tui_eval.evaluation.scorers import SCORING_PROMPTS
from tui_eval.kinds import KINDS
from tui_eval.reading.prompts import check_slots
from tui_eval.workspace.places import MOST_PROMPT_BYTES, Workspace

USER = "{question} {document}"


def own(root: Path, text: str | bytes, name: str = "doer_user", kind: str = "panel") -> Path:
    """An own prompt, written by hand."""
    path = root / "prompts" / kind / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_every_prompt_of_every_kind_is_listed(tmp_path: Path) -> None:
    """In an empty workspace all are shipped, none has a problem, and each shipped text has its slots."""
    found = prompt_files(Workspace(tmp_path))

    every = {**{kind.name: kind.prompts for kind in KINDS.values()}, "scoring": SCORING_PROMPTS}
    assert [(p.kind, p.name) for p in found] == [(folder, name) for folder, prompts in every.items() for name in prompts]
    assert {p.whose for p in found} == {"shipped"}
    assert all("{" + slot + "}" in (p.shipped or "") for p in found for slot in p.slots)
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_what_runs_use(tmp_path: Path) -> None:
    """A kept prompt is the workspace's own from then on, private, and listed as own; restored, the shipped one holds again."""
    workspace = Workspace(tmp_path)
    shipped = workspace.prompt("panel", "doer_user")[0]

    path = keep(workspace, "panel", "doer_user", f"Frage: {USER}\n\n", None)

    assert workspace.prompt("panel", "doer_user") == (f"Frage: {USER}", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert prompt_file(workspace, "panel", "doer_user").whose == "own"
    aside = restore(workspace, "panel", "doer_user")
    assert aside is not None and aside.read_text() == f"Frage: {USER}\n"
    assert workspace.prompt("panel", "doer_user")[0] == shipped
    assert restore(workspace, "panel", "doer_user") is None


def test_nothing_written_is_lost_by_restoring_twice_in_a_second(tmp_path: Path) -> None:
    """Every text that was ever the own one still lies beside it."""
    workspace = Workspace(tmp_path)
    for n in range(3):
        keep(workspace, "panel", "doer_system", f"text {n}", None)
        restore(workspace, "panel", "doer_system")

    texts = {path.read_text() for path in (tmp_path / "prompts" / "panel").iterdir()}
    assert texts == {"text 0\n", "text 1\n", "text 2\n"}
    assert {p.whose for p in prompt_files(workspace)} == {"shipped"}


def test_the_same_text_is_told_apart_from_another(tmp_path: Path) -> None:
    """A copy of the shipped prompt is no change, whatever white space stands at its ends."""
    workspace = Workspace(tmp_path)
    own(tmp_path, "\n" + workspace.prompt("panel", "judge_user")[0] + "\n\n", "judge_user")

    assert prompt_file(workspace, "panel", "judge_user").whose == "own, same as shipped"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{question}\n\nsee {docment}", ["no {document}", "line 3 has {docment}", "is {document} meant?"]),
        ("nothing at all", ["no {question}, {document}"]),
        (b"a\nb\nc\xff", ["line 3", "not UTF-8"]),
        (b"x" * (MOST_PROMPT_BYTES + 1), ["longer than 16 MB"]),
    ],
)
def test_a_broken_prompt_says_what_to_mend_and_where(text: str | bytes, words: list[str], tmp_path: Path) -> None:
    """It is listed as broken, with the line; a run refuses it, too; the file stays as it is."""
    path = own(tmp_path, text)

    found = prompt_file(Workspace(tmp_path), "panel", "doer_user")

    with pytest.raises(ConfigError):
        check_slots("doer_user", Workspace(tmp_path).prompt("panel", "doer_user")[0], found.slots)

    assert found.whose == "own, broken"
    assert all(word in found.problem for word in words)
    assert path.read_bytes() == (text.encode() if isinstance(text, str) else text)


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    """A folder, a pipe or a link that leads nowhere in a prompt's place is named; nothing waits for it, nothing replaces it."""
    folder = tmp_path / "prompts" / "panel"
    (folder / "doer_user.md").mkdir(parents=True)
    os.mkfifo(folder / "judge_user.md")
    (folder / "final_user.md").symlink_to(tmp_path / "nowhere")

    found = {p.name: p for p in prompt_files(Workspace(tmp_path))}

    for name in ("doer_user", "judge_user", "final_user"):
        assert found[name].whose == "own, broken" and found[name].problem
        with pytest.raises(ConfigError, match=re.escape(found[name].problem)):  # a run does as the list says
            Workspace(tmp_path).prompt("panel", name)
    with pytest.raises(ConfigError, match="is a folder, not a regular file; move it away"):
        keep(Workspace(tmp_path), "panel", "doer_user", USER, None)


@pytest.mark.parametrize(("before", "now"), [(None, "theirs"), ("mine", "theirs"), ("mine", None)])
def test_what_another_program_wrote_meanwhile_stays(before: str | None, now: str | None, tmp_path: Path) -> None:
    """A prompt that is another than it was read is not written, whether it came, changed or went."""
    if now is not None:
        own(tmp_path, now, "doer_system")
    with pytest.raises(ConfigError, match="by another program meanwhile; nothing was written"):
        keep(Workspace(tmp_path), "panel", "doer_system", "new", before)
    assert prompt_file(Workspace(tmp_path), "panel", "doer_system").own == now


def test_what_no_kind_uses_is_listed_with_what_may_be_meant(tmp_path: Path) -> None:
    """A misspelt folder, a misspelt name, a file beside the folders."""
    own(tmp_path, "a", "doer_user", "pannel")
    own(tmp_path, "b", "doer_usr")
    (tmp_path / "prompts" / "judge_user.md").write_text("c")

    strange = [p for p in prompt_files(Workspace(tmp_path)) if p.shipped is None]

    assert len(strange) == 3 and {p.whose for p in strange} == {"own, broken"}
    problems = " / ".join(p.problem for p in strange)
    assert "did you mean 'panel'" in problems and "did you mean 'doer_user'" in problems and "prompts/KIND/NAME.md" in problems
    assert {p.own for p in strange} == {"a", "b", "c"}


def test_a_word_in_braces_that_is_no_slot_is_a_problem(tmp_path: Path) -> None:
    """A run would refuse it, so that the list of prompts does; what is a slot of other prompts is noted."""
    own(tmp_path, f"{USER}\n\nlike {{this}}")
    found = prompt_file(Workspace(tmp_path), "panel", "doer_user")
    assert found.whose == "own, broken" and found.problem.startswith(
        "line 3 has {this}, which is not a slot; slots are {answer}"
    )

    own(tmp_path, f"{USER}\n\nlike {{truth}}")
    found = prompt_file(Workspace(tmp_path), "panel", "doer_user")
    assert found.whose == "own" and found.notes == (
        "line 3: {truth} is a slot of other prompts; a prompt that has no such slot sends it as text",
    )


@pytest.mark.parametrize(
    ("kind", "name"), [("panel", "../secret"), ("..", "x"), ("call", "x"), ("panel", ""), ("", "doer_user")]
)
def test_only_prompts_of_kinds_are_written(kind: str, name: str, tmp_path: Path) -> None:
    """No name leads anywhere else; nothing is made."""
    for deed in (lambda: keep(Workspace(tmp_path), kind, name, "x", None), lambda: restore(Workspace(tmp_path), kind, name)):
        with pytest.raises(ConfigError):
            deed()
    assert list(tmp_path.iterdir()) == []


def test_no_key_gets_into_a_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that holds a key's value is refused, and its refusal does not show it."""
    monkeypatch.setenv("SOME_API_KEY", "sk-planted-0123456789")
    check = checker(Workspace(tmp_path), "panel", "doer_system")

    assert check("Be brief.") == ""
    assert "value of one of your keys" in check("Use sk-planted-0123456789.")
    with pytest.raises(ConfigError) as caught:
        keep(Workspace(tmp_path), "panel", "doer_system", "Use sk-planted-0123456789.", None)
    assert "planted" not in str(caught.value) and not (tmp_path / "prompts").exists()


LINES = st.lists(st.sampled_from(["a", "b", "{c}", "", "-x", "+y", "@@ -1 +1 @@", "--- z"]), max_size=8).map("\n".join)


@few
@given(LINES, LINES)
def test_a_difference_holds_every_line_that_is_another(before: str, after: str) -> None:
    """Lines of one text alone stand in it behind - or +, and none does where the texts are the same."""
    found = difference(before, after)

    gone, new = ([line[1:] for line in found if line[:1] == sign] for sign in "-+")
    old_lines, new_lines = before.strip().splitlines(), after.strip().splitlines()
    assert len(old_lines) - len(gone) == len(new_lines) - len(new)
    assert set(old_lines) - set(new_lines) <= set(gone) and set(new_lines) - set(old_lines) <= set(new)
    assert (found == []) == (old_lines == new_lines)
    assert (changed_lines(before, after) == 0) == (before.split("\n") == after.split("\n"))
