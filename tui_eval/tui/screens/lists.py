"""Models, datasets and prompts of the workspace as plain lists; Enter reads one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.widget import Widget

from tui_eval.catalogue import models_on_file
from tui_eval.config import ModelTable
from tui_eval.errors import TuiEvalError
from tui_eval.key_files import has_key
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page
from tui_eval.tui.run_files import MOST, RunFile, beginning, run_files
from tui_eval.tui.safe import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Column, Listed
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.table import Table
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count, size
from tui_eval.workspace import Workspace, shipped

NO_MODELS = """No models on file. Put one there from any terminal:

  tui-eval --add-model mini --set model=gpt-5-mini
  tui-eval --discover --add all        models of the servers on this machine
  tui-eval --import-models FILE        from registries of other tools

A config may name models of its own, and the simulator needs no key."""
NO_DATASETS = """No datasets in this workspace: files in its datasets/ folder are listed here.

A config names any file by its path; the examples bring their own:
  tui-eval --run quickstart
  tui-eval --run choice"""

BEGINNING = 1_000
"""Characters of a prompt that its row is made of."""
Entry = tuple[Sequence[Cell], Callable[[], str]]
"""A row, and what reads its text when it is opened."""


class ListScreen(Page):
    """A list, read anew when it is gone to; a row opens as a text."""

    COLUMNS: Sequence[Column] = ()
    EMPTY = ""
    BINDINGS = [bind("back", "back", "Back")]
    DEFAULT_CSS = """
    ListScreen Reading { display: none; }
    ListScreen.-reading Reading { display: block; }
    ListScreen.-reading Table { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """What is listed. TuiEvalError where it cannot be read."""
        raise NotImplementedError

    def parts(self) -> Iterable[Widget]:
        """What is said about the list, the list, and what is read."""
        yield Lines(id="about")
        yield Table(self.COLUMNS, id="list", empty=self.EMPTY)
        yield Reading()

    def on_screen_resume(self) -> None:
        """The list may have changed while one was elsewhere."""
        super().on_screen_resume()
        about = self.query_one("#about", Lines)
        try:
            self._entries = self.entries(self.eval_app.workspace)
        except (TuiEvalError, OSError) as error:
            self._entries = ()
            about.say((safe_line(str(error)), "bad"))
        else:
            about.say(*self.about(self.eval_app.workspace))
        self.query_one(Table).show(Listed([cells for cells, _ in self._entries]))

    def about(self, workspace: Workspace) -> Sequence[Piece]:
        """A line above the list."""
        return [(f"{len(self._entries)} listed", "dim")]

    def on_table_opened(self, event: Table.Opened) -> None:
        """Read the row's text."""
        reading = self.query_one(Reading)
        text = self._entries[event.row][1]()
        paragraphs: list[Paragraph] = [(safe(text[:LONGEST_TEXT]), "")]
        reading.show(paragraphs)
        self.add_class("-reading")
        reading.focus()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a way back only from a text."""
        return self.has_class("-reading") if action == "back" else True

    def action_back(self) -> None:
        """Back to the list."""
        self.remove_class("-reading")
        self.query_one(Table).focus()
        self.refresh_bindings()


class ModelsScreen(ListScreen):
    """The models on file."""

    MODE = "models"
    EMPTY = NO_MODELS
    COLUMNS = (
        Column("name", 12, share=2),
        Column("wire", 11),
        Column("model", 14, share=3),
        Column("in use", 7),
        Column("key", 14, share=1),
        Column("$ in/out per M", 14, right=True),
        Column("status", 11, above=99),
    )

    def about(self, workspace: Workspace) -> Sequence[Piece]:
        """Where the models stand, and how they are changed."""
        return [(f"{len(self._entries)} models in .conf/models.toml; --add-model and --edit-model change them", "dim")]

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Every model, with whether its key is there."""
        return [(model_cells(table, workspace), partial(model_text, table)) for table, _ in models_on_file(workspace).values()]


def model_cells(table: ModelTable, workspace: Workspace) -> Sequence[Cell]:
    """A model as a row; never a key, only whether it is there."""
    price = table.price
    return [
        safe_line(table.name),
        safe_line(table.wire),
        safe_line(table.model),
        ("✓ yes", "good") if table.enabled else ("– no", "dim"),
        _key(table, workspace),
        f"{price.input:g} / {price.output:g}" if price else ("not on file", "dim"),
        safe_line(table.status),
    ]


def _key(table: ModelTable, workspace: Workspace) -> Cell:
    if not table.api_key_env:
        return "-", "dim"
    found = has_key(table.api_key_env, [workspace.env_file])
    return ("✓ found", "good") if found else (f"✗ {safe_line(table.api_key_env, 40)}", "bad")


def model_text(table: ModelTable) -> str:
    """A model's settings, one a line."""
    return "\n".join(f"{name:<24}{value}" for name, value in _flat(table.model_dump(exclude_none=True)))


def _flat(settings: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, str]]:
    """Settings by their dotted names, as --edit-model writes them."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, json.dumps(value, ensure_ascii=False)


class DatasetsScreen(ListScreen):
    """Files of the workspace's datasets folder."""

    MODE = "datasets"
    EMPTY = NO_DATASETS
    COLUMNS = (Column("file", 24, share=3), Column("size", 9, right=True), Column("folder", 16, share=2))

    def about(self, workspace: Workspace) -> Sequence[Piece]:
        """How many, and whether these are all."""
        more: Piece = (f"; there may be more than {count(MOST)}", "warn") if len(self._entries) >= MOST else ""
        return [*super().about(workspace), more]

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Every file, by folder and name; what is no regular file, or vanishes while one looks, is left out."""
        return [(dataset_cells(file), partial(_text_of, file.path)) for file in run_files(workspace.root / "datasets")]


def dataset_cells(file: RunFile) -> Sequence[Cell]:
    """A file as a row, with its folder as one would write it."""
    name = Path(file.name)
    return [safe_line(name.name), size(file.size), (safe_line(Path("datasets") / name.parent), "dim")]


class PromptsScreen(ListScreen):
    """Shipped prompts, and the workspace's own that stand in their place."""

    MODE = "prompts"
    COLUMNS = (Column("kind", 10), Column("prompt", 18, share=1), Column("whose", 10), Column("begins", 24, share=3))

    def about(self, workspace: Workspace) -> Sequence[Piece]:
        """How a prompt is changed."""
        return [("a file prompts/KIND/NAME.md of your own stands in a shipped one's place", "dim")]

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Every prompt of every kind."""
        own, ours = workspace.root / "prompts", shipped("prompts")
        names = {path.relative_to(folder) for folder in (own, ours) for path in folder.glob("*/*.md")}
        return [_prompt(name, own, ours) for name in sorted(names)]


def _prompt(name: Path, own: Path, ours: Path) -> Entry:
    mine = (own / name).is_file()
    path = ((own if mine else ours) / name).resolve()
    whose: Cell = ("own", "accent") if mine else ("shipped", "dim")
    return [safe_line(name.parent), safe_line(name.stem), whose, (safe_line(_text_of(path, BEGINNING), 200), "dim")], partial(
        _text_of, path
    )


def _text_of(path: Path, most: int = LONGEST_TEXT) -> str:
    """A file's beginning as text, or why it cannot be read."""
    try:
        return beginning(path, most)[0]
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
