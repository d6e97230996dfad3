"""What the last check of each model found out, kept in .conf/checks.json: without keys, and only a memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_json_file
from tui_eval.workspace.private_files import private_folder, replace_file

FILE = "checks.json"
MOST_BYTES = 10_000_000
NOT_KEPT = ("days_left",)
"""What is not kept of a finding, since another day makes it another."""

Note = Mapping[str, Json]
"""A finding as tui-eval models check --json has it, with the time at which it was made ("checked_at", ISO 8601)."""


def notes_file(workspace: Workspace) -> Path:
    """Where they are kept."""
    return workspace.models_file.with_name(FILE)


def read_notes(workspace: Workspace) -> dict[str, Note]:
    """By the name of the model. Nothing where there is no such file, or one that cannot be read: it is only a memory."""
    path = notes_file(workspace)
    try:
        content = read_json_file(path, MOST_BYTES, workspace.root)
    except (OSError, ValueError):
        return {}
    notes = content.get("checks") if isinstance(content, dict) else None
    return {name: note for name, note in notes.items() if isinstance(note, dict)} if isinstance(notes, dict) else {}


def keep_notes(workspace: Workspace, findings: Sequence[Note], when: str, names: Sequence[str]) -> None:
    """Keep findings in the place of older ones about the same models, of the models of these names alone.

    `when`: ISO 8601. ConfigError where the file cannot be written.
    """
    fresh = {str(finding.get("name")): _note(finding, when) for finding in findings}
    with private_folder(workspace):
        notes = {**read_notes(workspace), **fresh}
        kept = {name: note for name, note in notes.items() if name in names}
        text = json.dumps({"checks": kept}, indent=1, ensure_ascii=True) + "\n"
        if len(text) > MOST_BYTES:
            raise ConfigError(f"{notes_file(workspace)}: would be larger than {MOST_BYTES // 1_000_000} MB; nothing was kept")
        replace_file(notes_file(workspace), text, within=workspace.root)


def _note(finding: Note, when: str) -> Note:
    return {"checked_at": when, **{key: value for key, value in finding.items() if key not in NOT_KEPT}}
