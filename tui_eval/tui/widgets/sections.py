"""The parts of a screen, one shown at a time: their names in a line, the chosen one marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static


class Sections(Static):
    """Names of parts in one line. The chosen one stands in brackets and in bold, not only in a colour."""

    DEFAULT_CSS = """
    Sections { height: 1; padding: 0 1; background: $surface; text-wrap: nowrap; }
    """

    @dataclass
    class Switched(Message):
        """Another part is to be shown."""

        name: str

    def __init__(self, names: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.names = list(names)
        self.chosen = self.names[0] if self.names else ""
        self._beside = ""

    def on_mount(self) -> None:
        """Draw the names."""
        self._draw()

    def on_resize(self) -> None:
        """Room for more names, or for fewer."""
        self._draw()

    def say(self, words: str) -> None:
        """Words behind the names."""
        if words != self._beside:
            self._beside = words
            self._draw()

    def offer(self, names: Sequence[str], preferred: str | None = None) -> None:
        """Other names; the chosen one stays where it still exists."""
        self.names = list(names)
        selection = preferred or self.chosen
        self.chosen = selection if selection in self.names else self.names[0]
        self._draw()

    def turn(self, by: int) -> None:
        """The next part, or the one before."""
        self.choose(self.names[(self.names.index(self.chosen) + by) % len(self.names)])

    def choose(self, name: str) -> None:
        """Show this part."""
        if name in self.names and name != self.chosen:
            self.chosen = name
            self._draw()
            self.post_message(self.Switched(name))

    def on_click(self, event: events.Click) -> None:
        """A click on a name chooses it."""
        x = event.x - 1
        for name in self._visible_names:
            x -= cell_len(name) + 2
            if x < 0:
                self.choose(name)
                return

    @property
    def _visible_names(self) -> list[str]:
        """The names from the first on that leaves room for the chosen one."""
        upto = self.names.index(self.chosen) + 1 if self.chosen in self.names else 0
        first, room = 0, self.content_size.width
        while first < upto - 1 and sum(cell_len(name) + 2 for name in self.names[first:upto]) > room > 0:
            first += 1
        return self.names[first:]

    def _draw(self) -> None:
        parts: list[Content | tuple[str, str]] = []
        for name in self._visible_names:
            parts.append((f"[{name}]", "bold reverse") if name == self.chosen else (f" {name} ", ""))
        parts.append((f"   {self._beside}", "dim"))
        self.update(Content.assemble(*parts), layout=False)


class InSections(Widget):
    """Widget that shows one of its parts at a time, where it has any, behind its own base class."""

    def action_part(self, by: int) -> None:
        """The next part, or the one before."""
        for sections in self.query(Sections):
            sections.turn(by)
