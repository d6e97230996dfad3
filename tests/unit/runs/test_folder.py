"""Laws of the one writer: torn lines are mended, one process at a time, files for their owner only, no link followed."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from makers import attempt, run_folder

from tui_eval.core.errors import FolderError, StorageError
from tui_eval.runs import folder as folder_module
from tui_eval.runs.folder import (
    INTENTS,
    LOCK,
    LOG,
    PROGRESS,
    RESULTS,
    RUN_LOG,
    STOP,
    RunFolder,
    create_folder,
    holder,
)
from tui_eval.runs.reader import RunReader
from tui_eval.runs.record import line_of
from tui_eval.runs.writing import AtomicFile, write_file


@pytest.fixture(autouse=True)
def _small_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are opened often here: they need not set megabytes aside each time."""
    monkeypatch.setattr(folder_module, "RESERVE_BYTES", 4096)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An empty run folder."""
    return run_folder(tmp_path / "run")


@pytest.fixture
def opened(path: Path) -> Iterator[RunFolder]:
    """An empty run folder, opened for writing."""
    run = RunFolder(path)
    yield run
    run.close()


# ------------------------------------------------------------------------------------------------- appending and mending


@pytest.mark.parametrize("name", [LOG, INTENTS, RESULTS])
def test_a_line_torn_at_any_byte_is_cut_and_what_follows_is_whole(path: Path, name: str) -> None:
    """Cut anywhere in its last line, a file keeps every whole line, says how much it lost, and goes on with the next."""
    first, last, following = b'{"line": 1}\n', '{"line": "\\u2028 é"}\n'.encode(), '{"line": 3}\n'
    for end in range(len(last) + 1):
        (path / name).write_bytes(first + last[:end])
        run = RunFolder(path)
        run.append(name, following)
        run.close()

        kept = last if end == len(last) else b""
        lost = end if end < len(last) else 0

        assert (path / name).read_bytes() == first + kept + following.encode()
        assert [f"{lost} bytes" in note and name in note for note in run.mended] == [True] * bool(lost)


def test_a_torn_line_is_told_of_before_it_is_cut(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed between the two has said what is missing; the next one, which finds nothing torn, could not."""
    (path / LOG).write_bytes(b'{"line": 1}\n{"li')
    told: list[str] = []
    cut = os.ftruncate

    def cut_later(descriptor: int, size: int) -> None:
        told.append((path / RUN_LOG).read_text())
        cut(descriptor, size)

    monkeypatch.setattr(os, "ftruncate", cut_later)

    RunFolder(path).close()

    assert "call_logs.jsonl: cut 4 bytes of an unfinished last line" in told[0]
    assert (path / RUN_LOG).read_text().count("unfinished last line") == 1


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 65_537, 200_000])
def test_a_long_torn_line_is_cut_too(path: Path, size: int) -> None:
    """However long the unfinished line is, and also when it is the only one, it is found and cut."""
    for before in (b"", b"{}\n"):
        (path / LOG).write_bytes(before + b"x" * size)
        RunFolder(path).close()

        assert (path / LOG).read_bytes() == before


def test_whole_files_are_opened_as_they_are(path: Path) -> None:
    """Nothing is mended where nothing is torn, and earlier bytes never change."""
    text = line_of(attempt(), None)
    for count in range(3):
        run = RunFolder(path)
        run.append(LOG, text)
        run.close()

        assert run.mended == []
        assert (path / LOG).read_text() == text * (count + 1)


def test_what_is_appended_is_redacted_and_ascii(path: Path) -> None:
    """Everything goes through the folder's redact function: logs, whole files and narration."""
    run = RunFolder(path, lambda text: text.replace("sk-secret", "[redacted]"))
    run.append(LOG, '{"a": "sk-secret"}\n')
    run.append(INTENTS, '{"a": "sk-secret"}\n')
    run.append(RESULTS, '{"a": "sk-secret"}\n')
    run.replace(PROGRESS, '{"a": "sk-secret"}')
    run.narrate("sk-secret")
    run.narrate_exception("sk-secret", ValueError("sk-secret"))
    run.close()

    written = {file.name: file.read_text() for file in path.iterdir()}

    assert [name for name, text in written.items() if "sk-secret" in text] == []
    assert {name for name, text in written.items() if "[redacted]" in text} == {LOG, INTENTS, RESULTS, PROGRESS, RUN_LOG}


