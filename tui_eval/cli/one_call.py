"""The verb `call`: one prompt to one model or several, with or without a file; each a run of one call."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.cli.running import crashes_without_keys
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.configuring import preparing
from tui_eval.configuring.loading import check_caps, complete
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line, readable, visible, zero_width_signs
from tui_eval.engine.run import RunOptions, run
from tui_eval.models.learned import learned, remember
from tui_eval.providers import WIRES
from tui_eval.providers.stream import joined
from tui_eval.reporting.rubric_trial import RubricTrial, rubric_trial
from tui_eval.reporting.single_call import call_draft, prompt_of, reply_entry
from tui_eval.results.tables import json_text
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

NAME = Path("this call")
"""Stands for the config's path in messages: there is no file of it."""
_OPEN_END = re.compile("[!-~\ud800-\udfff]*$")
"""The end of a text that what follows may turn into a key, or that is half of a character."""


def call(options: argparse.Namespace, workspace: Workspace) -> int:
    """Ask each model; the reply on standard output, or what belongs to it as JSON. Returns the exit code."""
    models, prompt = _asked_and_text(options)
    twice = next((name for name in models if models.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice}: named twice; a model is asked once")
    trial = _trial(options, prompt, workspace)
    notes: list[str] = []
    streams = sys.stdout.isatty() and not options.json and options.output is None
    turns = trial.messages if trial else ()
    drafts = {name: _checked(name, prompt, options, workspace, notes, streams, turns) for name in models}
    for note in dict.fromkeys(notes):
        tell(f"note: {note}")
    replies = {}
    with tempfile.TemporaryDirectory(prefix="tui-eval-call-") as passing:
        for number, (name, file) in enumerate(drafts.items()):
            path = Path(passing) / f"{number}" if options.out is None else options.out
            path = path / f"{number + 1}" if options.out is not None and len(drafts) > 1 else path
            if streams:
                head = f"## {name}\n\n" if len(drafts) > 1 else ""
                _print(f"\n{head}" if number and head else head)
            replies[name] = _ask(path, file, options, workspace, streams, len(drafts) > 1)
    if trial is not None:
        return _show_verdicts(trial, replies, options, streams)
    _show(replies, options, streams)
    return 0 if all(entry["output"] is not None for entry in replies.values()) else 3


def _show_verdicts(
    trial: RubricTrial, replies: Mapping[str, dict[str, Any]], options: argparse.Namespace, is_shown: bool
) -> int:
    """Say what each judge's reply comes to, behind it. Returns the exit code: 3 where one gives no score."""
    for entry in replies.values():
        entry["rubric"] = trial.verdict(entry["output"])
    _show(replies, options, is_shown)
    several = len(replies) > 1
    lines = [f"{name}: " * several + trial.in_words(entry["output"]) for name, entry in replies.items()]
    if not options.json:
        print("\n".join(lines), flush=True)
    return 0 if all(entry["rubric"]["score"] is not None for entry in replies.values()) else 3


def _trial(options: argparse.Namespace, reply: str, workspace: Workspace) -> RubricTrial | None:
    """The rubric that the reply is judged by; None where a prompt is sent."""
    if options.rubric is None:
        if options.slot:
            raise ConfigError("--slot: fills a slot of a rubric; name its file, too: --rubric FILE")
        return None
    if options.input is not None:
        raise ConfigError('--input: goes with a prompt, and no rubric shows it; give the text: --slot document="..."')
    return rubric_trial(workspace, options.rubric, reply, options.slot)


def _print(text: str) -> None:
    print(text, end="", flush=True)


def _asked_and_text(options: argparse.Namespace) -> tuple[list[str], str]:
    """The models and what they are asked: behind -m the words themselves, else what stands in the file of --prompt."""
    words: list[str] = options.words
    if not options.model:
        if not words or options.prompt is None:
            raise ConfigError(
                'call: name a model and a prompt: tui-eval call -m MODEL "TEXT", or tui-eval call MODEL --prompt FILE'
            )
        return words, prompt_of(options.prompt, sys.stdin)
    if (options.prompt is None) == (not words):
        raise ConfigError("call: give the prompt once: as text behind -m MODEL (- = standard input), or by --prompt FILE")
    if options.prompt is not None or words == ["-"]:
        return options.model, prompt_of(options.prompt or "-", sys.stdin)
    if not " ".join(words).strip():
        raise ConfigError("call: the text is empty; write what the model is to reply to")
    return options.model, " ".join(words).strip()


def _checked(
    name: str,
    prompt: str,
    options: argparse.Namespace,
    workspace: Workspace,
    notes: list[str],
    streams: bool,
    turns: Sequence[dict[str, Json]],
) -> TomlFile:
    """The config of one call, found sound before any is sent; `notes` gets what is to be known of the file."""
    draft = call_draft(workspace, name, prompt, options.input, options.attach, notes.append, streams, turns)
    file = TomlFile(NAME, draft, {}, by_words=True)
    check_caps(complete(file, workspace, keys_file=options.keys_file))
    return file


def _ask(
    path: Path, file: TomlFile, options: argparse.Namespace, workspace: Workspace, streams: bool, several: bool
) -> dict[str, Json]:
    """Make the run, ask, and say what came of it; where it `streams`, the reply is printed here, as it comes."""
    loaded = complete(file, workspace, keys_file=options.keys_file)
    keys = preparing.keys_of(loaded)
    preparing.prepare(loaded, path, keys.redact, sys.argv[1:], force=options.force)
    models = loaded.evaluation.models
    streamed = StreamedText(keys.redact, _print)
    going = RunOptions(
        known=learned(workspace, models.values()),
        on_learned=lambda model, repair: remember(workspace, model, repair),
        unlocked=True,  # its folder was made just now: nobody else writes it
        on_words=streamed.hear if streams else None,
    )
    with crashes_without_keys(keys, f"tui-eval resume {path}"):
        asyncio.run(run(path, loaded, keys, going))
    (spec,) = models.values()
    source_name = Path(options.output or options.input or options.prompt or "-").name
    entry = reply_entry(path, source_name, spec.model, WIRES[spec.wire].simulated)
    if streams and not streamed.end(entry["output"]) and (several or entry["output"] is not None):
        _print(f"{visible(_text_or_why(entry))}\n")
    return entry


def _show(replies: Mapping[str, dict[str, Any]], options: argparse.Namespace, is_shown: bool) -> None:
    """Say what is to be known of each reply, and write or print what is wanted; `is_shown`: the texts were printed."""
    for name, entry in replies.items():
        if entry["output"] is None:
            tell(f"{name}: no text: {one_line(str(entry['error']), 1000)}")
        elif entry.get("simulated"):
            narrate(f"{name}: simulated; no model was asked")
    entries = list(replies.values())
    _write(options.metadata, [{key: value for key, value in entry.items() if key != "output"} for entry in entries])
    several = len(entries) > 1
    texts = [entry["output"] for entry in entries if entry["output"] is not None]
    if several:
        texts = [f"## {name}\n\n{_text_or_why(entry)}" for name, entry in replies.items()]
    if options.output and texts:
        _save(options.output, _cleaned(options.output, "\n\n".join(texts)))
    if options.json:
        print(json_text(entries if several else entries[0]), end="", flush=True)
    elif texts and not options.output and not is_shown:
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
        tell(f"note: {path}: control characters of the reply are left out; --json and the log of --out keep them")
    if unseen:
        tell(f"note: {path}: holds {count_of(unseen, 'zero-width sign')}")
    return clean


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; the reply was paid for: --out DIR keeps it") from None


class StreamedText:
    """The reply of one call, printed while it comes.

    Keys are ASCII without blanks: a word that has ended shows whether it is one.
    """

    def __init__(self, redact: Callable[[str], str], show: Callable[[str], None]) -> None:
        """`redact`: takes keys out of a text; `show`: prints."""
        self._redact, self._show = redact, show
        self._held: list[str] = []
        self._shown: list[str] = []
        self._attempt = ""

    def hear(self, attempt: str, words: str) -> None:
        """Take the words that came. Those of another attempt begin anew: the one before broke off."""
        if attempt != self._attempt:
            self._break_off()
            self._attempt = attempt
        end = _OPEN_END.search(words)
        whole = words[: end.start()] if end else words
        if not whole:
            self._held.append(words)
            return
        self._print([*self._held, whole])
        self._held = [words[len(whole) :]]

    def end(self, text: str | None) -> bool:
        """Show the rest; False where what was shown is not the reply's text, so that it has to be shown whole."""
        self._print(self._held)
        self._held = []
        printed = "".join(self._shown)
        if text is None or visible(text).strip() != printed.strip():
            self._break_off()
            return False
        if not printed.endswith("\n"):
            self._show("\n")
        return True

    def _print(self, pieces: list[str]) -> None:
        text = visible(self._redact(joined(pieces)))
        if text:
            self._show(text)
            self._shown.append(text)

    def _break_off(self) -> None:
        """Say on standard error that what stands there is no reply."""
        self._held = []
        if self._shown:
            self._shown = []
            self._show("\n")
            tell("note: the text above was interrupted, and is not a reply")
