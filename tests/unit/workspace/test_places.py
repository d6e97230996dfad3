"""Where things live, and how a file of a folder names them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.workspace.places import path_from

PARTS = st.lists(st.sampled_from(("a", "b", "ab", "..", "a b", "*.md")), max_size=5)


@given(folder=PARTS, path=PARTS)
def test_a_path_means_the_same_file_seen_from_its_folder(folder: list[str], path: list[str]) -> None:
    """Relative exactly where it lies below; a folder that only begins with the same letters does not hold it."""
    root, full = Path("/", *folder), Path("/", *path)

    found = path_from(root, full)

    assert os.path.normpath(root / found if not os.path.isabs(found) else found) == os.path.normpath(full)
    plain = Path(os.path.normpath(root))
    assert (not os.path.isabs(found)) == (plain != Path("/") and plain in Path(os.path.normpath(full)).parents)


def test_a_relative_path_is_of_the_folder_a_person_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the one that names it."""
    monkeypatch.chdir(tmp_path)

    assert path_from(Path("work"), "work/sets/a.jsonl") == os.path.join("sets", "a.jsonl")
    assert path_from(Path("work"), "a.jsonl") == str(tmp_path / "a.jsonl")
