"""Laws of lines that are read by place: they are those of the whole text, whatever it holds, or the file is refused."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import Source
from tui_eval.datasets import documents
from tui_eval.datasets.documents import as_list
from tui_eval.reading.grades import lines_of
from tui_eval.workspace import held_files
from tui_eval.workspace.lines_by_place import lines_by_place

SOURCE = Source("questions", "q.txt", "panel.questions_file", 2**20)
PIECES = st.sampled_from(
    ["\r", "\n", "\r\n", " ", "\t", "\u00a0", "\u2003", "\u2028", "\x0b", "\x1c", "\x85", "a", "é", "水", "😀", "\ufeff", "\0"]
)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as large, and is read in pieces of few bytes: no letter, no break lies in one by luck."""
    monkeypatch.setattr(documents, "HELD_BYTES", -1)
    monkeypatch.setattr(held_files, "PIECE_BYTES", 3)


def by_place(folder: Path, text: str) -> Sequence[str]:
    """The lines of a file with this text."""
    path = folder / "q.txt"
    path.write_bytes(text.encode("utf-8"))
    return lines_by_place(as_list(path, SOURCE, "inputs/lists/q.txt"))


@pytest.mark.usefixtures("small_pieces")
@given(text=st.lists(PIECES).map("".join))
def test_they_are_those_of_the_text(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """With any breaks, blank lines, white space and letters of any width; forwards, by any place, and in slices."""
    folder = tmp_path_factory.getbasetemp()
    expected = lines_of(text.removeprefix("\ufeff"))

    lines = by_place(folder, text)

    assert [*lines] == expected == lines[:] and len(lines) == len(expected)
    assert [lines[n] for n in reversed(range(len(lines)))] == expected[::-1]
    assert lines[1::2] == expected[1::2] and (not expected or lines[-1] == expected[-1])


def test_a_file_replaced_by_another_is_still_read(tmp_path: Path) -> None:
    """What is put under its name, or taken away, changes no line."""
    lines = by_place(tmp_path, "one\ntwo\n")
    (tmp_path / "new").write_text("six\nten\n")
    os.replace(tmp_path / "new", tmp_path / "q.txt")
    assert [*lines] == ["one", "two"]
    (tmp_path / "q.txt").unlink()
    assert lines[1] == "two"


def test_a_line_that_was_written_over_is_refused(tmp_path: Path) -> None:
    """Never is another question asked than was counted."""
    lines = by_place(tmp_path, "one\ntwo\n")
    with open(tmp_path / "q.txt", "r+b") as file:
        file.write(b"six")

    assert lines[1] == "two"
    with pytest.raises(ConfigError, match=r"q\.txt: was changed while it was being read, line by line"):
        lines[0]
    os.truncate(tmp_path / "q.txt", 5)
    with pytest.raises(ConfigError, match="restore it"):
        lines[1]


def test_a_file_that_changed_before_its_lines_were_counted_is_refused(tmp_path: Path) -> None:
    """By its hash, whatever its size."""
    path = tmp_path / "q.txt"
    path.write_text("one\n")
    file = as_list(path, SOURCE, "inputs/lists/q.txt")
    path.write_text("two\n")

    with pytest.raises(ConfigError, match=r"was changed while the run was being prepared"):
        lines_by_place(file)


def test_a_file_is_closed_with_its_lines(tmp_path: Path) -> None:
    """Nobody has to think of it, not even the garbage collector."""
    lines = by_place(tmp_path, "one\n")
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    del lines
    assert len(os.listdir("/proc/self/fd")) == before - 1
