"""Keys that do nothing where they are pressed: what they do elsewhere, by the bindings of all screens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from tui_eval.tui.keymap import KEYS, spoken
from tui_eval.tui.page import Place
from tui_eval.tui.widgets.chrome import SCREENS

MOST = 2
"""Meanings of a key that are told, and screens of each."""


def unused_words(key: str, keys: Mapping[str, str], screen: Screen[object]) -> str:
    """Say that a key does nothing here, and what it does on which other screens; empty where it has no meaning anywhere.

    `keys`: a person's own keys by name. Known are the screens that have been loaded.
    """
    names = {name for name, shipped in KEYS.items() if key in keys.get(name, shipped).split(",")}
    places: dict[str, list[str]] = {}
    for part in _final(DOMNode):
        for binding in (each for group in (part._merged_bindings or BindingsMap()).key_to_bindings.values() for each in group):
            if binding.id in names and (place := _place(part)) not in places.setdefault(binding.description.lower(), []):
                places[binding.description.lower()].append(place)
    if not names:
        return ""
    if isinstance(screen, ModalScreen):
        return f"{spoken(key)} does nothing here; {spoken('escape')} closes this"
    most = sorted(places.items(), key=lambda item: -len(item[1]))[:MOST]
    elsewhere = ", ".join(f"{words} ({', '.join(parts[:MOST])}{' …' * (len(parts) > MOST)})" for words, parts in most)
    return f"{spoken(key)} does nothing here" + (f"; elsewhere: {elsewhere}" if elsewhere else "")


def _final(base: type[DOMNode]) -> Iterator[type[DOMNode]]:
    """Yield the screens and parts of ours that nothing is derived from."""
    for part in base.__subclasses__():
        if part.__subclasses__():
            yield from _final(part)
        elif part.__module__.startswith("tui_eval.") and issubclass(part, Widget):
            yield part


def _place(part: type[DOMNode]) -> str:
    """Return the name of a screen or part for people: of one with a number its title, else by its class."""
    if issubclass(part, Place):
        return dict(SCREENS)[part.MODE].lower()
    words = re.sub(r"(Screen|Part|Page)$", "", part.__name__)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words).lower()
