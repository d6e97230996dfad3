"""Notes about sets of questions, kept beside them: where each came from, which questions were left out, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_text_file
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import toml_of

FILE = "datasets.toml"
LONGEST_REASON = 200
"""Characters of what is kept of a reason."""
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Noted:
    """Notes about one set."""

    source: str = ""
    """Where it came from; nothing where a person put it there by hand."""
    left_out: frozenset[str] = frozenset()
    """Ids of the questions that are not selected."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why some of these are not, by their ids."""

    def changed(self, changes: Mapping[str, bool], reasons: Mapping[str, str]) -> Noted:
        """Select questions (True) or leave them out, and keep why; of what is selected again the reason is forgotten."""
        left_out = (self.left_out - changes.keys()) | {name for name, selected in changes.items() if not selected}
        all_reasons = {
            **self.reasons,
            **{name: one_line(text, LONGEST_REASON) for name, text in reasons.items() if text.strip()},
        }
        return replace(self, left_out=left_out, reasons={name: text for name, text in all_reasons.items() if name in left_out})

    def renamed(self, ids: Mapping[str, str]) -> Noted:
        """Return the same with other ids; of an id that is not in `ids` nothing is kept."""
        return replace(
            self,
            left_out=frozenset(ids[name] for name in self.left_out if name in ids),
            reasons={ids[name]: text for name, text in self.reasons.items() if name in ids},
        )


def notes(workspace: Workspace) -> dict[str, Noted]:
    """Return the notes by the name of the set's file or folder. ConfigError where the file cannot be read."""
    return _read(workspace.models_file.parent / FILE, workspace.root)


def note(workspace: Workspace, name: str, change: Callable[[Noted], Noted | None], also: str = "") -> None:
    """Change what is noted about a set; None forgets it. `also`: another name it had, which is forgotten.

    ConfigError where it cannot be written down.
    """
    with private_folder(workspace) as folder:
        entries = _read(folder / FILE, workspace.root)
        before = entries.pop(also or name, Noted())
        entries.pop(name, None)
        after = change(before)
        if after is not None and after != Noted():
            entries[name] = after
        try:
            replace_file(folder / FILE, _notes_toml(entries), within=workspace.root)
        except UnicodeEncodeError:
            raise ConfigError(f"{one_line(name, 60)}: the name is not valid text; rename the file first") from None


def _read(file: Path, within: Path) -> dict[str, Noted]:
    try:
        content = toml_of(read_text_file(file, MOST_BYTES, within))
        return {name: _noted(table) for name, table in content.get("sets", {}).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        why = one_line(getattr(error, "strerror", None) or str(error), 100)
        raise ConfigError(f"{file}: cannot be read ({why}); fix it, or delete it to select everything") from None


def _noted(table: Any) -> Noted:
    source, left_out, reasons = table.get("source", ""), table.get("left_out", []), table.get("reasons", {})
    if not isinstance(source, str) or not all(isinstance(name, str) for name in left_out):
        raise ValueError("source must be text, left_out a list of texts")
    if not isinstance(reasons, dict) or not all(isinstance(text, str) for text in reasons.values()):
        raise ValueError("reasons must be texts by the ids of questions")
    return Noted(source, frozenset(left_out), {name: text for name, text in reasons.items() if name in left_out})


def _notes_toml(entries: Mapping[str, Noted]) -> str:
    sets = {name: _table(entry) for name, entry in sorted(entries.items())}
    head = "# written by tui-eval: where the sets in datasets/ came from, and the questions that are not selected\n"
    return head + tomli_w.dumps({"sets": sets})


def _table(entry: Noted) -> dict[str, Any]:
    reasons = {"reasons": dict(sorted(entry.reasons.items()))} if entry.reasons else {}
    return {"source": entry.source, "left_out": sorted(entry.left_out), **reasons}
