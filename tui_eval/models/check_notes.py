"""Checks of models on file: their size in requests and cost, and a note of each outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.money import IMAGE_TOKENS, MICRO, dearest_price
from tui_eval.models.destinations import Destination, destinations
from tui_eval.models.listing import ModelEntry
from tui_eval.models.model_selection import with_defaults
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_json_file
from tui_eval.workspace.private_files import private_folder, replace_file

USUAL_QUESTIONS = 3
"""The tiny question alone, with a JSON schema, with an image."""
MOST_QUESTIONS = 14
"""The first one again without each of four parameters that a server refuses, and each once more where a connection was lost."""
QUESTION_TOKENS = 400
"""More than a question without an image comes to."""
REPLY_TOKENS = 256
WITH_IMAGE = 2
"""How many of the questions have an image at most."""


@dataclass(frozen=True, slots=True)
class CheckSize:
    """Size of a check: what it would send to models that are not simulated."""

    models: tuple[str, ...]
    max_cost_usd: float | None
    """None = not known of every model."""
    goes: tuple[Destination, ...]


def check_size(entries: Iterable[ModelEntry], workspace: Workspace) -> CheckSize:
    """Of these models on file those that are real; what has a mistake is asked nothing.

    ConfigError where the user's price list cannot be read.
    """
    real = [entry for entry in entries if entry.table is not None and entry.wire and not entry.simulated]
    costs = [_most(entry) for entry in real]
    tables = [
        with_defaults(entry.table.model_copy(update={"wire": entry.wire}), workspace)
        for entry in real
        if entry.table is not None and not entry.needs_address and not entry.wire_problem
    ]
    cost = None if None in costs else sum(filter(None, costs))
    return CheckSize(tuple(entry.name for entry in real), cost, tuple(destinations(tables, [workspace.env_file])))


def _most(entry: ModelEntry) -> float | None:
    if entry.price is None:
        return None
    price = dearest_price(entry.price.price())
    limit = (entry.table.max_output_tokens if entry.table is not None else None) or REPLY_TOKENS
    prompts = MOST_QUESTIONS * QUESTION_TOKENS + WITH_IMAGE * IMAGE_TOKENS
    return (prompts * max(price.input, price.cache_write or 0.0) + MOST_QUESTIONS * limit * price.output) / MICRO


FILE = "checks.json"
MOST_BYTES = 10_000_000
NOT_KEPT = ("days_left",)
"""What is not kept of a finding, since another day makes it another."""

Note = Mapping[str, Json]
"""A finding as tui-eval models check --json has it, with the time at which it was made ("checked_at", ISO 8601)."""


def notes_file(workspace: Workspace) -> Path:
    """Return the file of the notes."""
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
        notes_to_keep = {name: note for name, note in notes.items() if name in names}
        text = json.dumps({"checks": notes_to_keep}, indent=1, ensure_ascii=True) + "\n"
        if len(text) > MOST_BYTES:
            raise ConfigError(f"{notes_file(workspace)}: would be larger than {MOST_BYTES // 1_000_000} MB; nothing was kept")
        replace_file(notes_file(workspace), text, within=workspace.root)


def _note(finding: Note, when: str) -> Note:
    return {"checked_at": when, **{key: value for key, value in finding.items() if key not in NOT_KEPT}}
