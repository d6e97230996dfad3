"""Keys: the shipped file with what a workspace changes of it, and the command palette of everything that has a key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from inspect import unwrap
from pathlib import Path
from typing import Any

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingsMap
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.keys import KEY_ALIASES, Keys
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.workspace.places import shipped
from tui_eval.workspace.toml_files import small_table


class Palette(CommandPalette):
    """Textual's own; what comes too early or too late for it goes nowhere, and raises nothing.

    A key that turns pages of a list which is filled and not laid out yet; what it found, once it was left and its list is gone.
    """

    def on_mount(self) -> None:
        """No blinking, which would write to the terminal all the time."""
        self.query_one(Input).cursor_blink = False

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError, NoMatches):
            super()._action_command_list(action)

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        with suppress(NoMatches):
            await unwrap(CommandPalette._gather_commands)(self, search_value)

    def _watch__list_visible(self) -> None:
        with suppress(NoMatches):
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        with suppress(NoMatches):
            await super()._watch__show_busy()


def commands(app: App[Any], screen: Screen[Any], choose_theme: Callable[[str], None]) -> Iterator[SystemCommand]:
    """Each deed that a key of the keymap does on this screen, once, by its own words; then the themes, the shortest name first:
    of those that match as well as each other, the one that was typed whole is the first."""
    focused = screen.focused or screen
    for _, binding, enabled, _ in {item.binding.action: item for item in screen.active_bindings.values()}.values():
        if enabled and binding.id and binding.description and binding.action != "command_palette":
            does = partial(_do, app, screen, focused, binding)
            yield SystemCommand(binding.tooltip or binding.description, f"key: {spoken(binding.key)}", does)
    for name in sorted(app.available_themes, key=lambda name: (len(name), name)):
        yield SystemCommand(f"Theme: {name}", "kept in .conf/app.toml", partial(choose_theme, name))


async def _do(app: App[Any], screen: Screen[Any], focused: Widget, binding: Binding) -> None:
    """Run the action of a key: on the part that has the keys if it has the action, else on the screen."""
    action = binding.action.partition("(")[0].rpartition(".")[2]
    await app.run_action(binding.action, focused if hasattr(focused, f"action_{action}") else screen)


FILE = "keymap.toml"
ALWAYS = "ctrl+q"
"""Quits whatever a keymap says."""
_NAMED = {key.value for key in Keys} | set(KEY_ALIASES) | {"space", "slash", "comma", "full_stop", "colon", "question_mark"}
_NAMED |= {"left_square_bracket", "right_square_bracket", "semicolon", "apostrophe", "minus", "plus", "equals_sign"}
_NAMED.add("exclamation_mark")


SPOKEN = {
    "question_mark": "?", "exclamation_mark": "!", "semicolon": ";", "slash": "/",
    "comma": ",", "full_stop": ".", "colon": ":", "left_square_bracket": "[",
    "right_square_bracket": "]", "escape": "Esc", "backspace": "Backspace", "enter": "Enter", "space": "Space", "tab": "Tab",
    "shift+tab": "Shift+Tab", "delete": "Delete",
    "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End", "up": "↑", "down": "↓",
    "left": "←", "right": "→",
}  # fmt: skip


KEYS: Mapping[str, str] = small_table(shipped("keymaps") / "default.toml", shipped("keymaps"))["keys"]
"""The shipped keys by the name of what they do."""


def bind(name: str, action: str, description: str, *, show: bool = True, priority: bool = False, tooltip: str = "") -> Binding:
    """A binding whose keys stand in the keymap file under `name`."""
    return Binding(KEYS[name], action, description, id=name, show=show, priority=priority, tooltip=tooltip)


def own_keys(file: Path, within: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """A workspace's own keys, and what is wrong with the file: what cannot be used is left out, the rest holds.

    `within`: the workspace's folder, which no link may lead out of; without it the file may be no link at all.
    """
    try:
        content = small_table(file, within)
    except ConfigError as error:
        return {}, [f"{error}; until then the shipped keys hold"]
    if not os.path.lexists(file):
        return {}, []
    table = content.get("keys")
    if not isinstance(table, dict):
        return {}, [f"{file}: has no table [keys]; the shipped keys hold"]
    keys: dict[str, str] = {}
    wrong = []
    for name, value in table.items():
        trouble = _trouble(name, value)
        if trouble:
            wrong.append(f"{file}: {trouble}")
        else:
            keys[name] = ",".join(binding.key for binding in Binding.make_bindings([(value, "", "")]))
    return keys, wrong


def clashes(maps: Iterable[BindingsMap], keys: Mapping[str, str]) -> list[str]:
    """Names that share a key in one place because of a person's own keys, each group in one text; `maps`: the shipped ones."""
    changed = {name for name, key in keys.items() if key != KEYS[name]}
    names_on: dict[str, set[str]] = {}
    for bindings in maps:
        for shipped_key, key_bindings in bindings.key_to_bindings.items():
            for binding in key_bindings:
                for key in keys.get(binding.id or "", shipped_key).split(","):
                    names_on.setdefault(key, set()).add(binding.id or binding.action)
    return sorted({", ".join(sorted(names)) for names in names_on.values() if len(names) > 1 and names & changed})


def _trouble(name: str, value: Any) -> str:
    if name not in KEYS:
        near = get_close_matches(name, KEYS, 1, 0.5)
        return f"nothing is called {one_line(repr(name), 40)}" + (f"; did you mean {near[0]!r}?" if near else "")
    if not isinstance(value, str) or not value.strip():
        return f"{name}: give the keys in one text, such as {KEYS[name]!r}"
    for part in value.split(","):
        if part.strip() == ALWAYS:
            return f"{name}: {ALWAYS} always quits and does nothing else"
        *modifiers, key = part.strip().split("+")
        if not _is_key(key) or any(word not in ("ctrl", "shift", "alt") for word in modifiers):
            return f"{name}: no key is called {one_line(repr(part.strip()), 40)}; keymaps/default.toml lists names"
    return ""


def _is_key(key: str) -> bool:
    return (len(key) == 1 and key.isprintable() and key != " ") or key in _NAMED


def spoken(key: str) -> str:
    """A key as it is written for people."""
    if key in SPOKEN:
        return SPOKEN[key]
    if key.startswith("ctrl+"):
        return "Ctrl+" + key[5:].upper()
    return key.upper() if key.startswith("f") and key[1:].isdigit() else key