def test_a_short_write_is_finished(opened: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system takes only a part of a line, the rest follows."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[: max(len(data) // 2, 1)]))

    opened.append(LOG, '{"line": "whole"}\n')

    assert (opened.path / LOG).read_text() == '{"line": "whole"}\n'


@pytest.mark.parametrize("taken", [0, 1, 10])
def test_a_full_disk_leaves_no_half_line(opened: RunFolder, monkeypatch: pytest.MonkeyPatch, taken: int) -> None:
    """A line that does not fit is an error that names the file, and nothing of it is left behind."""
    opened.append(LOG, '{"line": 1}\n')
    write, rooms = os.write, [taken]

    def full(descriptor: int, data: bytes) -> int:
        if not rooms or rooms[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: rooms.pop()])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StorageError, match=r"call_logs\.jsonl: .*No space left"):
        opened.append(LOG, '{"line": 2, "text": "longer"}\n')
    monkeypatch.undo()
    opened.append(LOG, '{"line": 3}\n')

    assert (opened.path / LOG).read_text() == '{"line": 1}\n{"line": 3}\n'


def test_results_can_be_begun_again(opened: RunFolder) -> None:
    """Emptied results are written anew from the start, with no hole in front."""
    opened.append(RESULTS, '{"n": 1}\n')
    opened.truncate_results()
    opened.append(RESULTS, '{"n": 2}\n')

    assert (opened.path / RESULTS).read_text() == '{"n": 2}\n'


DISTURBED = {
    "removed": "moved or replaced",
    "replaced": "moved or replaced",
    "truncated": "cut short",
    "added to": "another program wrote into",
    "folder moved": "moved or replaced",
}


@pytest.mark.parametrize("damage", DISTURBED)
def test_a_log_that_was_taken_away_is_noticed(opened: RunFolder, tmp_path: Path, damage: str) -> None:
    """A log that is no longer the one being written, or is shorter or longer than it was written, is said to be so."""
    opened.append(LOG, '{"n": 1}\n')
    before = opened.disturbed()
    log = opened.path / LOG
    match damage:
        case "removed":
            log.unlink()
        case "replaced":
            (tmp_path / "other").write_bytes(log.read_bytes())
            os.replace(tmp_path / "other", log)
        case "truncated":
            os.truncate(log, 3)
        case "added to":
            with log.open("ab") as other:
                other.write(b"not ours")
        case _:
            opened.path.rename(tmp_path / "elsewhere")
    after = opened.disturbed()
    if damage == "folder moved":
        (tmp_path / "elsewhere").rename(opened.path)

    assert before == ""
    assert DISTURBED[damage] in after


