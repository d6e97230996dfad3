"""The lines that every screen has: which screens there are, how the running runs stand, and which keys do what here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from rich.cells import cell_len
from textual import events
from textual.binding import ActiveBinding
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Static

from tui_eval.runs.steering import RunEntry
from tui_eval.tui.keymap import KEYS, spoken
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Tone, fitted
from tui_eval.tui.widgets.lines import Lines, Piece, plain
from tui_eval.tui.words import count, usd

SCREENS = (
    ("models", "Models"),
    ("datasets", "Datasets"),
    ("run", "Run"),
    ("results", "Results"),
    ("prompts", "Prompts"),
    ("log", "Log"),
)
"""The screens in the order of their number keys: name, and how it is written."""
NARROW = 76
"""Columns below which the line of screens is drawn without what is not needed."""


class ScreensLine(Static):
    """The screens with their numbers; the one on show stands in reverse."""

    DEFAULT_CSS = """
    ScreensLine { height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, mode: str) -> None:
        super().__init__(id="screens", markup=False)
        self._mode = mode
        self._before = ""
        self._names: list[tuple[str, str]] = []

    def on_resize(self) -> None:
        """Draw it; on a narrow terminal only what is needed."""
        narrow = self.app.size.width < NARROW
        self._before, gap = ("", "") if narrow else ("tui-eval ", " ")
        self._names = [(mode, f"{gap}{number} {title} ") for number, (mode, title) in enumerate(SCREENS, start=1)]
        parts: list[tuple[str, str]] = [(self._before, "bold")]
        parts += [(name, "bold reverse" if mode == self._mode else "") for mode, name in self._names]
        self.update(Content.assemble(*parts, ("" if narrow else "   ? help", "dim")), layout=False)

    async def on_click(self, event: events.Click) -> None:
        """A click on a name goes there."""
        x = event.x - 1 - len(self._before)
        for mode, name in self._names:
            if 0 <= x < len(name):
                await self.run_action(f"app.number('{mode}')")
                return
            x -= len(name)


