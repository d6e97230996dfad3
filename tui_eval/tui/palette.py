"""What the command palette offers: everything that has a key here, every screen, every theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widget import Widget

from tui_eval.tui.keymap import spoken


class Palette(CommandPalette):
    """Textual's own; a key that turns pages of a list which is filled and not laid out yet goes nowhere, and raises nothing."""

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError):
            super()._action_command_list(action)


def commands(app: App[Any], screen: Screen[Any], choose_theme: Callable[[str], None]) -> Iterator[SystemCommand]:
    """Each deed that a key does on this screen, once, by its own words; then the themes."""
    focused = screen.focused or screen
    for _, binding, enabled, _ in {item.binding.action: item for item in screen.active_bindings.values()}.values():
        if enabled and binding.description and binding.action != "command_palette":
            does = partial(_do, app, screen, focused, binding)
            yield SystemCommand(binding.tooltip or binding.description, f"key: {spoken(binding.key)}", does)
    for name in sorted(app.available_themes):
        yield SystemCommand(f"Theme: {name}", "kept in .conf/app.toml", partial(choose_theme, name))


async def _do(app: App[Any], screen: Screen[Any], focused: Widget, binding: Binding) -> None:
    """What the key does, where it would: on the part that has the keys, else on the screen."""
    action = binding.action.partition("(")[0].rpartition(".")[2]
    await app.run_action(binding.action, focused if hasattr(focused, f"action_{action}") else screen)
