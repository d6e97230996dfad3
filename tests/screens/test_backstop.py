"""Laws of the last look: whatever a widget was given, no control character reaches the terminal; safe text passes as it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from screen import sees, wait_for
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input, Label, OptionList, Static

from tui_eval.tui.app import EvalApp
from tui_eval.tui.background.frame_throttling import cleaned
from tui_eval.tui.sanitize import safe
from tui_eval.workspace.places import Workspace

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
EVIL = "HERE \x1b[2J\x1b]52;c;QUJD\x07 \x9b31m\x9d0;x\x9c \x7f\x08 \u202eabc\u2066 \ud800 end"

few = settings(max_examples=60, deadline=None, database=None, derandomize=True)


class Ear(App[None]):
    """Hears what an app hands on to the terminal."""

    handed: str = ""

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            self.handed += "".join(_texts(renderable))
        super()._display(screen, renderable)


class Heard(EvalApp, Ear):
    """The app itself, heard behind its last look."""


def _strips(update: LayoutUpdate | ChopsUpdate) -> list[Strip]:
    if isinstance(update, LayoutUpdate):
        return [strip for line in update.strips for strip in line]
    return [strip for line in update.chops for strip in line.values() if strip]


def _texts(update: LayoutUpdate | ChopsUpdate) -> list[str]:
    return [segment.text for strip in _strips(update) for segment in strip if not segment.control]


async def test_no_widget_gets_round_it(workspace: Path) -> None:
    """Text, label, input, list, border title and short message of a hostile text: drawn, in whole and in part, without a
    control character."""
    app = Heard(Workspace(workspace))
    async with app.run_test(size=(160, 40), notifications=True) as pilot:
        await sees(pilot, "small panel")
        static = Static(EVIL, markup=False, id="evil")
        static.border_title = EVIL
        static.styles.border = ("round", "red")
        await app.screen.mount(static, Label(EVIL, markup=False), Input(EVIL), OptionList(EVIL))
        app.notify(EVIL, markup=False)
        await wait_for(pilot, lambda: app.handed.count("HERE") >= 6, "all of them drawn")
        for change in ("one", "two"):
            static.update(f"{change} {EVIL}", layout=False)
            await wait_for(pilot, lambda change=change: f"{change} HERE" in app.handed)
        assert not CONTROL.search(app.handed)
        assert app.failure is None


@few
@given(st.lists(st.text(st.characters(codec=None), max_size=20), max_size=4))
def test_an_update_is_cleaned_in_whole_and_in_part(texts: list[str]) -> None:
    """No control character is left, widths stay, styles stay; what steers the terminal on purpose is not touched."""
    bold = Style(bold=True)
    steering = Segment("\x1b[2J", None, [(1,)])  # type: ignore[list-item]
    strip = Strip([*(Segment(text, bold) for text in texts), steering])
    width = strip.cell_length
    whole = LayoutUpdate([[strip]], Region(0, 0, width, 1))
    part = ChopsUpdate([{0: strip, 5: None}], [(0, 0, width)], [[0, width]])
    for update in (cleaned(whole), cleaned(part)):
        (found,) = _strips(update)
        assert not CONTROL.search("".join(_texts(update)))
        assert found.cell_length == width
        assert list(found)[-1] == steering
        assert all(segment.style == bold for segment in list(found)[:-1])


@few
@given(st.text(st.characters(codec=None), max_size=60))
def test_safe_text_is_the_same_object_afterwards(text: str) -> None:
    """The backstop changes nothing that was made safe where it belongs, and copies nothing."""
    lines = [Strip([Segment(line)]) for line in safe(text).split("\n")]
    update = LayoutUpdate([lines], Region(0, 0, 60, 1))
    assert all(after is before for after, before in zip(_strips(cleaned(update)), lines, strict=True))


@pytest.mark.parametrize("other", [None, "text", 3])
def test_what_is_no_update_passes(other: object) -> None:
    """Other things that Textual displays are none of ours."""
    assert cleaned(other) is other
