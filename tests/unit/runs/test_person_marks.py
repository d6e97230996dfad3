"""Laws of a person's marks on file: each is there at once, the latest counts, and nothing else of the folder is touched."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tui_eval.core.errors import FolderError, StorageError
from tui_eval.runs.person_marks import PERSON_MARKS, PersonMark, add_mark, person_marks, take_back

FIRST = PersonMark("one/c1", 0, 1, "one", "fluency", 4, "2026-01-02T03:04:05Z")
SECOND = replace(FIRST, turn=2, mark=None)


def test_marks_are_added_taken_back_and_read_again(tmp_path: Path) -> None:
    """A line for each, in the agreed form; the latest counts; what is taken back is gone, the others stay."""
    assert person_marks(tmp_path) == {}
    for mark in (FIRST, SECOND, replace(FIRST, mark=2)):
        add_mark(tmp_path, mark)
    lines = (tmp_path / PERSON_MARKS).read_text().splitlines()
    assert [json.loads(line) for line in lines] == [asdict(m) for m in (FIRST, SECOND, replace(FIRST, mark=2))]
    assert person_marks(tmp_path) == {FIRST.key: replace(FIRST, mark=2), SECOND.key: SECOND}
    take_back(tmp_path, FIRST)
    take_back(tmp_path, FIRST)
    assert person_marks(tmp_path) == {SECOND.key: SECOND}
    assert (tmp_path / PERSON_MARKS).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damaged",
    [b"{", b"[]", b"\xff", b'{"item_id": "a"}', b'{"item_id":"a","repeat":0,"turn":1,"model":"m","metric":"f","mark":true}',
     b'{"item_id":"a","repeat":0,"turn":1,"model":"m","metric":"f","mark":6}', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_mark_is_in_nobodys_way(tmp_path: Path, damaged: bytes) -> None:
    """Nor is a line that was torn when the machine went down: the next one is a line of its own."""
    (tmp_path / PERSON_MARKS).write_bytes(damaged)
    add_mark(tmp_path, FIRST)
    assert person_marks(tmp_path) == {FIRST.key: FIRST}
    take_back(tmp_path, FIRST)
    assert (tmp_path / PERSON_MARKS).read_bytes() == damaged + b"\n"


@pytest.mark.parametrize("sort", ["link", "hard", "pipe", "folder"])
def test_no_link_is_followed(tmp_path: Path, sort: str) -> None:
    """What stands there in place of a file is named; the file that a link leads to stays as it is."""
    elsewhere, run = tmp_path / "elsewhere", tmp_path / "run"
    run.mkdir()
    elsewhere.write_text("mine\n")
    file = run / PERSON_MARKS
    {"link": lambda: file.symlink_to(elsewhere), "hard": lambda: os.link(elsewhere, file),
     "pipe": lambda: os.mkfifo(file), "folder": file.mkdir}[sort]()  # fmt: skip
    with pytest.raises((StorageError, FolderError)) as error:
        add_mark(run, FIRST)
    assert PERSON_MARKS in str(error.value)
    assert elsewhere.read_text() == "mine\n"


def test_a_folder_that_takes_nothing_is_said(tmp_path: Path) -> None:
    """In a sentence that names the file."""
    with pytest.raises(StorageError, match=PERSON_MARKS):
        add_mark(tmp_path / "gone", FIRST)


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was marked before stays, and the next mark is a line again."""
    add_mark(tmp_path, FIRST)
    write = os.write

    def fills_up(descriptor: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[:50])

    with monkeypatch.context() as full:
        full.setattr(os, "write", fills_up)
        with pytest.raises(StorageError, match="No space left"):
            add_mark(tmp_path, SECOND)
    add_mark(tmp_path, SECOND)
    assert person_marks(tmp_path) == {FIRST.key: FIRST, SECOND.key: SECOND}
    assert len((tmp_path / PERSON_MARKS).read_text().splitlines()) == 2
