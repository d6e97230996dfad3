"""What the list of models is read from, and what is said about the whole of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from tui_eval.configuring.drafting.problems import mark_of
from tui_eval.core.plaintext import counted
from tui_eval.models.check_notes import Note, notes_file, read_notes
from tui_eval.models.listing import ModelList, listed_models
from tui_eval.models.prices import prices_file
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.lines import Piece
from tui_eval.workspace.places import Workspace

NO_MODELS = """No models on file yet.

  a   add one; for most, a name and the provider's id (gpt-5-mini) will do
  d   discover the model servers that run on this machine
  i   import the registry of another tool

The examples bring simulated models of their own, which need no key."""
NOT_READ = """The models on file cannot be read; what is wrong stands below.

  e   opens .conf/models.toml here, at the mistake"""
NONE_LEFT = "No model has these words; Esc or Backspace clears the filter."


def marks(workspace: Workspace) -> object:
    """Something that is another as soon as a file that the list is read from is, or the day."""
    files = (workspace.models_file, prices_file(workspace), workspace.env_file, notes_file(workspace))
    return tuple(map(mark_of, files)), date.today()


def read(workspace: Workspace) -> tuple[ModelList, dict[str, Note]]:
    """The models on file and what their last checks found out; what cannot be read is told."""
    try:
        return listed_models(workspace), read_notes(workspace)
    except OSError as error:
        return ModelList((), (f"{error.filename}: cannot be read: {error.strerror}",)), {}


def line_named(problems: Sequence[str]) -> int:
    """The line that a mistake in a file names; 0 = none does."""
    found = re.search(r"line ([0-9]{1,9})\b", problems[0]) if problems else None
    return int(found.group(1)) if found else 0


def about(found: ModelList, shown: int, words: str, asking: int) -> list[Piece]:
    """How many models there are, how many of them cannot be asked, and what is wrong with the files."""
    if found.problems:
        return [(f"✗ {safe_line(found.problems[0], 300)}", "bad")]
    known = counted(len(found.entries), "model")
    pieces: list[Piece] = [(f"{shown} of {known}" if words else known, "dim")]
    missing = sum(entry.key_is_set is False for entry in found.entries)
    wrong = sum(entry.table is None for entry in found.entries)
    pieces += [(f"   {wrong} with a mistake: no run starts before it is mended (Enter)", "bad")] if wrong else []
    pieces += [(f"   {missing} without a key", "warn")] if missing else []
    pieces += [(f"   asking {asking} …", "accent")] if asking else []
    return [*pieces, ("   prices: USD per million tokens, in / out", "dim")] if found.entries else pieces
