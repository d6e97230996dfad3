"""What `call` does: one prompt to one model or several, with or without a file; each a run of one call."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_eval.cli.running import crashes_without_keys
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.configuring import preparing
from tui_eval.configuring.loading import check_caps, complete
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import counted, one_line, readable, visible, zero_width_signs
from tui_eval.engine.run import RunOptions, run
from tui_eval.models.learned import learned, remember
from tui_eval.providers import WIRES
from tui_eval.reporting.single_call import call_draft, prompt_of, reply_entry
from tui_eval.results.tables import json_text
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

NAME = Path("this call")
"""Stands for the config's path in messages: there is no file of it."""


def call(options: argparse.Namespace, workspace: Workspace) -> int:
    """Ask each model; the reply on standard output, or what belongs to it as JSON. Returns the exit code."""
    twice = next((name for name in options.models if options.models.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice}: named twice; a model is asked once")
    prompt = prompt_of(options.prompt, sys.stdin)
    notes: list[str] = []
    drafts = {name: _checked(name, prompt, options, workspace, notes) for name in options.models}
    for note in dict.fromkeys(notes):
        tell(f"note: {note}")
    found = {}
    with tempfile.TemporaryDirectory(prefix="tui-eval-call-") as passing:
        for number, (name, file) in enumerate(drafts.items()):
            path = Path(passing) / f"{number}" if options.out is None else options.out
            path = path / f"{number + 1}" if options.out is not None and len(drafts) > 1 else path
            found[name] = _asked(path, file, options, workspace)
    _show(found, options)
    return 0 if all(entry["output"] is not None for entry in found.values()) else 3


def _checked(name: str, prompt: str, options: argparse.Namespace, workspace: Workspace, notes: list[str]) -> TomlFile:
    """The config of one call, found sound before any is sent; `notes` gets what is to be known of the file."""
    draft = call_draft(workspace, name, prompt, options.input, options.attach, notes.append)
    file = TomlFile(NAME, draft, {}, by_words=True)
    check_caps(complete(file, workspace, keys_file=options.keys_file))
    return file


def _asked(path: Path, file: TomlFile, options: argparse.Namespace, workspace: Workspace) -> dict[str, Json]:
    """Make the run, ask, and say what came of it."""
    loaded = complete(file, workspace, keys_file=options.keys_file)
    keys = preparing.keys_of(loaded)
    preparing.prepare(loaded, path, keys.redact, sys.argv[1:], force=options.force)
    models = loaded.evaluation.models
    going = RunOptions(
        known=learned(workspace, models.values()),
        on_learned=lambda model, repair: remember(workspace, model, repair),
        unlocked=True,  # its folder was made just now: nobody else writes it
    )
    with crashes_without_keys(keys, f"tui-eval resume {path}"):
        asyncio.run(run(path, loaded, keys, going))
    (spec,) = models.values()
    shown = Path(options.output or options.input or options.prompt).name
    return reply_entry(path, shown, spec.model, WIRES[spec.wire].simulated)


def _show(found: Mapping[str, dict[str, Any]], options: argparse.Namespace) -> None:
    for name, entry in found.items():
        if entry["output"] is None:
            tell(f"{name}: no text: {one_line(str(entry['error']), 1000)}")
        elif entry.get("simulated"):
            narrate(f"{name}: simulated; no model was asked")
    entries = list(found.values())
    _write(options.metadata, [{key: value for key, value in entry.items() if key != "output"} for entry in entries])
    several = len(entries) > 1
    texts = [entry["output"] for entry in entries if entry["output"] is not None]
    if several:
        texts = [f"## {name}\n\n{_text_or_why(entry)}" for name, entry in found.items()]
    if options.output and texts:
        _save(options.output, _cleaned(options.output, "\n\n".join(texts)))
    if options.json:
        print(json_text(entries if several else entries[0]), end="", flush=True)
    elif texts and not options.output:
        print(visible("\n\n".join(texts)), flush=True)


def _text_or_why(entry: Mapping[str, Any]) -> str:
    """A reply, or why there is none, which is no reply."""
    return entry["output"] if entry["output"] is not None else f"(no text: {one_line(str(entry['error']), 1000)})"


def _write(path: Path | None, entries: list[dict[str, Json]]) -> None:
    if path is not None:
        _save(path, json_text(entries if len(entries) > 1 else entries[0]))


def _cleaned(path: Path, text: str) -> str:
    """A reply as a file has it that people open; what of it is left out, and what cannot be seen in it, is said."""
    clean, unseen = readable(text), zero_width_signs(text)
    if clean != text:
        tell(f"note: {path}: without the reply's control characters; --json and the log of --out have it as it came")
    if unseen:
        tell(f"note: {path}: holds {counted(unseen, 'zero-width sign')}")
    return clean


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; the reply was paid for: --out DIR keeps it") from None
