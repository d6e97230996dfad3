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
     b'{"item_id":"a","repeat":0,"turn":1,"model":"m","metric":"f","mark":6}',
     b'{"item_id":"a","repeat":0,"turn":1,"model":"m","metric":"f","mark":-1}',
     b'{"item_id":"a","repeat":0,"turn":1,"model":"m","metric":"f","mark":1,"person":7}', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_mark_is_in_nobodys_way(tmp_path: Path, damaged: bytes) -> None:
    """Nor is a line that was torn when the machine went down: the next one is a line of its own."""
    (tmp_path / PERSON_MARKS).write_bytes(damaged)
    add_mark(tmp_path, FIRST)
    assert person_marks(tmp_path) == {FIRST.key: FIRST}
    take_back(tmp_path, FIRST)
    assert (tmp_path / PERSON_MARKS).read_bytes() == damaged + b"\n"


def test_each_persons_mark_stands_beside_the_others(tmp_path: Path) -> None:
    """The key has stage, claim and person: what one takes back, changes or says again removes no line of another's."""
    kim = replace(FIRST, person="kim", stage="answer", p=0.375, of=4)
    others = [replace(kim, person="ada", mark=2), replace(kim, stage="final"), replace(kim, claim="00ff"), FIRST]
    for mark in (kim, *others):
        add_mark(tmp_path, mark)
    assert list(person_marks(tmp_path).values()) == [kim, *others]
    take_back(tmp_path, kim)
    assert list(person_marks(tmp_path).values()) == others
    assert kim.rating.person == "kim" and (kim.rating.chance, kim.rating.left) == (0.375, 4)


def test_a_line_of_an_older_version_is_a_mark_of_nobody_by_no_draw(tmp_path: Path) -> None:
    """It has no person, stage, claim or probability; taken back, only it goes."""
    line = '{"item_id": "one/c1", "repeat": 0, "turn": 1, "model": "one", "metric": "fluency", "mark": 4, "at": "2026"}\n'
    (tmp_path / PERSON_MARKS).write_text(line)
    (mark,) = person_marks(tmp_path).values()
    assert (mark.person, mark.stage, mark.claim, mark.p, mark.of) == ("", "", "", None, None)
    add_mark(tmp_path, replace(mark, person="kim"))
    take_back(tmp_path, mark)
    assert [one.person for one in person_marks(tmp_path).values()] == ["kim"]


@pytest.mark.parametrize("mark", [None, 0, 1, 5])
def test_yes_and_no_are_marks(tmp_path: Path, mark: int | None) -> None:
    """As 1 and 0, beside 1 to 5 and "cannot tell"."""
    add_mark(tmp_path, replace(FIRST, mark=mark))
    assert [one.mark for one in person_marks(tmp_path).values()] == [mark]


@pytest.mark.parametrize(
    ("chance", "left"),
    [(0, 4), (1.5, 4), (0.1, 4), (float("nan"), 4), (float("inf"), 4), (True, 4), ("1", 4), (0.5, 0), (0.5, 2.0), (0.5, None)],
)
def test_a_probability_that_is_none_of_a_draw_counts_as_no_draw(tmp_path: Path, chance: object, left: object) -> None:
    """Below half of the uniform one it is none of ours; the mark stays a mark."""
    (tmp_path / PERSON_MARKS).write_text(json.dumps({**asdict(FIRST), "p": chance, "of": left}) + "\n")
    assert [(one.mark, one.p, one.of) for one in person_marks(tmp_path).values()] == [(4, None, None)]


def test_a_name_is_a_short_word_on_a_line(tmp_path: Path) -> None:
    """Whatever a stranger wrote there: no escape, no second line, no more than 40 characters."""
    (tmp_path / PERSON_MARKS).write_text(json.dumps({**asdict(FIRST), "person": "\x1b[2Jkim\n" + "x" * 99}) + "\n")
    (mark,) = person_marks(tmp_path).values()
    assert len(mark.person) == 40 and mark.person.isprintable()


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