class StatusLine(Lines):
    """Running runs, what they spent of what they may, and the workspace; seen on every screen."""

    DEFAULT_CSS = """
    StatusLine { background: $panel; dock: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="status")

    def look(self, entries: Sequence[RunEntry], root: Path) -> None:
        """Say how things stand in a workspace."""
        live = [entry for entry in entries if entry.live]
        pieces = joint_status(live)
        room = self.app.size.width - 2 - cell_len(plain(pieces))
        place = shortened(root)
        if room >= 8:
            self.say(*pieces, (fitted(safe_line(place, room), room, right=True), "dim"))
        else:
            self.say(*pieces)

    def tell(self, words: str, bad: bool) -> None:
        """Say something else for a while, on one line; where it is longer, by which key it is shown in full."""
        lines, room = [line.strip() for line in words.splitlines() if line.strip()], self.app.size.width - 2
        whole = safe_line("  ".join(lines), len(words) + 2 * len(lines) + 2)
        more = f"  {spoken(KEYS['app.told'])} all of it"
        fits = cell_len(whole) <= room
        tone: Tone = "bad" if bad else "accent"
        self.say((whole if fits else fitted(whole, max(room - cell_len(more), 1)), tone), ("" if fits else more, "strong"))


class KeysLine(Static):
    """The keys that work here, as many as fit, and always the one for help. One widget: Textual's own footer is ten of them,
    made anew whenever the keys go to another part, which takes longer than drawing the whole screen."""

    DEFAULT_CSS = """
    KeysLine { height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__(id="keys", markup=False)
        self._keys: list[ShownKey] = []

    def on_mount(self) -> None:
        """Look whenever other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, self.look)
        self.look(self.screen)

    def on_resize(self) -> None:
        """Room for more of them, or fewer."""
        self._draw(self._keys)

    def on_click(self, event: events.Click) -> None:
        """A click on a key presses it."""
        x = event.x - 1
        for entry in self._fitting():
            x -= entry.width
            if x < 0:
                self.app.simulate_key(entry.key)
                return

    def look(self, screen: Screen[Any]) -> None:
        """Draw the keys that work now, where they are others than before."""
        if self.is_attached and screen is self.screen:
            offers = getattr(screen, "offers", lambda action: True)
            offered = [(entry, offers(entry.action)) for entry in keys_shown(keys_that_work(screen))]
            keys = [entry._replace(words=words) if isinstance(words, str) else entry for entry, words in offered if words]
            if keys != self._keys:
                self._draw(keys)

    def _draw(self, keys: list[ShownKey]) -> None:
        self._keys = keys
        parts = [part for entry in self._fitting() for part in ((entry.spoken, "bold $accent"), (f" {entry.words}  ", ""))]
        self.update(Content.assemble(*parts), layout=False)

    def _fitting(self) -> list[ShownKey]:
        """Those that fit on the line, the first named first; the way out stands behind them, and help, which always fits."""
        last = [entry for entry in self._keys if entry.action == "help"]
        room = self.app.size.width - sum(entry.width for entry in last)
        fitting = []
        for entry in (entry for entry in self._keys if entry not in last):
            room -= entry.width
            if room >= 0:
                fitting.append(entry)
        return [*sorted(fitting, key=lambda entry: entry.action == "leave"), *last]


class ShownKey(NamedTuple):
    """A key as the line of keys shows it."""

    action: str
    key: str
    spoken: str
    words: str

    @property
    def width(self) -> int:
        """Columns it takes, with what stands between it and the next."""
        return cell_len(f"{self.spoken} {self.words}  ")


@runtime_checkable
class TakesText(Protocol):
    """A part of a screen in which keys are text at times."""

    def is_text(self, key: str, node: DOMNode) -> bool:
        """Return whether a key is text here, rather than the command that it has in a part (`node`) of the screen."""


def keys_that_work(screen: Screen[Any]) -> dict[str, ActiveBinding]:
    """Return the active binding of each key, without the keys that are text where the cursor is."""
    around = (screen.focused or screen).ancestors_with_self
    taker = next((node for node in around if isinstance(node, TakesText)), None)
    active = screen.active_bindings
    return {key: binding for key, binding in active.items() if taker is None or not taker.is_text(key, binding.node)}


def keys_shown(active: Mapping[str, ActiveBinding]) -> list[ShownKey]:
    """Of the keys that work now those that are shown, each deed once, by a letter where it has one."""
    by_action: dict[str, ShownKey] = {}
    for key, (_, binding, enabled, _) in active.items():
        if binding.show and enabled and binding.description:
            previous = by_action.get(binding.action)
            if previous is None or (len(key) == 1 and len(previous.key) > 1):
                by_action[binding.action] = ShownKey(binding.action, key, spoken(key), binding.description)
    return list(by_action.values())


def joint_status(live: Sequence[RunEntry]) -> list[Piece]:
    """Return the joint status of the running runs."""
    if not live:
        return [("no run is running", "dim"), "  "]
    runs = f"▶ {len(live)} running" if len(live) > 1 else f"▶ {safe_line(live[0].name or live[0].run_id, 24)} {live[0].state}"
    return [(runs, "accent"), f"  {_spent(live)}{_pretended(live)}  {_calls_words(live)} calls  "]


def _spent(live: Sequence[RunEntry]) -> str:
    """Return their cost so far and its cap."""
    caps = [entry.max_cost_usd for entry in live]
    charges = [entry.charged_usd for entry in live if entry.charged_usd is not None]
    unknown = sum(entry.unknown_cost or 0 for entry in live)
    money = usd(sum(charges) if charges else None, unknown) + ("+" if charges and len(charges) < len(live) else "")
    return money + ("" if None in caps else f" of {usd(sum(filter(None, caps)))}")


def _pretended(live: Sequence[RunEntry]) -> str:
    """Return whether that money is simulated, or how many of them are."""
    made_up = [entry.made_up for entry in live]
    if "some" in made_up and made_up.count("nothing") + made_up.count("some") == len(live):
        real = [entry.real_usd for entry in live if entry.real_usd is not None]
        return f" ({usd(sum(real))} real)"
    pretended = len(live) - made_up.count("nothing")
    return "" if not pretended else " simulated" if pretended == len(live) else f" ({pretended} of them simulated)"


def _calls_words(live: Sequence[RunEntry]) -> str:
    """The calls they used of those they may."""
    known_counts = [entry.calls_used for entry in live if entry.calls_used is not None]
    calls_used = count(sum(known_counts)) + ("" if len(known_counts) == len(live) else "+") if known_counts else "-"
    caps = [entry.max_calls for entry in live]
    return f"{calls_used} of {count(sum(filter(None, caps))) if all(caps) else '-'}"


def shortened(path: Path) -> str:
    """A path with ~ for the home folder."""
    whole, home = str(path.resolve()), str(Path.home())
    return "~" + whole.removeprefix(home) if whole == home or whole.startswith(home + "/") else whole


def told_from(root: Path, message: str) -> str:
    """Make the paths in a message relative to the workspace: on one line, the reason stands behind them."""
    return message.replace(f"{root}/", "")