def test_a_reserve_that_cannot_be_kept_is_said_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk with less room than the reserve: the folder opens, with a sentence; with room enough nothing is said."""
    roomy = RunFolder(path)
    roomy.close()

    def full(descriptor: int, start: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    tight = RunFolder(path)
    tight.close()

    assert roomy.mended == []
    assert ["cannot be kept in reserve" in note and "No space left" in note for note in tight.mended] == [True]
    assert not (path / ".reserve").exists()


def test_wishes_are_seen_and_cleared(opened: RunFolder) -> None:
    """A STOP file put there by anyone is seen; a run that starts clears it."""
    (opened.path / STOP).touch()
    seen = opened.wishes(STOP)
    opened.clear_wishes()

    assert seen
    assert not opened.wishes(STOP)


# ------------------------------------------------------------------------------------------------- one at a time


def test_a_second_process_is_refused_by_pid(path: Path) -> None:
    """While one process holds a run, another is refused, told who it is, and leaves everything as it was."""
    (path / LOG).write_bytes(b'{"half')
    first = RunFolder(path)
    first.append(LOG, '{"n": 1}\n')

    with pytest.raises(FolderError, match=f"pid {os.getpid()} "):
        RunFolder(path)

    assert (holder(path) or {})["pid"] == os.getpid()
    assert (path / LOG).read_text() == '{"n": 1}\n'
    first.close()
    assert holder(path) is None
    RunFolder(path).close()


@pytest.mark.parametrize("put", ["nothing", "a file"])
def test_a_lock_that_was_removed_lets_nobody_in(path: Path, put: str) -> None:
    """Whether the lock file is gone or another stands in its place: the run is live, and a second writer changes nothing."""
    first = RunFolder(path)
    first.append(LOG, '{"n": 1}\n')
    (path / LOCK).unlink()
    if put == "a file":
        (path / LOCK).write_text("{}")

    with pytest.raises(FolderError, match="a live process is writing it"):
        RunFolder(path)

    assert holder(path) == {"pid": None, "host": None, "since": None}
    assert first.disturbed() == ""
    first.close()
    assert holder(path) is None
    RunFolder(path).close()


def test_looking_does_not_hold_the_lock(opened: RunFolder) -> None:
    """Readers ask who holds the run as often as they like; the holder keeps it, and a free run stays free."""
    asked = [RunReader(opened.path).holder() for _ in range(3)]

    assert [(found or {}).get("pid") for found in asked] == [os.getpid()] * 3
    opened.append(LOG, "{}\n")


def test_a_killed_process_leaves_no_lock(path: Path) -> None:
    """After SIGKILL the run is free at once, whatever the lock file says."""
    program = "import sys, pathlib; from tui_eval.runs.folder import RunFolder; r = RunFolder(pathlib.Path(sys.argv[1]))"
    child = subprocess.Popen(
        [sys.executable, "-c", program + "; print('held', flush=True); sys.stdin.read()", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        child.stdout.readline()
        held = holder(path)
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=60)

    assert (held or {}).get("pid") == child.pid
    assert json.loads((path / LOCK).read_text())["pid"] == child.pid
    assert holder(path) is None
    RunFolder(path).close()


# ------------------------------------------------------------------------------------------------- private files


def test_everything_is_private_under_any_umask(tmp_path: Path) -> None:
    """Even under umask 000 files are 0600 and folders 0700."""
    before = os.umask(0)
    try:
        path = tmp_path / "run"
        create_folder(path)
        write_file(path / "config.toml", "kind = 'panel'\n")
        write_file(path / "inputs" / "prompts" / "doer.md", b"\xff")
        run = RunFolder(path)
        run.append(LOG, "{}\n")
        run.replace(PROGRESS, "{}")
        run.narrate("begun")
        modes = {str(file.relative_to(path)): stat.S_IMODE(file.stat().st_mode) for file in [path, *path.rglob("*")]}
        run.close()
    finally:
        os.umask(before)

    assert {name for name, mode in modes.items() if mode == 0o700} == {".", "inputs", "inputs/prompts"}
    assert {name: oct(mode) for name, mode in modes.items() if mode not in (0o600, 0o700)} == {}
    assert len(modes) >= 9


def test_a_folder_that_exists_is_not_taken(tmp_path: Path) -> None:
    """A new run never lands in an old one, nor in place of a file, nor where nothing can be made."""
    (tmp_path / "file").touch()
    (tmp_path / "old").mkdir()

    for name in ("old", "file", "file/inside"):
        with pytest.raises(FolderError, match=name):
            create_folder(tmp_path / name)

    assert list((tmp_path / "old").iterdir()) == []


@pytest.mark.parametrize("name", [LOG, INTENTS, RESULTS, LOCK])
@pytest.mark.parametrize("target", ["file", "nothing"])
def test_a_link_at_a_logs_name_is_refused(path: Path, tmp_path: Path, name: str, target: str) -> None:
    """A link planted where a log or the lock belongs is refused as a damaged folder; what it points to is not touched."""
    victim = tmp_path / "victim"
    if target == "file":
        victim.write_text("half a line, not ours")
    (path / name).symlink_to(victim)

    with pytest.raises(FolderError, match=name.replace(".", r"\.") + "|" + str(path)):
        RunFolder(path)

    assert victim.exists() == (target == "file")
    assert target == "nothing" or victim.read_text() == "half a line, not ours"
    assert holder(path) is None


@pytest.mark.parametrize("name", [PROGRESS, RUN_LOG, "results.json"])
def test_a_link_at_a_reports_name_is_not_followed(opened: RunFolder, tmp_path: Path, name: str) -> None:
    """A link where a report or the narration belongs is replaced or left alone, never written through."""
    victim = tmp_path / "victim"
    victim.write_text("not ours")
    (opened.path / name).symlink_to(victim)

    opened.replace(PROGRESS, "{}")
    opened.replace("results.json", "{}")
    opened.narrate("begun")

    assert victim.read_text() == "not ours"
    assert not (opened.path / PROGRESS).is_symlink()
    assert (opened.path / PROGRESS).read_text() == "{}"


# ------------------------------------------------------------------------------------------------- whole files


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """Until it is kept there is the old file; dropped, it leaves nothing behind; kept, it is the new one."""
    path = tmp_path / "report.json"
    write_file(path, "old")
    dropped = AtomicFile(path)
    dropped.write("half")
    during = path.read_text()
    dropped.drop()

    kept = AtomicFile(path)
    kept.write("new ")
    kept.write(b"bytes \xff")
    kept.keep()
    kept.drop()

    assert during == "old"
    assert path.read_bytes() == b"new bytes \xff"
    assert list(tmp_path.iterdir()) == [path]


def test_text_that_is_no_unicode_can_be_written(tmp_path: Path) -> None:
    """A lone surrogate in a report does not cost the report."""
    write_file(tmp_path / "report.json", '"a\ud83db"')

    assert (tmp_path / "report.json").read_bytes() == b'"a\\ud83db"'


def test_a_disk_that_refuses_is_a_storage_error(tmp_path: Path) -> None:
    """What cannot be written is told by path, as what it is, and leaves no temporary file."""
    (tmp_path / "file").touch()
    cases: list[tuple[Path, Any]] = [(tmp_path / "file" / "x", "in a file"), (tmp_path / ("n" * 300), "too long a name")]

    for path, _ in cases:
        with pytest.raises(StorageError, match=path.name[:100]):
            write_file(path, "x")

    assert [file.name for file in tmp_path.iterdir()] == ["file"]
