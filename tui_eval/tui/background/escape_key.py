"""Esc is a key of its own, also where the next one comes close behind it, as it does on a slow line or when typed ahead."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

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
