"""The files of a run folder, and what each of them is."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.workspace.plain_files import stream_of

MOST = 2_000
"""Files that are listed."""
MOST_LOOKED_AT = 20_000
"""Names that are looked at, links and pipes among them."""
EVERY_S = 2.0
"""Between two looks at a folder."""
DEEP = 4
"""Levels of folders that are looked into; a run folder has three."""
TABLE = "_table"
"""What a table's files end with where the kind of the run has a file of the table's name of its own."""
OWN_ROWS = "a row for each sample, for spreadsheets"
"""What that file is."""
WORDS = {
    "config.toml": "the run's config, as it was started",
    "resolved_config.json": "the config with every default written out",
    "manifest.json": "what was run: version, inputs with checksums, models, start",
    "plan.json": "calls planned per stage and model",
    "progress.json": "where the run stands",
    "call_logs.jsonl": "every attempt: request, reply, usage, timing",
    "intents.jsonl": "what was about to be sent, written before it was",
    "results.jsonl": "one sample a line: replies and scores with reasons",
    "results.json": "the answers by sample, for other programs",
    "report.json": "every table with n, intervals and formulas",
    "report_head.json": "report.json without its tables: verdict, gates, headline",
    "stats.csv": "calls, latency, tokens and cost per stage and model",
    "stats.json": "calls, latency, tokens and cost per stage and model",
    "leaderboard.md": "the ranking, to be read or published",
    "analysis.md": "what the figures say and do not say",
    "all_results.json": "every model's answers to every question",
    "questions_by_difficulty.csv": "every question, the hardest first",
    "questions_by_difficulty.json": "every question, the hardest first",
    "turns.csv": "a row for each turn of the conversations",
    "turns.json": "a row for each turn of the conversations",
    "breakdown.csv": "accuracy by difficulty, domain, topic",
    "questions.csv": "every question with every model's answer",
    "changes.csv": "scores that another rule changed",
    "analysis-pack.md": "graphs, scores and questions, for a conversation with a model",
    "response.json": "a reply, the graph as it was read, and the rules it breaks",
    "graph.txt": "a graph in layers, with what breaks a rule marked",
    "graph.mmd": "a graph for Mermaid",
    "graph.dot": "a graph for Graphviz",
    "batches.jsonl": "what became of each batch",
    "aa.json": "what a repeat of another run shows: noise floor, what its gate catches",
    "scores.jsonl": "scores that own scorers gave, by call and scorer hash",
    "person_marks.jsonl": "human ratings of answers, given blind",
    "scorer_ratings.jsonl": "human ratings of replies, by which scorers are compared",
    "judge_certificates.json": "certificates of the run's judges, valid or void, as they were copied",
    "run.log": "what the engine noted",
    "console.log": "what the process printed",
    "lock": "held by the process that works on the run",
}
SUFFIXES = {
    ".csv": "a table, for spreadsheets",
    ".json": "data, for programs",
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


class FileListing:
    """The files of a folder, looked for in slices and every two seconds anew. `advance` is for one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: Sequence[RunFile] | None = None
        """The folder's own first; another sequence when anything changed, None before the first look is over."""
        self.more = False
        """Whether there are more files than are listed."""
        self._found: list[RunFile] = []
        self._looked_at = 0
        self._walk: Iterator[RunFile | None] | None = None
        self._ended = 0.0

    def behind(self) -> bool:
        """Return whether it is time for a look, or one is under way."""
        return self._walk is not None or self.files is None or time.monotonic() - self._ended >= EVERY_S

    def advance(self, seconds: float) -> bool:
        """Look for about so long; whether this look is not over yet."""
        if not self.behind():
            return False
        if self._walk is None:
            self._walk, self._found, self._looked_at = _walk(self.folder, "", DEEP), [], 0
        until = time.monotonic() + seconds
        for file in self._walk:
            self._looked_at += 1
            if file is not None:
                self._found.append(file)
            if len(self._found) > MOST or self._looked_at > MOST_LOOKED_AT:
                break
            if time.monotonic() >= until:
                return True
        self._end()
        return False

    def _end(self) -> None:
        more = len(self._found) > MOST or self._looked_at > MOST_LOOKED_AT
        files = sorted(self._found[:MOST], key=lambda file: (file.name.count("/"), file.name))
        if files != self.files or more != self.more:
            self.more, self.files = more, files
        self._walk, self._ended = None, time.monotonic()


def within(path: Path, folder: Path) -> bool:
    """Return whether a path still leads to something in the folder: a folder of it may have become a link meanwhile."""
    return path.resolve().is_relative_to(folder.resolve())


def beginning(path: Path, most: int) -> tuple[str, int]:
    """The first bytes of a regular file as text, and how many bytes the file has. OSError where it is none."""
    with stream_of(path) as stream:
        return stream.read(most).decode("utf-8", "replace"), os.fstat(stream.fileno()).st_size


def _walk(folder: Path, inside: str, deep: int) -> Iterator[RunFile | None]:
    """Every name of a folder, then of its folders; None for what is no regular file."""
    folders: list[os.DirEntry[str]] = []
    for entry in _entries(folder):
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:
            yield None
            continue
        name = inside + entry.name
        if stat.S_ISDIR(about.st_mode):
            folders.append(entry)
        yield RunFile(name, Path(entry.path), about.st_size, describe_file(name)) if stat.S_ISREG(about.st_mode) else None
    for entry in folders if deep > 1 else ():
        yield from _walk(Path(entry.path), f"{inside}{entry.name}/", deep - 1)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The names in a folder one by one, for there may be millions; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def describe_file(name: str) -> str:
    """Return what a file of this name is, in words."""
    top, _, rest = name.partition("/")
    base = name.rpartition("/")[2]
    if rest and top == "inputs":
        return "an input, copied when the run was started"
    description = WORDS.get(base) or SUFFIXES.get(Path(base).suffix, "")
    if rest and top == "repeats":
        return f"of repeat {rest.partition('/')[0]}: {description}"
    if rest and top == "rescored":
        return f"scored anew: {description}"
    return description
