"""The config that a command names, with what the command line says about it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tui_eval.cli.standard_error import narrate
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, TomlFile, parse_toml, read_toml


def load_config(options: argparse.Namespace, workspace: Workspace, sends: bool) -> Loaded:
    """The config of a run, complete; ConfigError for whatever a person has to mend."""
    return complete(
        override(_config_file(options.run, workspace), options.set),
        workspace,
        models=words_in("--models", options.models),
        only=words_in("--only", options.only),
        repeat=options.repeat,
        keys_file=options.keys_file,
        sends=sends,
    )


def _config_file(name: str, workspace: Workspace) -> TomlFile:
    """A file, a shipped example, or standard input, from which paths are those of the current folder."""
    if name == "-":
        text = sys.stdin.buffer.read(MAX_TOML_BYTES + 1)
        if len(text) > MAX_TOML_BYTES:
            raise ConfigError(f"standard input: is longer than {MAX_TOML_BYTES // 1024**2} MB, too long for a config")
        return parse_toml(Path("stdin.toml"), text.decode("utf-8", "replace"))
    path = workspace.config(name)
    if path.parent == shipped("examples"):
        narrate(f"config: the shipped example {name}")
    return read_toml(path)


def words_in(option: str, text: str | None) -> list[str]:
    """The words of an option that takes several, comma-separated; none where it is not given (None).

    ConfigError where it is given and names nothing, as with an empty variable of a script: that never means everything.
    """
    words = [one_line(word.strip()) for word in (text or "").split(",") if word.strip()]
    if text is not None and not words:
        raise ConfigError(f"{option}: is empty; give names, comma-separated, or leave {option} out")
    return words
