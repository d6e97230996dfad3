"""Every key that works on the screen it was called from, made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import wrap

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import Vertical
from textual.widgets import Static

from tui_eval.core.gathering import gathered
from tui_eval.tui.keymap import bind, spoken
from tui_eval.tui.screens.dialogs.dialog import Dialog
from tui_eval.tui.widgets.text import Paragraph, Reading

WORDS_WIDTH = 42
"""Columns for what a key does, so that its second line stands below the first."""
FAMILIES = (
    ("This screen", ()),
    ("Lists and texts", ("list.", "pane.")),
    ("Screens", ("go.",)),
    ("The app", ("app.", "back")),
)


class Help(Dialog[None]):
    """The keys of the screen below."""

    CSS = """
    Help > Vertical { height: 90%; }
    Help Reading { background: $surface; }
    """
    BINDINGS = [
        bind("back", "dismiss", "Close"),
        Binding("q", "dismiss", "Close", show=False, id="help.close"),
        bind("app.help", "dismiss", "Close", show=False),
    ]

    def __init__(self, title: str, paragraphs: list[Paragraph]) -> None:
        super().__init__()
        self._title = title
        self._paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """A title and the keys."""
        with Vertical():
            yield Static(f"{self._title}   (Esc, Backspace or q closes)", markup=False)
            yield Reading()

    def on_mount(self) -> None:
        """Show the keys."""
        self.query_one(Reading).show(self._paragraphs)


def keys_of(active: Mapping[str, ActiveBinding]) -> list[Paragraph]:
    """Each thing that can be done now with all its keys, the screen's own first."""
    keys_by_action = gathered(
        ((binding.id, binding.tooltip or binding.description), spoken(key))
        for key, (_, binding, enabled, _) in active.items()
        if enabled and binding.description and binding.id  # what has no id is Textual's own, and no key of the keymap
    )
    families = {title: list(_of_family(keys_by_action, title)) for title, _ in FAMILIES}
    paragraphs: list[Paragraph] = []
    for title, lines in families.items():
        if lines:
            paragraphs += [("", ""), (title, "accent")]
            paragraphs += [(line, "") for line in lines]
    return paragraphs[1:]


def _of_family(keys_by_action: Mapping[tuple[str, str], list[str]], title: str) -> Iterable[str]:
    for (name, words), keys in keys_by_action.items():
        if _family(name) == title:
            first, *more = wrap(words, WORDS_WIDTH)
            yield f"  {'  '.join(keys):<22} {first}"
            yield from (" " * 25 + line for line in more)


def _family(name: str) -> str:
    return next((title for title, starts in FAMILIES if starts and name.startswith(starts)), FAMILIES[0][0])
