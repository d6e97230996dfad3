"""The files of a run folder, and what each of them is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tui_eval.run_entry import opened

MOST = 2_000
DEEP = 4
"""Levels of folders that are looked into; a run folder has three."""
WORDS = {
    "config.toml": "the run's config, as it was started",
    "resolved_config.json": "the config with every default written out",
    "manifest.json": "what was run: version, inputs with checksums, models, start",
    "plan.json": "calls planned per stage and model",
    "progress.json": "where the run stands",
    "call_logs.jsonl": "every attempt: request, reply, usage, timing",
    "intents.jsonl": "what was about to be sent, written before it was",
    "results.jsonl": "one item a line: replies and scores with reasons",
    "results.json": "the answers by item, for other programs",
    "report.json": "every table with n, intervals and formulas",
    "stats.csv": "calls, latency, tokens and cost per stage and model",
    "stats.json": "calls, latency, tokens and cost per stage and model",
    "leaderboard.md": "the ranking, to be read or published",
    "analysis.md": "what the figures say and do not say",
    "all_results.json": "every model's answers to every question",
    "breakdown.csv": "accuracy by difficulty, domain, topic",
    "questions.csv": "every question with every model's answer",
    "changes.csv": "scores that another rule changed",
    "batches.jsonl": "what became of each batch",
    "run.log": "what the engine noted",
    "console.log": "what the process printed",
    "ui.log": "what went wrong on the screen",
    "lock": "held by the process that works on the run",
}
SUFFIXES = {
    ".csv": "a table, for spreadsheets",
    ".json": "a table, for programs",
    ".md": "a text",
    ".toml": "settings",
    ".jsonl": "records",
}


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file of a run folder."""

    name: str
    """Its path inside the folder."""
    path: Path
    size: int
    what: str


def run_files(folder: Path) -> list[RunFile]:
    """Regular files, the folder's own first, then those of its folders; no link is followed."""
    found = []
    for file in _walk(folder, "", DEEP):
        found.append(file)
        if len(found) >= MOST:
            break
    return sorted(found, key=lambda file: (file.name.count("/"), file.name))


def beginning(path: Path, most: int) -> tuple[str, int]:
    """The first bytes of a regular file as text, and how many bytes the file has. OSError where it is none."""
    with open(opened(path), "rb") as stream:
        return stream.read(most).decode("utf-8", "replace"), os.fstat(stream.fileno()).st_size


def _walk(folder: Path, inside: str, deep: int) -> Iterator[RunFile]:
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        name = inside + entry.name
        if stat.S_ISREG(about.st_mode):
            yield RunFile(name, Path(entry.path), about.st_size, what(name))
        elif stat.S_ISDIR(about.st_mode) and deep > 1:
            yield from _walk(Path(entry.path), name + "/", deep - 1)


def what(name: str) -> str:
    """What a file of this name is, in words."""
    top, _, rest = name.partition("/")
    base = name.rpartition("/")[2]
    if rest and top == "inputs":
        return "an input, copied when the run was started"
    known = WORDS.get(base) or SUFFIXES.get(Path(base).suffix, "")
    if rest and top == "repeats":
        return f"of repeat {rest.partition('/')[0]}: {known}"
    if rest and top == "rescored":
        return f"scored anew: {known}"
    return known
