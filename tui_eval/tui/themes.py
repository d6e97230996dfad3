"""Colours from TOML files: the shipped themes, and a workspace's own in its themes/ folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import small_table

DEFAULT = "dark"
WITHOUT_COLOURS = "monochrome"
"""Taken where NO_COLOR is set, whatever else is wanted."""
COLOURS = ("primary", "secondary", "accent", "success", "warning", "error", "foreground", "background", "surface", "panel")
FLAGS = ("dark", "ansi")
LONGEST_FILE = 64 * 1024


def all_themes(workspace: Workspace) -> tuple[dict[str, Theme], list[str]]:
    """Every theme by name (a workspace's own of the same name wins), and a sentence about each file that cannot be used."""
    themes: dict[str, Theme] = {}
    wrong = []
    for folder, within in ((shipped("themes"), shipped("themes")), (workspace.root / "themes", workspace.root)):
        for file in sorted(folder.glob("*.toml")):
            try:
                themes[file.stem] = read_theme(file, within)
            except ValueError as error:
                wrong.append(str(error))
    return themes, wrong


def known_theme(name: str, available: Collection[str], ours: Iterable[str]) -> tuple[str, list[str]]:
    """The theme to draw with: the one that is named (empty: ours), and what is wrong where there is none of this name."""
    if not name or name in available:
        return name or DEFAULT, []
    return DEFAULT, [f"no theme is called {name!r}; there are {', '.join(sorted(ours))}"]


def read_theme(file: Path, within: Path | None = None) -> Theme:
    """A theme from its file. ValueError, naming file and key, where it is none. `within`: as of `plain_files.opened`."""
    if one_line(file.stem) != file.stem:
        raise ValueError(f"{one_line(str(file))}: a theme has the name of its file, and this name cannot be shown")
    try:
        content = small_table(file, within, LONGEST_FILE)
    except ConfigError as error:
        raise ValueError(str(error)) from None
    for key, value in content.items():
        _check(file, key, value)
    if "primary" not in content:
        raise ValueError(f"{file}: primary is missing; it needs at least that colour")
    return Theme(name=file.stem, **content, variables=_variables(bool(content.get("ansi"))))


def _check(file: Path, key: str, value: Any) -> None:
    if key in FLAGS:
        if not isinstance(value, bool):
            raise ValueError(f"{file}: {key} must be true or false")
    elif key not in COLOURS:
        raise ValueError(f"{file}: no colour is called {one_line(repr(key), 40)}; there are {', '.join((*FLAGS, *COLOURS))}")
    else:
        try:
            Color.parse(value)
        except (ColorParseError, TypeError, AttributeError):
            raise ValueError(f'{file}: {key} = {one_line(repr(value), 40)} is not a colour, such as "#5aa9e6"') from None


def _variables(ansi: bool) -> dict[str, str]:
    """Return Textual's own variables for a theme: reverse video where there are only the terminal's colours."""
    if not ansi:
        return {}
    return {
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "input-cursor-text-style": "reverse",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "reverse",
        "border-blurred": "ansi_default",
    }
