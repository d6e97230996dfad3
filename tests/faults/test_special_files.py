"""Pipes, sockets, folders, links and huge files in the place of a run's: each is refused by name, at once, by every verb."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from frozen import PLACE, RUNS
from hostile_folder import make_socket
from rescored import laid_out

from tui_eval.cli import command_line
from tui_eval.core.errors import FolderError
from tui_eval.results.verdicts import failed_gates
from tui_eval.runs.entry import entry_of
from tui_eval.runs.folder import CONFIG, FILES, INTENTS, LOG, MANIFEST, PAUSE, RESULTS, STOP, RunFolder
from tui_eval.runs.reader import RunReader, lines
from tui_eval.runs.steering import go_on, stop
from tui_eval.workspace.places import Workspace

RUN = next(RUNS.glob("*/choice_done"))
VERBS = ("resume", "rescore", "status", "export", "leaderboard", "compare")
LONGEST_S = 5.0
"""Far less than for ever; a verb takes some tenths of a second."""


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.symlink_to("/dev/zero")


SORTS: dict[str, Callable[[Path], None]] = {
    "a named pipe": _pipe,
    "a socket": make_socket,
    "a folder": Path.mkdir,
    "a link": _link,
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run in a workspace."""
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    return laid_out(RUN, tmp_path)


@pytest.fixture
def at_once() -> Iterator[None]:
    """Fails where a test takes longer than anything in it may."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < LONGEST_S * len(VERBS)


def _words(verb: str, run: Path, root: Path) -> list[str]:
    out = {"leaderboard": ["--out", str(root / "board")], "compare": ["--out", str(root / "compared")]}
    form = ["--format", "jsonl"] if verb == "export" else []
    return ["--workspace", str(root), verb, str(run), *out.get(verb, []), *form]


@pytest.mark.parametrize("name", [CONFIG, MANIFEST, INTENTS, LOG, RESULTS])
def test_no_verb_waits_for_a_pipe(
    name: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], at_once: None
) -> None:
    """Exit 2, with the file's name, and nothing written beside."""
    (run / name).unlink()
    _pipe(run / name)
    before = sorted(path.name for path in run.iterdir())

    for verb in VERBS:
        code = command_line.main(_words(verb, run, tmp_path))

        assert (verb, code) == (verb, 2)
        assert str(run / name) in capsys.readouterr().err
    assert sorted(path.name for path in run.iterdir()) == before


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_file_is_said_to_be_none(name: str, sort: str, run: Path) -> None:
    """By whoever reads the run and whoever would write it; the list of runs shows it all the same."""
    (run / name).unlink(missing_ok=True)
    SORTS[sort](run / name)

    for opens in (RunReader, RunFolder):
        with pytest.raises(FolderError, match=f"{name}: is {sort}, not a regular file; move it away"):
            opens(run)
    assert entry_of(run).run_id == run.name


@pytest.mark.parametrize("name", [STOP, PAUSE])
def test_wishes_wait_for_nobody(name: str, run: Path) -> None:
    """A pipe or a folder where a wish would be put, while a process is at work."""
    held = RunFolder(run)
    SORTS["a folder"](run / name)
    with pytest.raises(FolderError, match=f"{name}: is a folder"):
        stop(run) if name == STOP else go_on(run)
    (run / name).rmdir()
    SORTS["a named pipe"](run / name)
    if name == STOP:
        with pytest.raises(FolderError, match=f"{name}: is a named pipe"):
            stop(run)
    else:
        go_on(run)
        assert not (run / name).exists()
    held.close()


@pytest.mark.parametrize("name", [LOG, INTENTS, RESULTS, CONFIG, MANIFEST])
def test_a_huge_file_of_nothing_is_refused(
    name: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], at_once: None
) -> None:
    """A sparse file of 2 GB: no verb reads it to its end, none cuts or replaces it."""
    with (run / name).open("wb") as file:
        file.truncate(2 * 10**9)

    for verb in ("rescore", "resume", "status"):
        code = command_line.main(_words(verb, run, tmp_path))
        told = capsys.readouterr().err
        assert code == 2 or verb == "status" or name == RESULTS
        assert code != 2 or str(run / name) in told


def test_lines_are_found_whatever_their_length(tmp_path: Path) -> None:
    """Lines shorter and longer than what is read at once, from any place; what has no end is no line."""
    texts = [b"a", b"", b"b" * ((1 << 20) - 2), b"c" * (1 << 20), b"d" * (3 << 20), b"e"]
    (tmp_path / "log").write_bytes(b"\n".join(texts) + b"\ntorn")
    found = list(lines(tmp_path / "log"))

    assert [line for _, line in found] == texts
    assert [next(lines(tmp_path / "log", offset))[1] for offset, _ in found] == texts
    assert list(lines(tmp_path / "nothing")) == []


def test_other_files_that_are_pipes_hold_nothing_up(run: Path, tmp_path: Path, at_once: None) -> None:
    """A report in CI, a leaderboard's own file, a folder where a config would be, a file of keys of many MB."""
    (run / "report.json").unlink()
    _pipe(run / "report.json")
    with pytest.raises(FolderError, match=r"report\.json: is a named pipe"):
        failed_gates(run)

    (tmp_path / "board").mkdir()
    _pipe(tmp_path / "board/all_results.json")
    assert command_line.main(_words("leaderboard", run, tmp_path)) == 2

    (tmp_path / "odd").mkdir()
    _pipe(tmp_path / "odd" / CONFIG)
    with pytest.raises(FolderError, match=r"odd/config\.toml: is not a regular file"):
        Workspace(tmp_path).run(str(tmp_path / "odd"))

    with (tmp_path / ".env").open("wb") as file:
        file.truncate(10**9)
    assert command_line.main(["--workspace", str(tmp_path), "run", "quickstart", "--dry-run"]) == 2
