"""An app that takes keys one after the other, Esc among them, reads styles once, and that no mistake of a part ends."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

from textual import events
from textual._xterm_parser import XTermParser
from textual.actions import ActionParseResult
from textual.app import App
from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.drivers import linux_driver
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from tui_eval.tui.keymap import ALWAYS

SOURCES = 1024
"""More than the app's parts have sources of styles: each stays as it was read."""


class KeptStylesheet(Stylesheet):
    """A stylesheet that reads a source again only where a variable, which a theme sets, has another value."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Other variables: all that was read is forgotten. The same ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Read what is new. Where something cannot be read, what stood before is kept."""
        self.parse()


class KeptStylesApp(App[None]):
    """An app with such a stylesheet."""

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())


ESCAPE = "\x1b"
INTRODUCERS = "[O]P_^X\\"
"""What begins a sequence behind Esc: there it is waited for the rest, and only what is no sequence is taken apart."""

WORDWISE = "bf\x7f\x08"
"""What terminals send behind Esc for Alt with an arrow or Backspace, which move by words where one types."""


class EscapeParser(XTermParser):
    """Takes no key behind Esc for one with Alt: no key of ours has Alt, and Textual dropped the Esc, or made Esc 3 a £."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt or (len(sequence) == 2 and sequence[0] == ESCAPE and sequence[1] not in INTRODUCERS + WORDWISE + ESCAPE):
            yield events.Key("escape", ESCAPE)
            sequence = sequence[-1]
        yield from super()._sequence_to_key_events(sequence)


def keep_escape() -> None:
    """Have what reads the terminal's keys do so."""
    vars(linux_driver)["XTermParser"] = EscapeParser


OPENS = "opens "
"""How groups of workers begin that lead to another screen: keys wait for it."""
HOLD_S = 5.0
"""So long keys wait for a screen that is on its way."""
LOST_S = 0.05
"""After so long it is looked whether what was sent through a screen can still come back."""
ALWAYS_AFTER_S = 1.0
"""Where keys have waited for so long, the one that always quits waits no more."""
ROUNDS = 2
"""How often a screen is passed through after a key: what a key brings about may bring about something itself."""


class PassedThrough(Message):
    """Sent along the way that keys take: when it arrives at the app, all that was on the way before has been done."""


class OrderedKeysApp(KeptStylesApp):
    """Hands over a key when all that the one before brought about has been done, and the screen it led to has the focus.

    Textual hands a key to the part that has the focus at that moment, though keys before it may still wait there: of what
    comes in one piece (pasted, typed ahead on a slow line), some keys would go to the wrong place.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[events.Key | events.Paste] = deque()
        self._probe: PassedThrough | None = None
        """What is on its way through the screen; None while keys are handed over at once."""
        self._probed: tuple[Screen[Any] | None, Widget | None] = (None, None)
        """The screen it was sent through, and the part that had the focus."""
        self._rounds = 0
        self._held_since = 0.0
        self._sent_at = 0.0
        self._given_up: WeakSet[object] = WeakSet()
        """Workers, screens and parts that did not come or answer in time."""
        self.key_at = float("-inf")
        """When a key came last (monotonic clock)."""

    def guarded(self) -> AbstractContextManager[None]:
        """Write down and tell once an exception that is raised in here; the app goes on."""
        raise NotImplementedError

    def written_down(self, error: Exception) -> None:
        """Write down what went wrong when nobody looks any more."""
        raise NotImplementedError

    # keys in their order

    async def on_event(self, event: events.Event) -> None:
        """Keys and what is pasted wait for their turn; everything else is as Textual has it."""
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
            return
        if self._exit:
            return  # the app is leaving: nothing is done any more
        self.key_at = time.monotonic()
        overdue = self._probe is not None and time.monotonic() - self._held_since > ALWAYS_AFTER_S
        if isinstance(event, events.Key) and event.key == ALWAYS and overdue:
            self._waiting.clear()
            await super().on_event(event)
            return
        self._waiting.append(event)
        if self._probe is None:
            self._held_since = time.monotonic()
            await self._go_on()

    async def on_passed_through(self, message: PassedThrough) -> None:
        """All that was on the way is done: once more, or the next key."""
        message.stop()
        if message is not self._probe or self._exit:
            return
        self._rounds -= 1
        if self._now() != self._probed:
            self._rounds = max(self._rounds, 1)
        if self._rounds > 0:
            self._send_probe()
        else:
            self._probe = None
            await self._go_on()

    async def _go_on(self) -> None:
        """Hand over the oldest key, or wait for the screen that it is for."""
        if not self._waiting or self._exit:
            return
        if not self._can_take():
            self._rounds = 1
            self._send_probe(LOST_S / 5)
            return
        event = self._waiting.popleft()
        self._held_since = time.monotonic()
        try:
            await super().on_event(event)
        finally:
            self._rounds = ROUNDS
            self._send_probe()

    def _can_take(self) -> bool:
        """Return whether the screen on show can take keys, and no other is on its way."""
        opening = [worker for worker in self.workers if worker.group.startswith(OPENS) and not worker.is_finished]
        half_built = [self.screen] if self.screen_stack and not self.screen.is_mounted else []
        awaited: list[object] = [each for each in (*opening, *half_built) if each not in self._given_up]
        if awaited and time.monotonic() - self._held_since > HOLD_S:
            self._given_up.update(awaited)  # keys wait for it no more, however many come
            awaited.clear()
        return not awaited

    def _now(self) -> tuple[Screen[Any] | None, Widget | None]:
        return (self.screen, self.focused) if self.screen_stack else (None, None)

    def _send_probe(self, after_s: float = 0.0) -> None:
        """Send it the way of the keys, now or a little later; a way that is cut off meanwhile is no way to wait for."""
        probe = self._probe = PassedThrough()
        self._probed, self._sent_at = self._now(), time.monotonic()
        screen, focused = self._probed
        target = focused or screen
        loop = asyncio.get_running_loop()
        if after_s or target is None or target in self._given_up or not target.post_message(probe):
            loop.call_later(after_s or LOST_S, self.post_message, probe)
        else:
            loop.call_later(LOST_S, self._ask_after, probe)

    def _ask_after(self, probe: PassedThrough) -> None:
        if probe is not self._probe or self._exit:
            return
        screen, focused = self._probed
        target = focused or screen or self
        if not target.is_attached or screen is not self._now()[0]:
            self.post_message(probe)
        elif time.monotonic() - self._sent_at > HOLD_S:
            self._given_up.add(target)
            self.post_message(probe)
        else:
            asyncio.get_running_loop().call_later(LOST_S, self._ask_after, probe)

    # mistakes

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Any = None,
    ) -> bool:
        """Do what a key stands for; where that goes wrong it is told, and the app goes on."""
        with self.guarded():
            return await super().run_action(action, default_namespace, namespaces)
        return True

    def _handle_exception(self, error: Exception) -> None:
        """Write down an exception that is raised while the app leaves: it left as it was told to, whatever was half built."""
        if self._exit:
            self.written_down(error)
        else:
            super()._handle_exception(error)

    @property
    def failure(self) -> Exception | None:
        """Exception that ended the app by mistake, if any."""
        return self._exception

    def _fatal_error(self) -> None:
        """End without Textual's own traceback: whoever started the app prints it, with no key in it."""
        self._close_messages_no_wait()
