"""Frame throttling for a slow terminal: no frame behind others it has not taken, and none with a control character."""

from __future__ import annotations

import re
import select
import time
from typing import Any

import textual
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from textual import events
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.driver import Driver
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer, TimerCallback

from tui_eval.tui.background.changed_cells import TRIED_VERSIONS, ShownCells, WrittenUpdate
from tui_eval.tui.background.ordered_keys import OrderedKeysApp

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def cleaned(update: Any) -> Any:
    """An update of the screen whose texts cannot steer the terminal. Every `safe` text passes unchanged."""
    if isinstance(update, LayoutUpdate):
        update.strips = [[_clean(strip) for strip in line] for line in update.strips]
    elif isinstance(update, ChopsUpdate):
        update.chops = [{x: strip and _clean(strip) for x, strip in line.items()} for line in update.chops]
    return update


def _clean(strip: Strip) -> Strip:
    if not any(_CONTROL.search(segment.text) for segment in strip if not segment.control):
        return strip
    segments = (s if s.control else Segment(_CONTROL.sub(_sign, s.text), s.style) for s in strip)
    return Strip(segments, strip.cell_length)


def _sign(match: re.Match[str]) -> str:
    """As wide as the character was counted, so that nothing beside it moves."""
    return "\ufffd" * cell_len(match.group())


LATE_S = 0.02
"""After so long it is looked again whether a terminal that was behind takes a frame."""
MOST_PIECES = 6
"""So many pieces, two or three a frame, may wait for the thread that writes: on a busy machine it has its turn only later."""
REST_S = 2.0
"""So long what changes by itself is not drawn after the terminal was behind: what waits in between gets through meanwhile."""


class Pacing:
    """Pacing of frames by whether the terminal has taken what was written to it, as far as one can see from here."""

    def __init__(self) -> None:
        self._behind_at = float("-inf")

    def may_draw(self, driver: Driver | None, key_at: float) -> bool:
        """Return whether a frame is worth writing now; `key_at`: when a key was pressed last (monotonic clock).

        A frame that a person waits for is drawn as soon as the terminal takes anything; others leave it time.
        """
        now = time.monotonic()
        if behind(driver):
            self._behind_at = now
            return False
        return now - self._behind_at > REST_S or key_at > self._behind_at - REST_S


def behind(driver: Driver | None) -> bool:
    """Return whether written output still waits. Only a terminal on a file can be asked; no other ever is behind."""
    writer = getattr(driver, "_writer_thread", None)
    if writer is None:
        return False
    if writer._queue.qsize() > MOST_PIECES:
        return True
    look = select.poll()
    try:
        look.register(writer.fileno(), select.POLLOUT)
        return not look.poll(0)
    except (OSError, ValueError):
        return False


class PacedApp(OrderedKeysApp):
    """Draws what is seen at once, and on a slow line the newest alone."""

    def __init__(self) -> None:
        super().__init__()
        self._pacing = Pacing()
        self._late = False
        """Whether a frame was left out, so that all is drawn later."""
        self._cells = ShownCells()
        self._writer: object = None
        """What writes to the terminal: another one each time that the app takes it over, at the start and from a pager."""

    def on_resize(self, event: events.Resize) -> None:
        """A terminal of another size may show anything."""
        self._cells.forget()

    def on_driver_signal_resume(self) -> None:
        """Back from Ctrl+Z: Textual draws nothing of its own accord."""
        self.action_redraw()

    def action_redraw(self) -> None:
        """Draw everything anew, for lines that something else garbled."""
        self._cells.forget()
        self.refresh(layout=True)

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """A timer that comes, however late.

        Textual leaves one out whose moment is past when its task begins: on a machine that stands still just then, the one
        that ends a switch of screens never came, and nothing was drawn any more; nor the one of a window's new size.
        """
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False  # its task begins later
        return timer

    def delay_update(self, delay: float = 0.05) -> None:
        """Draw a screen that is gone to as soon as it is laid out: Textual waits for 50 ms, which is felt."""
        super().delay_update(min(delay, 0.002))

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """The last look at what is written to the terminal, and whether it is written now."""
        if renderable is None or self._pacing.may_draw(self._driver, self.key_at):
            super()._display(screen, self._changes(cleaned(renderable)))
        elif not self._late:
            self._late = True
            self.set_timer(LATE_S, self._draw_late)

    def _changes(self, update: Any) -> Any:
        """Return what of an update is written: cells that the terminal does not show yet; None where it shows them all."""
        driver, is_tried = self._driver, textual.__version__ in TRIED_VERSIONS
        is_drawn = self._running and not self._closed and not self._batch_count
        if update is None or driver is None or not is_tried or not is_drawn or self.is_headless or driver.is_inline:
            return update
        if (writer := getattr(driver, "_writer_thread", None)) is not self._writer:
            self._writer = writer
            self._cells.forget()
        changes = self._cells.written(update, self.size, self.console._color_system or ColorSystem.TRUECOLOR)
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
        is_same = isinstance(changes, WrittenUpdate) and not changes.text and cursor == self._previous_cursor_position
        return None if is_same else changes

    def _draw_late(self) -> None:
        """Draw everything once, in place of the frames that were left out, as soon as the terminal takes it."""
        if self._pacing.may_draw(self._driver, self.key_at):
            self._late = False
            self.refresh(layout=True)
        else:
            self.set_timer(LATE_S, self._draw_late)
