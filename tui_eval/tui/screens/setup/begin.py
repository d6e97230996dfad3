"""Asks what a new run is to start from: an example, a kind, documents or questions of one's own, a config, an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from tui_eval.configuring.drafting import own_files
from tui_eval.configuring.drafting.own_files import OwnFile, OwnFiles
from tui_eval.configuring.drafting.starting import Start, begun, plugin_notes, starts
from tui_eval.core.plaintext import count_of
from tui_eval.datasets.document_text.file_sorts import SUFFIXES
from tui_eval.datasets.set_list import TABLES, name_of
from tui_eval.datasets.set_store import plain_name
from tui_eval.tui.page import beside, host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.choose import Choose, ChooseSome
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.screens.dialogs.pick_paths import PickPaths
from tui_eval.tui.words import size

WHICH = "Which files are models to work on? Pictures, PDFs, texts; or a folder of them"
SENT = {"image": "as a picture", "document": "the text in it", "text": "its text"}
MOST_TOLD = 3


def begin_with_files(app: App[Any]) -> None:
    """Ask for files or a folder, then which of them, and open the form of a run over these."""
    picker = PickPaths(WHICH, host(app).workspace.root.absolute(), folders=True, suffixes=SUFFIXES)
    picker.ask(app, lambda path: _beside(app, partial(own_files.own_files, [*picker.paths]), partial(_choose, app)))


def _choose(app: App[Any], listing: OwnFiles) -> None:
    """Ask what of each file is to be sent; those that are marked are."""
    entries = [(file.path.name, sent_words(file)) for file in listing.files]
    total = size(sum(file.bytes for file in listing.files))
    title = f"{count_of(len(entries), 'file')}, {total}: which are sent, and as what?"
    more = len(listing.left_out) - MOST_TOLD
    omitted = [safe_line(words, 150) for words in listing.left_out[:MOST_TOLD]] + ([f"and {more} more"] if more > 0 else [])
    note = "\n".join(["Left out:", *omitted] if omitted else [])

    def take(indices: list[int]) -> None:
        files = [listing.files[index] for index in indices]
        _new_run(app, partial(own_files.config_of_files, host(app).workspace, files))

    ChooseSome(title, entries, range(len(entries)), note).ask(app, take)


def _new_run(app: App[Any], config: Callable[[], dict[str, Any]]) -> None:
    """Open the form of a run with a config that takes a while to be made."""
    _beside(app, config, lambda content: host(app).new_run(content, host(app).workspace.root))


def sent_words(file: OwnFile) -> str:
    """Describe what of a file is sent, how large it is, what is read along with it, and what is odd about it."""
    beside = [f"reference: {file.beside}"] if file.beside else []
    sort = f"{file.mime.rpartition('/')[2]}, {size(file.bytes)}: {SENT[file.sort]}"
    return " · ".join([sort, *beside, *([file.note] if file.note else [])])


_beside = partial(beside, group="setup", outlives=True)
FILES = ("my files …", "pictures, PDFs, texts, or a folder of them: transcribed or summarized, asked about, answered, judged")
QUESTIONS = ("a file of questions …", "CSV, JSON or JSONL: kind, target, prompt and scorers are chosen by its columns")
A_FILE = ("a config file …", "any TOML config: choose its path")
MINE = ("my documents or questions …", "PDFs, texts, web pages: questions are written about them; or sets of questions")
QUESTION = "What is the new run to start from?"
NOTE = "The examples are simulated: they need no key and cost nothing."


def begin(app: App[Any]) -> None:
    """Ask, and open the form. What there is to start from is looked for in the background."""
    entries = host(app).board.entries
    _beside(app, lambda: (starts(host(app).workspace, entries), plugin_notes()), lambda pair: _ask(app, *pair))


def _ask(app: App[Any], start_points: Sequence[Start], notes: Sequence[str]) -> None:
    if notes:
        host(app).say("\n".join(notes), True)
    ways: list[tuple[str, str, Callable[[], object]]] = [
        (
            f"go on: {draft.get(('name',)) or draft.kind}",
            f"{draft.kind}: the form as you left it",
            partial(host(app).show_setup, draft),
        )
        for draft in host(app).kept.drafts
    ]
    ways += [(start.name, start.about, partial(_open, app, start)) for start in start_points]
    mine = max((place for place, start in enumerate(start_points, start=1) if start.kind), default=len(start_points))
    at = len(ways) - len(start_points) + mine
    ways[at:at] = [(*MINE, partial(app.call_later, host(app).action_bring)), (*FILES, partial(begin_with_files, app))]
    ways.insert(1, (*QUESTIONS, partial(_pick_questions, app)))  # the same keys lead to it, whatever is to go on
    ways.append((*A_FILE, partial(_pick, app)))
    entries = [(name, about) for name, about, _ in ways]
    Choose(QUESTION, entries, note=NOTE).ask(app, lambda choice: ways[choice[0]][2]())


def _pick(app: App[Any]) -> None:
    picker = PickPath("Which config?", host(app).workspace.root.absolute(), suffixes=(".toml",))
    picker.ask(app, lambda path: _open(app, Start(str(path), "", path=path)))


def _pick_questions(app: App[Any]) -> None:
    """Ask for a file, and open the form of a run with it."""
    from tui_eval.configuring.drafting.new_configs import as_config, with_only_model  # brings every kind of evaluation along

    workspace = host(app).workspace

    def config_of(path: Path) -> dict[str, Any]:
        return {"name": plain_name(f"{name_of(path)}."), **with_only_model(workspace, as_config(workspace, path))}

    picker = PickPath("Which file of questions?", workspace.root.absolute(), suffixes=TABLES)
    picker.ask(app, lambda path: _new_run(app, partial(config_of, path)))


def _open(app: App[Any], start: Start) -> None:
    _beside(app, partial(begun, start, host(app).workspace), host(app).show_setup)
