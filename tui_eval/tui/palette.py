"""What the command palette offers: everything that has a key here, every screen, every theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from inspect import unwrap
from typing import Any

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget

from tui_eval.tui.keymap import spoken


class Palette(CommandPalette):
    """Textual's own; what comes too early or too late for it goes nowhere, and raises nothing.

    A key that turns pages of a list which is filled and not laid out yet; what it found, once it was left and its list is gone.
    """

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
