"""Screens and parts with a list and an inspector beside it: the keys of both, and what goes from one to the other."""

from __future__ import annotations

from typing import cast

from textual.widget import Widget

from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page, host
from tui_eval.tui.screens.dialogs.saving import in_pager, save_text
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Split
from tui_eval.tui.widgets.table import RowTable


class Inspecting(Widget):
    """A list with an inspector, behind its own base class; both stand in a `Split`."""

    BINDINGS = [
        bind("pane.zoom", "zoom", "Zoom", show=False, tooltip="The pane that has the keys alone, or both again"),
        bind(
            "record.whole", "whole", "All of it", show=False, tooltip="Long texts, thinking and raw JSON in full, or in short"
        ),
        bind("record.copy", "copy", "Copy", show=False, tooltip="Copy what is said of the entry as text"),
        bind("record.write", "write", "Write", show=False, tooltip="Write it to a file, whose path is shown"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
    ]
    is_whole = False
    """Whether long texts are shown in full."""
    _seen_of_it: object = None

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what there is of the entry under the cursor, long texts in full where `whole`; None where there is no entry."""
        raise NotImplementedError

    def shown_dossier(self, whole: bool) -> Dossier | None:
        """Say what the inspector shows."""
        return self.dossier(whole)

    def walk_model(self, by: int) -> None:
        """Go to another model's answer to the same, where there are several."""

    @property
    def inspector(self) -> Inspector:
        """The inspector beside the list."""
        return self.query_one(Inspector)

    @property
    def inspected_list(self) -> RowTable:
        """The list."""
        return self.query_one(Split).query_one(RowTable)

    @property
    def in_inspector(self) -> bool:
        """Return whether the keys are in the inspector."""
        return self.inspector.has_focus_within

    def inspect(self, keep_place: bool = False) -> None:
        """Show the entry under the cursor."""
        self.inspector.show(self.shown_dossier(self.is_whole), keep_place)
        if self.inspector.dossier is None and self.in_inspector:
            self.to_list()

    def inspect_again(self, seen: object) -> None:
        """Show it anew where what is on file of it, by `seen`, is another."""
        if seen != self._seen_of_it:
            self._seen_of_it = seen
            self.inspect(keep_place=True)

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """The inspector follows the cursor."""
        self.inspect()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Go into the inspector."""
        event.stop()
        self.inspect()
        self.query_one(Split).remove_class("-alone")
        if self.inspector.dossier is not None:
            self.inspector.take_keys()

    def on_inspector_to_list(self, event: Inspector.ToList) -> None:
        """The keys go back to the list."""
        event.stop()
        self.to_list()

    def to_list(self) -> None:
        """Give the keys back to the list."""
        self.query_one(Split).remove_class("-zoom")
        self.screen.set_focus(self.inspected_list)

    def on_inspector_walk(self, event: Inspector.Walk) -> None:
        """Another model, or another entry."""
        event.stop()
        if event.way == "model":
            self.walk_model(event.by)
        else:
            self.inspected_list.action_step(event.by)

    def action_zoom(self) -> None:
        """The pane that has the keys alone; both again."""
        split, name = self.query_one(Split), "-zoom" if self.in_inspector else "-alone"
        zoomed = split.has_class("-zoom") or split.has_class("-alone")
        split.remove_class("-zoom", "-alone")
        split.set_class(not zoomed, name)

    def action_whole(self) -> None:
        """Long texts in full, or in short again."""
        self.is_whole = not self.is_whole
        self.inspect(keep_place=True)
        cast(Page, self.screen).say_here("all of it, also JSON at its end" if self.is_whole else "long texts in short")

    def action_copy(self) -> None:
        """Copy it as text, all of it."""
        host(self).copy_text(self.dossier_text)

    def action_write(self) -> None:
        """Write it to a file, all of it."""
        shown = self.inspector.dossier
        if shown is not None:
            save_text(cast(Page, self.screen), f"{shown.name}.txt", self.dossier_text)

    def action_pager(self) -> None:
        """Read all of it in the pager."""
        in_pager(cast(Page, self.screen), self.dossier_text)

    @property
    def dossier_text(self) -> str:
        """All there is of the entry, as text."""
        dossier = self.shown_dossier(whole=True)
        return "" if dossier is None else dossier.text
