"""Every prompt of every kind: whose text is used, which slots it has, how it begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from textual.widget import Widget

from tui_eval.configuring.prompt_files import PromptFile, prompt_files
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Place, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.prompts.prompt_actions import WHOSE, PromptPage, slots_of
from tui_eval.tui.screens.prompts.prompt_screen import PromptScreen
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable


def _beginning(prompt: PromptFile) -> Cell:
    if prompt.problem:
        return f"✗ {safe_line(prompt.problem, 200)}", "bad"
    return safe_line(prompt.text_in_use.strip()[:400], 200), "dim"


COLUMNS: Sequence[Column[PromptFile]] = (
    Column("kind", 8, lambda prompt: safe_line(prompt.kind or "-", 40)),
    Column("prompt", 15, lambda prompt: safe_line(prompt.name, 80), share=1),
    Column("whose", 13, lambda prompt: WHOSE[prompt.whose]),
    Column("slots it must have", 20, lambda prompt: slots_of(prompt) or "none", share=2, field="slots"),
    Column("begins", 18, _beginning, share=3),
)


class PromptsScreen(PromptPage, Place, SortableList[PromptFile]):
    """The list of prompts, read anew when it is gone to."""

    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("back", "back", "Clear the filter, or go back", show=False),
        bind("app.leave", "leave", "Quit", tooltip="Back to where one came from, else quit; runs go on by themselves"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.view = ListView(COLUMNS, lambda prompt: prompt.text_in_use)
        self._all: Sequence[PromptFile] = ()

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the prompts, the list, the filter."""
        yield Lines(id="about")
        yield RowTable(COLUMNS, id="list")
        yield FilterLine(self.view.help_words(), id="filter")

    def on_screen_resume(self) -> None:
        """The files may have changed while one was elsewhere."""
        self.reread()

    def reread(self) -> None:
        """Read all prompts, in the background."""
        beside(self, partial(prompt_files, self.eval_app.workspace), self._show_all, group="list")

    def _show_all(self, prompts: Sequence[PromptFile]) -> None:
        self._all = prompts
        self.show_list()

    def entries(self) -> Sequence[PromptFile]:
        """All prompts."""
        return self._all

    def show_list(self) -> None:
        """Draw the prompts that are asked for; the cursor stays on its own."""
        self.list_entries("" if self._all else "reading …")
        self.query_one("#about", Lines).say(*self._about())
        self.refresh_bindings()

    def _about(self) -> Iterable[Piece]:
        n = Counter(prompt.whose for prompt in self._all)
        of = f"{len(self.listed)} of " if len(self.listed) < len(self._all) else ""
        pieces: list[Piece] = [(f"{of}{len(self._all)} prompts", "accent" if of else "")]
        pieces.append(f"  {n['own'] + n['own, same as shipped'] + n['own, broken']} of your own")
        if n["own, broken"]:
            pieces.append((f"  {n['own, broken']} of them broken", "bad"))
        return [*pieces, ("  i makes one of your own, in the prompts/ folder of the workspace", "dim")]

    def chosen(self) -> PromptFile | None:
        """The prompt under the cursor."""
        return self.current

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Read the prompt in full."""
        self._open(difference=False)

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Other keys work for another prompt."""
        self.refresh_bindings()

    def action_difference(self) -> None:
        """Show the difference of the own text."""
        self._open(difference=True)

    def _open(self, difference: bool) -> None:
        prompt = self.chosen()
        if prompt is not None:
            self.app.push_screen(PromptScreen(prompt, difference))
